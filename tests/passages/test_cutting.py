"""Passages cover a file, byte for byte, and begin where a reader would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum.index.passages import MAXIMUM, Passage, cut
from tests.passages.texts import CONTENTS, ENCODINGS, PATHS


def _cut(data: bytes, path: bytes = b"a.py", encoding: str = "utf-8"):
    return cut(data, path=path, encoding=encoding)


def _spans(passages: tuple[Passage, ...]) -> list[tuple[int, int]]:
    return [(passage.start, passage.end) for passage in passages]


@given(CONTENTS, PATHS, ENCODINGS)
def test_passages_joined_are_the_file(data, path, encoding):
    """Passages are contiguous, not empty, and joined the file byte for byte."""
    passages = _cut(data, path, encoding)

    assert data == b"".join(data[p.start : p.end] for p in passages)
    assert all(p.start < p.end for p in passages)
    assert [0, *(p.end for p in passages)][: len(passages)] == [
        p.start for p in passages
    ]


@given(CONTENTS, PATHS)
def test_no_passage_exceeds_the_maximum(data, path):
    """No passage is longer than the maximum."""
    assert all(p.end - p.start <= MAXIMUM for p in _cut(data, path))


@given(CONTENTS, PATHS)
def test_a_passage_starts_a_line_unless_the_line_is_too_long(data, path):
    """A passage starts within a line only if that line exceeds the maximum."""
    for passage in _cut(data, path)[1:]:
        start = passage.start
        if data[start - 1 : start] != b"\n":
            begin = data.rfind(b"\n", 0, start) + 1
            end = data.find(b"\n", start)
            assert (len(data) if end < 0 else end) - begin > MAXIMUM - 1


@given(CONTENTS, PATHS)
def test_lines_are_counted_by_line_feeds_alone(data, path):
    """First and last line are those of the first and the last byte, LF only."""
    passages = _cut(data, path)

    assert [
        (1 + data.count(b"\n", 0, p.start), 1 + data.count(b"\n", 0, p.end - 1))
        for p in passages
    ] == [(p.first_line, p.last_line) for p in passages]


@given(CONTENTS, PATHS, ENCODINGS)
def test_a_cut_is_a_function_of_its_arguments(data, path, encoding):
    """The same bytes, path and encoding are cut alike."""
    assert _cut(data, path, encoding) == _cut(bytes(bytearray(data)), path, encoding)


@given(st.text(max_size=3_000).filter(bool), PATHS)
def test_characters_are_never_cut(text, path):
    """A line too long is cut between characters."""
    data = (text.replace("\n", "") * 3).encode("utf-8", "replace")
    passages = _cut(data, path)

    assert data.decode() == "".join(data[p.start : p.end].decode() for p in passages)


@given(
    st.text(st.characters(codec="utf-16"), max_size=2_000),
    PATHS,
    st.sampled_from(["utf-16-le", "utf-16-be"]),
    st.booleans(),
    st.integers(1, 4),
)
def test_utf16_is_cut_between_characters(text, path, encoding, marked, times):
    """UTF-16 is covered, in sizes and lines like other text, no character cut."""
    text = ("\ufeff" if marked else "") + text * times
    data = text.encode(encoding)
    passages = _cut(data, path, encoding)
    pieces = [data[p.start : p.end].decode(encoding) for p in passages]

    assert text == "".join(pieces)
    assert all(p.end - p.start <= MAXIMUM for p in passages)
    assert [
        (1 + text[: len("".join(pieces[:at]))].count("\n")) for at in range(len(pieces))
    ] == [p.first_line for p in passages]


@given(st.binary(max_size=5_000), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_bytes_that_are_not_utf16_are_covered(data, encoding):
    """Lone surrogates and an odd last byte are covered all the same."""
    passages = _cut(data, b"a.txt", encoding)

    assert data == b"".join(data[p.start : p.end] for p in passages)


def test_an_empty_file_has_no_passages():
    """Nothing to cover, nothing covers it."""
    assert _cut(b"") == ()
    assert _cut(b"", encoding="utf-16-le") == ()
    assert _spans(_cut(b"\n")) == [(0, 1)]


def test_two_megabytes_on_one_line_are_cut_at_spaces():
    """A line of 2 MB falls into passages of the maximum, at spaces where it has some."""
    words = b"lorem " * 350_000
    solid = b"x" * 2_100_000

    assert all(words[p.end - 1 : p.end] == b" " for p in _cut(words, b"a.min.js"))
    assert {p.end - p.start for p in _cut(solid, b"a.txt")[:-1]} == {MAXIMUM}
    assert {(1, 1)} == {(p.first_line, p.last_line) for p in _cut(solid, b"a.txt")}


def test_passages_of_code_break_before_declarations():
    """Each passage of a file of functions starts at a function's own lead."""
    body = "".join(f"    value_{n} = {n}\n" for n in range(60))
    data = "".join(
        f"# about f{n}\n@wrapped(\n    {n},\n)\ndef f{n}():\n{body}\n\n"
        for n in range(20)
    ).encode()
    passages = _cut(data)

    assert len(passages) == 20
    assert all(data[p.start :].startswith(b"# about f") for p in passages)
    assert [f"f{n}" for n in range(20)] == [p.symbol for p in passages]
    assert [(f"f{n}",) for n in range(20)] == [p.declares for p in passages]


def test_passages_of_prose_break_before_headings():
    """Sections of moderate length are passages of their own, with their path."""
    data = "".join(
        f"# Part {n}\n\n" + "Some words.\n" * 60 + f"\n## Use {n}\n\n" + "More.\n" * 150
        for n in range(4)
    ).encode()
    passages = _cut(data, b"guide.md")

    assert all(data[p.start : p.start + 1] == b"#" for p in passages)
    assert ["Part 0", "Part 0 > Use 0", "Part 1"] == [p.symbol for p in passages[:3]]


def test_a_long_function_falls_into_even_pieces():
    """What is too long for one passage is cut into pieces of nearly equal size."""
    data = b"def f():\n" + b"    statement = 12345\n" * 120
    sizes = [p.end - p.start for p in _cut(data)]

    assert len(sizes) == 2
    assert max(sizes) - min(sizes) < 60


def test_blank_lines_are_preferred_to_other_lines():
    """Paragraphs are kept whole where they fit."""
    paragraph = b"words of a paragraph\n" * 12
    data = b"\n".join([paragraph] * 12)
    passages = _cut(data, b"a.txt")

    assert all(data[p.start - 2 : p.start] == b"\n\n" for p in passages[1:])


@pytest.mark.parametrize("fence", [b"```", b"~~~", b"````"])
def test_a_fenced_block_that_fits_is_not_cut(fence):
    """Neither blank lines nor headings within a fence are borders."""
    block = fence + b"sh\n" + b"# comment\n\nrun it\n" * 70 + fence + b"\n"
    data = b"# Guide\n\n" + b"Some prose here.\n" * 60 + block + b"End.\n" * 300
    opening = data.index(fence)
    closing = data.rindex(fence) + len(fence) + 1
    passages = _cut(data, b"guide.md")

    assert all(not opening < p.start < closing for p in passages)
    assert {"Guide"} == {p.symbol for p in passages}


def test_a_fenced_block_that_does_not_fit_is_cut():
    """A fence longer than the maximum is cut like other text."""
    data = b"```\n" + b"run it again\n" * 600 + b"```\n"

    assert all(p.end - p.start <= MAXIMUM for p in _cut(data, b"guide.md"))


def test_line_ends_of_dos_are_no_obstacle():
    """CRLF text breaks at its blank lines and declarations too."""
    text = "".join(f"def f{n}():\n" + "    pass\n" * 60 + "\n" for n in range(9))
    data = text.replace("\n", "\r\n").encode()
    passages = _cut(data)

    assert all(data[p.start :].startswith(b"def f") for p in passages)


def test_a_byte_order_mark_hides_no_declaration():
    """What stands on the first line is declared, behind a BOM too."""
    source = "def first():\n    pass\n"

    (passage,) = _cut(b"\xef\xbb\xbf" + source.encode(), encoding="utf-8-sig")
    assert ("first",) == passage.declares
    (passage,) = _cut(("\ufeff" + source).encode("utf-16-le"), encoding="utf-16-le")
    assert ("first",) == passage.declares


def test_the_symbol_is_the_innermost_scope_of_at_least_half():
    """One method fills a passage: its path; three equal functions: none."""
    method = b"class A:\n    def m(self):\n" + b"        self.x = 1\n" * 20
    functions = b"".join(b"def f%d():\n    return 12345\n\n" % n for n in range(3))

    assert ["A.m"] == [p.symbol for p in _cut(method)]
    assert [""] == [p.symbol for p in _cut(functions)]
    assert [("f0", "f1", "f2")] == [p.declares for p in _cut(functions)]
