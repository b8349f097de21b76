"""Proof on bytes, against ripgrep."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum.index.passages import cut
from hsum.retrieve.exact import is_word, needle_bytes, occurrences, smallest_run

LETTERS = 'aB_1é中²\u0301+-.: \u200d½Ⓐ"'


def found(text: str, needle: str, encoding: str = "utf-8") -> list[tuple[int, int]]:
    return list(
        occurrences(text.encode(encoding), needle_bytes(needle, encoding), encoding)
    )


def ripgrep(folder: Path, needle: str) -> list[tuple[int, str]]:
    """Return line and match of each `rg -Fw` hit."""
    done = subprocess.run(
        ["rg", "-Fwno", "--no-filename", "--", needle, "text"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    lines = done.stdout.decode().splitlines()
    return [(int(n), match) for n, _, match in (line.partition(":") for line in lines)]


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is the oracle")
@pytest.mark.parametrize("seed", range(60))
def test_proof_agrees_with_ripgrep(tmp_path: Path, seed: int) -> None:
    """A line has an occurrence exactly where `rg -Fw` finds the needle in it."""
    import random

    chance = random.Random(seed)
    lines = ["".join(chance.choices(LETTERS, k=14)) for _ in range(40)]
    start = chance.randrange(8)
    needle = lines[0][start : start + chance.randint(1, 4)]
    if not needle.strip():
        needle = "aB"
    (tmp_path / "text").write_text("\n".join(lines), encoding="utf-8")
    proved = {number for number, line in enumerate(lines, 1) if found(line, needle)}

    assert {number for number, _ in ripgrep(tmp_path, needle)} == proved


@pytest.mark.parametrize(
    ("text", "needle", "starts"),
    [
        ("foo bar_foo foo² éfoo foo", "foo", [0, 12, 24]),
        ("C++ C++x xC++ C++", "C++", [0, 14]),
        ("e\u0301x e", "e", [5]),
        ("Foo foo", "foo", [4]),
        ("a--flag --flag", "--flag", [8]),
        ("aa aa", "aa aa", [0]),
    ],
)
def test_a_word_character_beside_it_spoils_a_match(
    text: str, needle: str, starts: list[int]
) -> None:
    """The bytes stand alone: case counts, marks and letters beside them do too."""
    assert starts == [start for start, _ in found(text, needle)]


@given(st.text(LETTERS), st.text(LETTERS, min_size=1, max_size=3))
def test_utf_16_is_proved_as_utf_8_is(text: str, needle: str) -> None:
    """A file in UTF-16 has the occurrences its text has, at characters only."""
    wide = found(text, needle, "utf-16-le")
    narrow = found(text, needle)

    assert [
        len(text.encode()[:start].decode().encode("utf-16-le")) for start, _ in narrow
    ] == [start for start, _ in wide]


@pytest.mark.parametrize(
    ("data", "starts"),
    [
        (b"foo\xff foo", [5]),
        (b"\xfffoo\xe9 foo \xe9", [6]),
        ("caf\u00e9".encode("latin-1"), []),
        ("foo\uff08foo\uff09foo".encode("gb2312"), []),
        ("foo\uff08foo\uff09foo".encode(), [0, 6, 12]),
    ],
)
def test_bytes_that_are_no_text_may_be_letters(data: bytes, starts: list[int]) -> None:
    """A byte of an unknown encoding beside a needle spoils it, as for ripgrep."""
    needle = b"caf" if data.startswith(b"caf") else b"foo"
    proved = occurrences(data, needle, "unknown-8bit")

    assert starts == [start for start, _ in proved]


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is the oracle")
@pytest.mark.parametrize("beside", [b"\xff", b"\xa3\xa8", b"\xe4\xb8", b"\xed\xa0\x80"])
def test_what_follows_is_judged_as_by_ripgrep(tmp_path: Path, beside: bytes) -> None:
    """Neither finds a needle before bytes that are no UTF-8; both find it after them."""
    for name, line in (("text", b"foo" + beside), ("other", beside + b" foo")):
        (tmp_path / "text").write_bytes(line + b"\n")
        command = ["rg", "-Fwqa", "foo", str(tmp_path / "text")]
        theirs = not subprocess.run(command, check=False).returncode
        ours = any(occurrences(line, b"foo", "unknown-8bit"))

        assert (name == "other") == theirs == ours


@pytest.mark.parametrize(
    ("character", "word"),
    [
        ("a", True),
        ("_", True),
        ("-", False),
        ("é", True),
        ("²", False),
        ("½", False),
        ("́", True),
        ("\u200d", True),
        ("Ⓐ", True),
        ("٣", True),
        ("‿", True),
    ],
)
def test_word_characters_are_those_of_unicode(character: str, *, word: bool) -> None:
    """UTS #18: letters, marks, decimal digits, connectors and joiners."""
    assert word is is_word(character)


@given(st.data())
def test_the_smallest_run_holds_a_span(data: st.DataObject) -> None:
    """No passage of the run can be left out at either end."""
    text = b"def f():\n    return 1\n\n\n" * 300
    passages = cut(text, path=b"x.py", encoding="utf-8")
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    first, last = smallest_run(passages, start, end)

    assert passages[first].start <= start < passages[first].end
    assert passages[last].start < end <= passages[last].end
