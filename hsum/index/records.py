"""Find the records of a JSON-lines file that have stable keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Record", "broken_line", "records"]

_EXTENSIONS = (b".jsonl", b".ndjson", b".jsonlines")
_KEYS = ("id", "_id", "key", "uuid")
_LONGEST_KEY = 512


class Record(NamedTuple):
    """One record: its key and its half-open span, line end included."""

    key: str
    start: int
    end: int


def records(data: bytes, path: bytes) -> tuple[Record, ...]:
    """Return the records of a JSON-lines file; none for any other file.

    Every line must be an object with a string or an integer in `id`, `_id`, `key` or
    `uuid`, no two alike: without stable keys the file is one document.  Blank lines
    belong to the record before; the first record begins with the file.
    """
    if not path.lower().endswith(_EXTENSIONS):
        return ()
    found = tuple(_spread(data, list(_lines(data))))
    keys = [record.key for record in found]
    stable = all(keys) and len(set(keys)) == len(keys)
    return found if stable else ()


def broken_line(data: bytes) -> int | None:
    """Return the first line, from 1, that has no key of its own among some that have.

    None when every line has one, and when none has: that is another kind of file.
    """
    keys: set[str] = set()
    broken = None
    for start, key in _lines(data):
        if broken is None and (not key or key in keys):
            broken = data.count(b"\n", 0, start) + 1
        keys.add(key)
    return broken if keys - {""} else None


def _spread(data: bytes, lines: list[tuple[int, str]]) -> Iterator[Record]:
    starts = [0, *(start for start, _ in lines[1:]), len(data)]
    for (_, key), start, end in zip(lines, starts, starts[1:], strict=False):
        yield Record(key, start, end)


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    start = 0
    for line in data.split(b"\n"):
        if line.strip():
            yield start, _key(line)
        start += len(line) + 1


def _key(line: bytes) -> str:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(value, dict):
        return ""
    return next(filter(None, (_text(value.get(name)) for name in _KEYS)), "")


def _text(key: object) -> str:
    if isinstance(key, bool) or not isinstance(key, int | str):
        return ""
    text = str(key)
    return text if text.isprintable() and len(text) <= _LONGEST_KEY else ""
