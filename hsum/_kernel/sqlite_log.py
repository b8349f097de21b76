"""The write-ahead log of a database, read as SQLite reads it.

What SQLite finds broken in a log it leaves out, with all that comes after it, and
says nothing: the commits in it are gone.
"""

from __future__ import annotations

import itertools
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

__all__ = ["Broken", "broken_at", "log_problems"]

_MAGIC: Final = 0x377F0682  # the last bit: whether sums are of big-endian words
_HEADER: Final = struct.Struct(">8I")
_FRAME: Final = struct.Struct(">6I")
_MASK: Final = 0xFFFFFFFF

_Sum = tuple[int, int]


class Broken(NamedTuple):
    """Where a log stops making sense, and which log it is."""

    frame: int
    salts: tuple[int, int]


def log_problems(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield a sentence when the log of the main database holds lost commits.

    A damaged log cannot always be told from one whose last commit a power cut has
    torn. A log that is written or begun anew meanwhile is read once more.
    """
    path = _path_of(connection)
    if not path:
        return
    log = Path(f"{path}-wal")
    found = broken_at(_read(log))
    if found is not None and found == broken_at(_read(log)):
        yield (
            f"{log.name} holds commits from frame {found.frame} on that cannot be read:"
            " it is damaged, or a power cut has torn the last of them"
        )


def _path_of(connection: sqlite3.Connection) -> str:
    """Return the file of the main database, whose name need not be UTF-8, or nothing."""
    kept, connection.text_factory = connection.text_factory, os.fsdecode
    try:
        names = {row[1]: row[2] for row in connection.execute("PRAGMA database_list")}
    finally:
        connection.text_factory = kept
    return names["main"] or ""


def _read(log: Path) -> bytes:
    try:
        return log.read_bytes()
    except FileNotFoundError:
        return b""


def broken_at(log: bytes) -> Broken | None:
    """Return the first frame that SQLite does not read, from 1, if commits are lost.

    They are when one of them stands behind that frame, or is that frame and ends the
    log: a writer that was killed leaves neither. 0 stands for the header.
    """
    if len(log) <= _HEADER.size + _FRAME.size:
        return None
    magic, _, page, _, *salts, first, second = _HEADER.unpack_from(log)
    own = (salts[0], salts[1])
    words = ">" if magic & 1 else "<"
    running = _summed(log[: _HEADER.size - 8], (0, 0), words)
    if magic & ~1 != _MAGIC or running != (first, second):
        return Broken(0, own)
    size = _FRAME.size + page
    frames = range(_HEADER.size, len(log) - size + 1, size)
    broken = None
    for number, at in enumerate(frames, start=1):
        _, commits, *salt, first, second = _FRAME.unpack_from(log, at)
        if broken is None:
            summed = log[at : at + 8] + log[at + _FRAME.size : at + size]
            running = _summed(summed, running, words)
            if (*salt, first, second) == (*own, *running):
                continue
            broken = number
            if at + size < len(log):
                continue
        # One flipped bit leaves one of the two; older logs have neither.
        if commits and (salt[0] == own[0] or salt[1] == own[1]):
            return Broken(broken, own)
    return None


def _summed(data: bytes, start: _Sum, words: str) -> _Sum:
    """Add data to the sum that SQLite keeps of a log."""
    first, second = start
    found = struct.unpack(f"{words}{len(data) // 4}I", data)
    pairs = itertools.islice(found, 0, None, 2), itertools.islice(found, 1, None, 2)
    for one, other in zip(*pairs, strict=True):
        first = (first + one + second) & _MASK
        second = (second + other + first) & _MASK
    return first, second
