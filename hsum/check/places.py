"""Find where pinned bytes stand now, in one pass over the files of a tree."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from hsum.model.evidence import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hsum.check.pins import Pin

__all__ = ["find_places", "lines_of"]

# A place is told from a move only while there are few; more are named in part.
_MOST = 20


def find_places(
    pins: Iterable[Pin], files: Iterable[tuple[str, bytes]]
) -> Mapping[str, tuple[Place, ...]]:
    """Return, by the key of each pin, the places where its bytes stand.

    Only the hash of the bytes is known, so every line start of every file is tried
    with each length in use. Places of one pin are in the order of the files.
    """
    wanted: dict[tuple[int, int], dict[str, list[str]]] = {}
    for pin in pins:
        shape = wanted.setdefault((pin.size, pin.lead), {})
        shape.setdefault(pin.sha256, []).append(pin.key)
    found: dict[str, list[Place]] = {}
    for path, data in files if wanted else ():
        for (size, lead), by_hash in wanted.items():
            for start, digest in _windows(data, size, lead):
                for key in by_hash.get(digest, ()):
                    found.setdefault(key, []).append(_place(path, data, start, size))
    return {key: tuple(places[:_MOST]) for key, places in found.items()}


def _windows(data: bytes, size: int, lead: int) -> Iterator[tuple[int, str]]:
    """Give each start that a line allows, with the hash of the bytes there."""
    if size == 0:
        return
    view = memoryview(data)
    for line in (0, *(match.end() for match in re.finditer(b"\n", data))):
        start = line + lead
        end = start + size
        if end > len(data):
            return
        if lead or _ends_line(data, end):
            yield start, hashlib.sha256(view[start:end]).hexdigest()


def _ends_line(data: bytes, end: int) -> bool:
    return end == len(data) or data[end] == 0x0A or data[end - 1] == 0x0A


def _place(path: str, data: bytes, start: int, size: int) -> Place:
    return Place(path, start, start + size, lines_of(data, start, start + size))


def lines_of(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Return the first and last line of a span, from 1, inclusive; LF ends a line."""
    first = data.count(b"\n", 0, start) + 1
    return first, first + data.count(b"\n", start, max(start, end - 1))
