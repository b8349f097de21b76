"""Read files of a tree that others may change, and never leave the tree.

Every folder and file is opened below the one before it, without following a link, so
that a folder that is swapped for a link in the middle of a scan leads nowhere.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Self

import attrs

from hsum.index import skips
from hsum.index.skips import Skip

if TYPE_CHECKING:
    from types import TracebackType

    from hsum.index.seen import Signature

__all__ = ["Read", "Reader", "open_folder", "read_stable", "signature_of"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_ATTEMPTS = 3


@attrs.frozen
class Read:
    """The bytes of a file that stood still while it was read, and their signature."""

    data: bytes
    signature: Signature


def signature_of(status: os.stat_result) -> Signature:
    """Return what of a status tells one state of a file from another."""
    return (
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
        status.st_dev,
    )


def open_folder(name: bytes, parent: int | None = None) -> int:
    """Open the folder `name` of the open folder `parent`; `OSError` for a link."""
    return os.open(name, _FOLDER, dir_fd=parent)


def open_beneath(root: int, folder: bytes) -> int:
    """Open a folder below the open folder `root`, name by name."""
    current = os.dup(root)
    for name in folder.split(b"/") if folder else ():
        try:
            below = open_folder(name, current)
        finally:
            os.close(current)
        current = below
    return current


def read_stable(folder: int, name: bytes, limit: int) -> Read | tuple[str, str]:
    """Read a regular file of the open folder, or return a reason and a detail.

    A file that changes while it is read is read again, up to three times in all.
    """
    try:
        descriptor = os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        return skips.UNREADABLE, error.strerror or str(error)
    try:
        return _read(descriptor, limit)
    except OSError as error:
        return skips.UNREADABLE, error.strerror or str(error)
    finally:
        os.close(descriptor)


def _read(descriptor: int, limit: int) -> Read | tuple[str, str]:
    for _ in range(_ATTEMPTS):
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            return skips.SPECIAL, "no regular file"
        if before.st_size > limit:
            return skips.TOO_LARGE, f"{before.st_size} bytes"
        data = _all(descriptor, before.st_size)
        after = signature_of(os.fstat(descriptor))
        if after == signature_of(before) and len(data) == before.st_size:
            return Read(data, after)
    return skips.UNSTABLE, ""


def _all(descriptor: int, size: int) -> bytes:
    """Read from the start to one byte past `size`, which would show that it grew."""
    parts = []
    at = 0
    while at <= size:
        part = os.pread(descriptor, size + 1 - at, at)
        if not part:
            break
        parts.append(part)
        at += len(part)
    return b"".join(parts) if len(parts) != 1 else parts[0]


class Reader:
    """Reads files below a root; the folder of the last one stays open."""

    def __init__(self, root: bytes) -> None:
        """Open the root; `OSError` when it cannot be."""
        self._root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._folder: tuple[bytes, int] = (b"", os.dup(self._root))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._folder[1])
        os.close(self._root)

    def read(self, path: bytes, limit: int) -> Read | Skip:
        """Return the bytes of the file at `path`, or why they cannot be had."""
        folder, _, name = path.rpartition(b"/")
        try:
            descriptor = self._open(folder)
        except OSError as error:
            return Skip(path, skips.UNREADABLE, error.strerror or str(error))
        got = read_stable(descriptor, name, limit)
        return got if isinstance(got, Read) else Skip(path, *got)

    def _open(self, folder: bytes) -> int:
        if folder != self._folder[0]:
            below = open_beneath(self._root, folder)
            os.close(self._folder[1])
            self._folder = (folder, below)
        return self._folder[1]
