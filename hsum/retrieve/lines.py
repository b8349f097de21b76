"""Number the lines of a span: from 1, inclusive, ended by LF alone."""

from __future__ import annotations

from hsum.index.decode import text_of

__all__ = ["lines_of"]


def lines_of(data: bytes, encoding: str, start: int, end: int) -> tuple[int, int]:
    """Return the first and the last line of the half-open span of a whole file.

    An LF belongs to the line it ends; an empty span is on the line of its place.
    """
    last = max(start, end - _width(encoding))
    first = _line_feeds(data[:start], encoding) + 1
    return first, first + _line_feeds(data[start:last], encoding)


def _line_feeds(data: bytes, encoding: str) -> int:
    if encoding.startswith("utf-16"):
        return text_of(data, encoding).count("\n")
    return data.count(b"\n")


def _width(encoding: str) -> int:
    return 2 if encoding.startswith("utf-16") else 1
