"""Globs of options, projects and paths are gitignore patterns without negation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum._kernel.faults import Fault
from hsum.index.ignore import Globs, IgnoreFile, parse_patterns


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("docs/**", b"docs/a/b.md", True),
        ("docs/**", b"x/docs/a", False),
        ("docs", b"docs/a/b", True),
        ("docs/", b"x/docs/a", True),
        ("docs/", b"docs", False),
        ("/docs", b"x/docs/a", False),
        ("*.md", b"a/b.md", True),
        ("*.md", b"a/b.mdx", False),
        ("src/*.c", b"src/a/b.c", False),
        ("src/**/b.c", b"src/b.c", True),
        ("a?[0-9]", b"x/ab1", True),
        ("*.MD", b"a.md", False),
        ("é*", "été".encode(), True),
        ("*\udcff", b"a\xff", True),
        ("a\\*", b"a*", True),
    ],
)
def test_one_glob(glob: str, path: bytes, *, expected: bool) -> None:
    """A file matches by itself or by a folder above it."""
    assert expected == Globs([glob]).matches(path)


def test_globs_are_a_union() -> None:
    """Any one that matches is enough; none match nothing, and are false."""
    globs = Globs(["*.c", "docs/"])

    assert globs.matches(b"a.c")
    assert globs.matches(b"docs/x")
    assert not Globs([]).matches(b"a")
    assert [True, False] == [bool(globs), bool(Globs([]))]


@pytest.mark.parametrize(
    ("glob", "folder", "expected"),
    [
        ("*.md", b"any/where", True),
        ("docs/**", b"docs", True),
        ("docs/**", b"doc", False),
        ("a/b/c", b"a/b", True),
        ("a/b/c", b"a/x", False),
        ("a/b/c", b"a/b/c/d", False),
        ("a/*/c", b"a/x", True),
        ("**/c", b"a/x", True),
        ("/a/b", b"a", True),
    ],
)
def test_folders_that_may_hold_a_match(
    glob: str, folder: bytes, *, expected: bool
) -> None:
    """A folder is passed over only when nothing below it can match."""
    assert expected == Globs([glob]).may_match_below(folder)


_GLOB_PARTS = st.sampled_from(["a", "b", "*", "**", "?", "/", "[ab]", "\\a"])
_FOLDERS = st.lists(st.sampled_from([b"a", b"b"]), min_size=1, max_size=3)


@given(parts=st.lists(_GLOB_PARTS, min_size=1, max_size=6), names=_FOLDERS)
def test_passing_over_loses_nothing(parts: list[str], names: list[bytes]) -> None:
    """Where a file below a folder matches, the folder matches or may lead to it."""
    try:
        globs = Globs(["".join(parts)])
    except Fault:
        return
    folder = b"/".join(names)
    found = any(globs.matches(folder + b"/" + rest) for rest in (b"a", b"b", b"a/b"))
    led = globs.matches(folder, folder=True) or globs.may_match_below(folder)

    assert led or not found


@pytest.mark.parametrize("glob", ["", "!a", "# a", "/", "a\nb", "[a", "a\\", " "])
def test_what_can_match_nothing_is_refused(glob: str) -> None:
    """A negated, empty or malformed glob is a mistake, said before any work."""
    with pytest.raises(Fault) as caught:
        Globs([glob])

    assert "INVALID_ARGUMENT" == caught.value.code


def test_hostile_patterns_do_not_run_away() -> None:
    """Patterns made to backtrack are answered at once."""
    name = b"a" * 250
    path = b"a/" * 120 + b"a"
    hostile = [b"*a" * 60 + b"b", b"**/a/" * 40 + b"b", b"**/*a*" * 40 + b"/b"]
    for pattern in hostile:
        file = IgnoreFile(pattern, source=b"x")

        assert file.last(name, folder=False) is None
        assert file.last(path, folder=False) is None


def test_case_is_folded_where_git_folds_it() -> None:
    """A repository on a file system without case ignores without case."""
    file = IgnoreFile(b"*.TXT\nReadMe\nDocs/A*\n", source=b"x", fold=True)
    paths = (b"a.txt", b"README", b"docs/ab")

    assert all(file.last(path, folder=False) for path in paths)


def test_the_deciding_rule_can_be_named() -> None:
    """A rule is shown with its file and line, as `git check-ignore -v` does."""
    file = IgnoreFile(b"# c\n*.o\n\nbad\xff\n", source=b"a/.gitignore")
    places = [
        file.place(pattern)
        for path in (b"x.o", b"bad\xff")
        if (pattern := file.last(path, folder=False))
    ]

    assert ["a/.gitignore:2: *.o", "a/.gitignore:4: bad\\xff"] == places


def test_lines_that_match_nothing_are_dropped() -> None:
    """Comments, blanks and malformed lines never stop the rest."""
    patterns = parse_patterns(b"\n#x\n  \n[\nb\\\n\\#y\n!\n/\nok\n")

    assert [b"\\#y", b"ok"] == [pattern.text for pattern in patterns]
