"""Blank out Python's long strings, so that code quoted in them declares nothing."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["without_long_strings"]

_OPENING: Final = re.compile(rb"\"\"\"|'''")
_CODE: Final = re.compile(
    rb"""(?:[^'"\#\n]++|'(?:[^'\\\n]++|\\.)*+'(?!'')|"(?:[^"\\\n]++|\\.)*+"(?!""))*+""",
    re.DOTALL,
)


def without_long_strings(text: bytes) -> bytes:
    """Replace what is between triple quotes by as many NULs; *text* is Python.

    Quotes within comments and other strings open nothing. An unclosed one stands.
    """
    pieces = []
    kept = code = 0
    opening = _OPENING.search(text)
    while opening:
        begin, inside = opening.span()
        line = max(code, text.rfind(b"\n", code, begin) + 1)
        if _CODE.fullmatch(text, line, begin):
            closing = _closing(text, opening[0], inside)
            if closing >= 0:
                pieces += (text[kept:inside], bytes(closing - inside))
                kept, inside = closing, closing + 3
                code = inside
        opening = _OPENING.search(text, inside)
    pieces.append(text[kept:])
    return b"".join(pieces)


def _closing(text: bytes, quotes: bytes, at: int) -> int:
    begin = at
    while (at := text.find(quotes, at)) >= 0:
        before = text[begin:at]
        if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
            return at
        at += 1
    return at
