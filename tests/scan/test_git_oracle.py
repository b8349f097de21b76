"""The set of files is git's own, whatever the ignore files say."""

from __future__ import annotations

import contextlib
import os
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scan.trees import candidates, git, listed_by_git, write

_NAMES = st.sampled_from(
    [
        b"a",
        b"b",
        b"foo",
        b"bar",
        b"foo.c",
        b"a b",
        b"ab ",
        b"#x",
        b"!y",
        b"a*",
        b"[a]",
        b"\xc3\xa9",
        b"\xff\xfe",
        b"new\nline",
        b"-f",
        b"A",
        b"back\\slash",
        b"foo.o",
    ]
)
_PATHS = st.lists(_NAMES, min_size=1, max_size=4).map(b"/".join)
_PIECES = st.sampled_from(
    [
        b"a",
        b"b",
        b"foo",
        b"bar",
        b"*",
        b"**",
        b"?",
        b"/",
        b"/",
        b"/**/",
        b"**/",
        b"/**",
        b"*.c",
        b"*.o",
        b"[a-c]",
        b"[!a]",
        b"[^b]",
        b"[[:alpha:]]",
        b"[]a]",
        b"[a",
        b"\\",
        b"[[:bad:]]",
        b"[a-\\c]",
        b"[\\]-a]",
        b" ",
        b"\\ ",
        b"\\a",
        b"\\/",
        b"\xc3\xa9",
        b"[\x80-\xff]",
        b"***",
        b"[[:space:]]",
        b"#",
        b"!",
        b".",
        b"[b-a]",
        b"[[:x]",
    ]
)
_LINES = st.builds(
    lambda negation, pieces, end: negation + b"".join(pieces) + end,
    st.sampled_from([b"", b"", b"!", b"/", b"!/"]),
    st.lists(_PIECES, min_size=1, max_size=5),
    st.sampled_from([b"", b"", b"/", b" ", b"\r"]),
)
_IGNORE_FILES = st.builds(
    lambda bom, lines: bom + b"\n".join(lines),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.lists(_LINES, min_size=1, max_size=6),
)
_FOLDERS = st.lists(st.sampled_from([b"a", b"foo", b"bar", b"b"]), max_size=2)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    root = os.fsencode(tmp_path_factory.mktemp("oracle"))
    git(root, "init", "-q")
    return root


@settings(max_examples=100)
@given(
    paths=st.lists(_PATHS, min_size=1, max_size=12),
    ignores=st.dictionaries(
        _FOLDERS.map(lambda names: b"".join(name + b"/" for name in names)),
        _IGNORE_FILES,
        min_size=1,
        max_size=3,
    ),
    tracked=st.integers(0, 3),
    start=_FOLDERS,
)
def test_any_ignore_files_hide_what_git_hides(
    repository: bytes,
    paths: list[bytes],
    ignores: dict[bytes, bytes],
    tracked: int,
    start: list[bytes],
) -> None:
    """Any tree under any ignore files, from any folder, gives the files git lists."""
    _fresh_tree(repository, paths)
    for path in sorted(_standing(repository))[:tracked]:
        git(repository, "--literal-pathspecs", "add", "--", os.fsdecode(path))
    for folder, data in ignores.items():
        _try_write(repository, folder + b".gitignore", data)
    folder = os.path.join(repository, *start)
    folder = folder if os.path.isdir(folder) else repository

    expected = {path for path in listed_by_git(folder) if b".gitignore" not in path}

    assert expected == candidates(folder)


def _fresh_tree(root: bytes, paths: list[bytes]) -> None:
    for entry in os.scandir(root):
        if entry.name == b".git":
            continue
        shutil.rmtree(entry.path) if entry.is_dir() else os.unlink(entry.path)
    index = os.path.join(root, b".git/index")
    if os.path.exists(index):
        os.unlink(index)
    for path in paths:
        _try_write(root, path, b"text\n")


def _try_write(root: bytes, path: bytes, data: bytes) -> None:
    with contextlib.suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
        write(root, {path: data})


def _standing(root: bytes) -> list[bytes]:
    return [
        os.path.relpath(os.path.join(folder, name), root)
        for folder, folders, names in os.walk(root)
        if b"/.git" not in folder
        for name in names
    ]
