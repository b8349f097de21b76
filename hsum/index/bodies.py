"""Where the body of a declaration ends, by what closes it in its language."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from hsum.index.grammars import Closing

__all__ = ["Bodies"]

_BRACE: Final = 0x7B
_BELOW_A_HEADER: Final = (b"{", b" ", b"\t")


class Bodies:
    """The ends of the bodies in *text*, which begins with a line feed.

    What was searched for once is remembered, because thousands of declarations may
    share one end or have none.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._end = len(text) - 1
        self._closed: dict[bytes, int] = {}
        self._dedented: dict[int, int] = {}

    def end_of(self, closing: Closing) -> Callable[[re.Match[bytes], bytes], int]:
        """Return what tells the end of a declaration, given its match and indent."""
        return {
            "braces": self._braces,
            "end": self._end_word,
            "dedent": self._dedent,
            "next": self._next,
        }[closing]

    def _dedent(self, match: re.Match[bytes], indent: bytes) -> int:
        width, start = len(indent), match.end()
        end = self._dedented.get(width, 0)
        if end < start:
            found = _not_deeper(width).search(self._text, start)
            end = found.start() if found else self._end
            self._dedented[width] = end
        return end

    def _braces(self, match: re.Match[bytes], indent: bytes) -> int:
        text, start = self._text, match.end()
        if text[start - 1] == _BRACE and text[start : start + 1] == b"\n":
            return self._after(start, b"\n" + indent + b"}")
        line_end = text.find(b"\n", start)
        if line_end < 0:
            return self._end
        rest = text[start:line_end].rstrip()
        if rest.endswith((b";", b",", b"}")):
            return line_end
        if text[start - 1] != _BRACE and b"{" not in rest:
            below = text[line_end + 1 : line_end + len(indent) + 2]
            if below.removeprefix(indent) not in _BELOW_A_HEADER:
                return line_end
        return self._after(start, b"\n" + indent + b"}")

    def _end_word(self, match: re.Match[bytes], indent: bytes) -> int:
        start = match.end()
        line_end = self._text.find(b"\n", start)
        if line_end < 0:
            return self._end
        if self._text[start:line_end].rstrip().endswith((b" end", b";end")):
            return line_end
        return self._after(start, b"\n" + indent + b"end")

    def _next(self, _match: re.Match[bytes], _indent: bytes) -> int:
        return self._end

    def _after(self, start: int, closing: bytes) -> int:
        end = self._closed.get(closing, 0)
        if end < start:
            found = self._text.find(closing, start)
            end = self._text.find(b"\n", found + 1) if found >= 0 else -1
            end = end if end >= 0 else self._end
            self._closed[closing] = end
        return end


@cache
def _not_deeper(width: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n[ \t]{0,%d}+[^\s#)\]}]" % width)
