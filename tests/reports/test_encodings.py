"""Bytes that other tools garble, drop, or count wrongly."""

from __future__ import annotations

import base64
from pathlib import Path

import attrs
import pytest

import hsum
from tests.cli.programs import Program
from tests.reports.trees import found, indexed, paths, plant


def test_korean_in_an_old_encoding_comes_out_as_valid_json(tmp_path: Path) -> None:
    """An EUC-KR file leaves as UTF-8 JSON, its bytes beside it, spans in raw bytes."""
    data = "int main() {} // 한글 주석\n".encode("euc-kr")
    program = Program(
        "hsum", tmp_path / "home", plant(tmp_path / "tree", {"a.c": data})
    )
    program.ok("init")
    uri = program.json("search", "main")["hits"][0]["citation"]

    evidence = program.json("get", uri)

    assert data == base64.b64decode(evidence["bytes_base64"])
    assert uri.endswith(f"#bytes=0-{len(data)}")
    assert "utf-8" != evidence["encoding"]


def test_spans_of_utf_16_are_those_of_the_file(tmp_path: Path) -> None:
    """Bytes 2 to 4 of `FF FE 16 04` are the letter, and the encoding is told."""
    index = indexed(tmp_path / "tree", {"a.txt": b"\xff\xfe\x16\x04"})
    whole = index.documents()[0].citation

    evidence = index.get(attrs.evolve(whole, start=2, end=4))

    assert (b"\x16\x04", "Ж") == (evidence.content, evidence.text)
    assert "utf-16-le" == evidence.encoding
    assert (0, 4) == (whole.start, whole.end)


def test_letters_of_two_bytes_shift_no_needle(tmp_path: Path) -> None:
    """Behind thousands of `é` an ASCII needle is found, and its span is the needle."""
    text = "déjà vu, été, naïveté\n" * 400 + "the NEEDLE_42 stands here\n"
    index = indexed(tmp_path / "tree", {"a.txt": text})
    hit = index.search("NEEDLE_42")[0]

    at = hit.citation.start + index.get(hit.citation).content.index(b"NEEDLE_42")
    span = attrs.evolve(hit.citation, start=at, end=at + len(b"NEEDLE_42"))

    assert b"NEEDLE_42" == index.get(span).content
    assert at == text.encode().index(b"NEEDLE_42")


@pytest.mark.parametrize("window", [1_000, 1_024, 4_096, 8_000, 8_192])
def test_a_window_that_ends_inside_a_letter_makes_no_binary(
    tmp_path: Path, window: int
) -> None:
    """A letter of three bytes across any sniffing border is still text."""
    for before in (1, 2):
        text = "x" * (window - before - 1) + "\n你 HERE\n"
        index = indexed(tmp_path / str(before), {"a.txt": text})

        assert ["a.txt"] == found(index, "HERE")


@pytest.mark.parametrize(
    ("data", "at", "line"),
    [
        (b"Hello\r\nWorld", 7, 2),
        (b"Hello\rWorld", 6, 1),
        (b"Hello\x0bWorld", 6, 1),
        (b"Hello\x0cWorld", 6, 1),
        ("Hello\u2028World".encode(), 8, 1),
        ("Hello\u0085World".encode(), 7, 1),
        (b"a\n\r\nb", 4, 3),
    ],
)
def test_a_line_feed_alone_ends_a_line(
    tmp_path: Path, data: bytes, at: int, line: int
) -> None:
    """CRLF is one end; a lone CR, VT, FF, NEL and U+2028 are none."""
    index = indexed(tmp_path / "tree", {"a.txt": data})
    whole = index.documents()[0].citation

    evidence = index.get(attrs.evolve(whole, start=at, end=whole.end))

    assert (line, line) == evidence.lines


@pytest.mark.parametrize("border", [1_024, 4_096, 8_192, 65_536])
def test_an_end_of_line_across_a_border_is_one(tmp_path: Path, border: int) -> None:
    """`\\r` as the last byte of any buffer and `\\n` as the next give one line end."""
    row = b"0123456789abcde\r\n"
    head = row * (border // len(row))
    head += b"x" * (border - 1 - len(head)) + b"\r\n"
    index = indexed(tmp_path / "tree", {"a.txt": head + b"second NEEDLE\r\nend"})
    hit = index.search("NEEDLE")[0]
    at = head.index(b"\r\n", border - 2) + 2

    span = attrs.evolve(hit.citation, start=at, end=at + 6)

    assert b"second" == index.get(span).content
    assert (head.count(b"\n") + 1,) * 2 == index.get(span).lines


def test_bytes_that_are_no_text_harm_no_later_ingest(tmp_path: Path) -> None:
    """Invalid UTF-8, lone surrogates and cut letters are indexed and rebuilt."""
    bad: dict[str, str | bytes] = {
        "cut.txt": "needle 你".encode()[:-1],
        "stray.txt": b"needle \xff\xfe\x80\n",
        "lone.txt": b"needle \xed\xa0\x80\n",
        "wide.txt": b"\xff\xfe" + "needle ".encode("utf-16-le") + b"\x00\xd8",
    }
    tree = plant(tmp_path / "tree", {"good.txt": "needle\n"})
    index = hsum.open(tmp_path / "index")
    index.ingest(tree)
    plant(tree, bad)
    index.ingest()
    index.ingest(rehash=True)

    assert {"good.txt", *bad} == set(paths(index)) == set(found(index, "needle"))
    assert () == tuple(index.doctor(repair=True).problems)
