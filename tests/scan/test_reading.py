"""A file is read whole and still, from where the walk saw it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hsum.index import reading, skips
from hsum.index.reading import Read, Reader, read_stable, signature_of
from hsum.index.skips import Skip
from tests.scan.trees import write

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 100


def reason(got: Read | Skip) -> str:
    assert isinstance(got, Skip)
    return got.reason


def test_bytes_and_signature_belong_together(root: bytes) -> None:
    """Reading gives all the bytes and the status they had, in any order of folders."""
    write(root, {b"a": b"A", b"f/g/b": b"B", b"empty": b"", b"f/c": b"C" * LIMIT})
    with Reader(root) as reader:
        got = [reader.read(path, LIMIT) for path in (b"a", b"f/g/b", b"empty", b"f/c")]

    assert all(isinstance(each, Read) for each in got)
    assert [b"A", b"B", b"", b"C" * LIMIT] == [
        each.data for each in got if isinstance(each, Read)
    ]
    assert isinstance(got[0], Read)
    assert signature_of(os.stat(root + b"/a")) == got[0].signature


def test_links_lead_nowhere(root: bytes, tmp_path: Path) -> None:
    """A file or a folder that has become a link is not read."""
    outside = os.fsencode(tmp_path / "outside")
    write(outside, {b"secret": b"x"})
    write(root, {b"f/secret": b"y", b"g": b"y"})
    with Reader(root) as reader:
        os.rename(root + b"/f", root + b"/moved")
        os.symlink(outside, root + b"/f")
        os.unlink(root + b"/g")
        os.symlink(outside + b"/secret", root + b"/g")

        assert skips.UNREADABLE == reason(reader.read(b"f/secret", LIMIT))
        assert skips.UNREADABLE == reason(reader.read(b"g", LIMIT))


def test_what_is_no_regular_file_is_not_waited_for(root: bytes) -> None:
    """A FIFO or a folder in the place of a file is told by its reason."""
    os.mkfifo(root + b"/fifo")
    os.mkdir(root + b"/folder")
    with Reader(root) as reader:
        assert [skips.SPECIAL, skips.SPECIAL, skips.UNREADABLE, skips.UNREADABLE] == [
            reason(reader.read(path, LIMIT))
            for path in (b"fifo", b"folder", b"gone", b"no/such")
        ]


def test_a_file_that_grew_past_the_limit(root: bytes) -> None:
    """Size is asked again when the file is opened."""
    write(root, {b"a": b"x" * (LIMIT + 1)})
    with Reader(root) as reader:
        assert skips.TOO_LARGE == reason(reader.read(b"a", LIMIT))


@pytest.mark.parametrize(("changes", "expected"), [(1, True), (50, False)])
def test_a_file_that_changes_while_it_is_read(
    root: bytes, monkeypatch: pytest.MonkeyPatch, changes: int, *, expected: bool
) -> None:
    """One change is read over; a file that never stands still is reported."""
    write(root, {b"a": b"1"})
    left = iter(range(changes))
    read = os.pread

    def changing(descriptor: int, size: int, at: int) -> bytes:
        data = read(descriptor, size, at)
        if data and next(left, None) is not None:
            with open(root + b"/a", "ab") as file:
                file.write(b"2")
        return data

    monkeypatch.setattr(reading.os, "pread", changing)
    folder = os.open(root, os.O_RDONLY)
    got = read_stable(folder, b"a", LIMIT)
    os.close(folder)

    assert (got == (skips.UNSTABLE, "")) is not expected
    if isinstance(got, Read):
        assert b"12" == got.data


def test_errors_of_the_disk_are_reasons(
    root: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error in the middle of reading becomes a skip, not an exception."""
    write(root, {b"a": b"1"})

    def failing(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(reading.os, "pread", failing)
    with Reader(root) as reader:
        got = reader.read(b"a", LIMIT)

    assert Skip(b"a", skips.UNREADABLE, "Input/output error") == got


def test_no_descriptor_is_left_open(root: bytes) -> None:
    """Whatever happens, every descriptor is closed again."""
    write(root, {b"f/a": b"1", b"b": b"2"})
    before = len(os.listdir("/dev/fd"))
    with Reader(root) as reader:
        for path in (b"f/a", b"b", b"gone/x", b"f/none", b"b/c"):
            reader.read(path, LIMIT)

    assert before == len(os.listdir("/dev/fd"))
