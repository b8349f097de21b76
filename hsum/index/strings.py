"""Blank out Python's long strings, so that code quoted in them declares nothing."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["without_long_strings"]

_CODE: Final = re.compile(
    rb"""(?:[^'"\#\n]++|'(?:[^'\\\n]++|\\.)*+'(?!'')|"(?:[^"\\\n]++|\\.)*+"(?!""))*+""",
    re.DOTALL,
)


def without_long_strings(text: bytes) -> bytes:
    """Replace what is between triple quotes by as many NULs; *text* is Python.

    Quotes within comments and other strings open nothing. An unclosed one stands.
    """
    pieces: list[bytes] = []
    kept = code = at = 0
    openings = {quotes: text.find(quotes) for quotes in (b'"""', b"'''")}
    while quotes := _first(text, openings, at):
        begin, at = openings[quotes], openings[quotes] + 3
        before = text[max(code, text.rfind(b"\n", code, begin) + 1) : begin]
        if not before or before.isspace() or _CODE.fullmatch(before):
            closing = _closing(text, quotes, at)
            if closing >= 0:
                pieces += (text[kept:at], bytes(closing - at))
                kept, at = closing, closing + 3
                code = at
    pieces.append(text[kept:])
    return b"".join(pieces)


def _first(text: bytes, openings: dict[bytes, int], at: int) -> bytes:
    """Return which quotes open next from *at* on, or nothing; keep where each does."""
    for quotes, place in openings.items():
        if 0 <= place < at:
            openings[quotes] = text.find(quotes, at)
    places = [(place, quotes) for quotes, place in openings.items() if place >= 0]
    return min(places)[1] if places else b""


def _closing(text: bytes, quotes: bytes, at: int) -> int:
    begin = at
    while (at := text.find(quotes, at)) >= 0:
        before = text[begin:at]
        if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
            return at
        at += 1
    return at
