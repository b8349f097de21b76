"""Aligned columns of text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from adapters.cli.terminal import Line, Span

__all__ = ["aligned", "width"]

_GAP = "  "


def width(text: str) -> int:
    """Return how many cells of a terminal `text` takes (UAX #11)."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def aligned(rows: Iterable[Sequence[Span]], *, right: Sequence[int] = ()) -> list[Line]:
    """Return lines whose cells stand below each other.

    Args:
        rows: equally long rows of spans.
        right: the columns that are set to the right, for numbers.
    """
    table = [list(row) for row in rows]
    widths = [
        max(map(width, column)) for column in zip(*map(_texts, table), strict=True)
    ]
    return [_line(row, widths, right) for row in table]


def _texts(row: Sequence[Span]) -> list[str]:
    return [text for text, _ in row]


def _line(row: Sequence[Span], widths: Sequence[int], right: Sequence[int]) -> Line:
    line: Line = []
    for number, ((text, style), room) in enumerate(zip(row, widths, strict=True)):
        blank = " " * (room - width(text))
        before, after = (blank, "") if number in right else ("", blank)
        gap = _GAP if number + 1 < len(row) else ""
        line += [(before, ""), (text, style), (after + gap, "")]
    return line
