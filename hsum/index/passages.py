"""Cut a revision into passages: contiguous spans that cover it byte for byte.

Everything is decided on bytes, because citations name bytes; UTF-16 is cut as UTF-8 and
mapped back. A cut is a pure function of bytes, path and encoding, and `CUT_VERSION`
names the function: it is raised whenever the same bytes would be cut otherwise.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

import attrs

from hsum.index.languages import Kind, language_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hsum.index.outline import Outline

__all__ = ["CUT_VERSION", "Passage", "cut"]

CUT_VERSION = 1

MAXIMUM = 1_800
"""No passage is longer, in bytes."""

_ROOMY = 1_500
_MOST_DECLARED = 16


@attrs.frozen
class Passage:
    """Bytes `start` to `end` (half-open) of a revision, on lines first to last.

    `symbol` is the path of the scope that holds at least half of it, `Class.method` or
    `Guide > Install`, or empty; `declares` are the names declared in it.
    """

    start: int
    end: int
    first_line: int
    last_line: int
    kind: Kind
    symbol: str
    declares: tuple[str, ...]


def cut(data: bytes, *, path: bytes, encoding: str) -> tuple[Passage, ...]:
    """Cut *data*, the whole bytes of a file, into passages.

    An empty file has none. A passage starts at the start of a line, except within a
    line longer than `MAXIMUM`, which is cut at a space or a character's border. Lines
    are 1-based, inclusive, and end at LF only, whatever the *encoding*.
    """
    if encoding.lower().replace("_", "-").startswith("utf-16"):
        return _cut_utf16(data, path=path, encoding=encoding)
    return _passages(data, path, MAXIMUM)


def _passages(data: bytes, path: bytes, maximum: int) -> tuple[Passage, ...]:
    language = language_of(path, data[:4_096])
    # Its patterns take 30 ms to compile, which a search should not wait for.
    from hsum.index.symbols import outline

    found = outline(data, language.name)
    starts, kind, names = found.starts, language.kind, found.declared()
    passages = []
    start, line, declared = 0, 1, 0
    for end in _Borders(data, found, maximum).ends():
        breaks = data.count(b"\n", start, end)
        last = line + breaks - (data[end - 1] == 0x0A)
        upto = bisect_left(starts, end, declared)
        declares = tuple(names[declared : min(upto, declared + _MOST_DECLARED)])
        symbol = found.scope_of(start, end)
        passages.append(Passage(start, end, line, last, kind, symbol, declares))
        start, line, declared = end, line + breaks, upto
    return tuple(passages)


class _Borders:
    """Where the passages of one text end."""

    def __init__(self, data: bytes, found: Outline, maximum: int) -> None:
        self._data = data
        self._leads = [*found.leads, len(data)]
        self._levels = [*found.levels, -1]
        self._fences = found.fences
        self._blank = b"\n\r\n" if b"\r\n" in data else b"\n\n"
        self._maximum = maximum
        self._roomy = maximum * _ROOMY // MAXIMUM

    def ends(self) -> Iterator[int]:
        start = 0
        while start < len(self._data):
            end = self._end(start)
            start = self._outside_fence(start, end) if self._fences else end
            yield start

    def _end(self, start: int) -> int:
        """Return where the passage from *start* ends.

        Before the outermost declaration within reach, or else so that what is left of
        the present one falls into equal pieces.
        """
        after = bisect_right(self._leads, start + self._roomy)
        if after == len(self._leads):
            return len(self._data)
        outermost = self._outermost(after, start + self._maximum // 4)
        if outermost:
            return outermost
        following = self._leads[after]
        if following - start <= self._maximum:
            return following
        before = self._leads[after - 1] if after else 0
        if before >= start + self._maximum // 9:
            return before
        pieces = -((start - following) // self._roomy)
        return self._near(start, start + (following - start) // pieces)

    def _outermost(self, after: int, low: int) -> int:
        best, level = 0, 1 << 16
        for at in range(after - 1, -1, -1):
            if self._leads[at] < low:
                break
            if self._levels[at] < level:
                best, level = self._leads[at], self._levels[at]
        return best

    def _near(self, start: int, ideal: int) -> int:
        """Return a place near *ideal*: after a blank line, a line, or a space."""
        data, limit = self._data, start + self._maximum
        reach = min(limit, ideal + self._maximum // 8)
        found = data.rfind(self._blank, ideal - self._maximum // 4, reach)
        if found > start:
            return found + len(self._blank)
        found = data.rfind(b"\n", start, ideal)
        if found < 0:
            found = data.find(b"\n", ideal, limit)
        return found + 1 if found >= 0 else _within_line(data, start, limit)

    def _outside_fence(self, start: int, end: int) -> int:
        at = bisect_right(self._fences, (end, 0)) - 1
        opening, closing = self._fences[at] if at >= 0 else (end, end)
        if not opening < end < closing or closing - opening > self._maximum:
            return end
        return opening if opening > start else closing


def _within_line(data: bytes, start: int, limit: int) -> int:
    space = data.rfind(b" ", (start + limit) // 2, limit)
    if space >= 0:
        return space + 1
    for end in range(limit, limit - 4, -1):
        if data[end] & 0xC0 != 0x80:
            return end
    return limit


def _cut_utf16(data: bytes, *, path: bytes, encoding: str) -> tuple[Passage, ...]:
    """Cut the UTF-8 image of *data* and map the borders back.

    `surrogatepass` makes the mapping exact for lone surrogates too; an odd last byte
    belongs to the last passage.
    """
    codec = _utf16_codec(data, encoding)
    whole = len(data) & ~1
    image = data[:whole].decode(codec, "surrogatepass").encode("utf-8", "surrogatepass")
    passages = []
    at = 0
    for passage in _passages(image, path, MAXIMUM // 2):
        text = image[passage.start : passage.end].decode("utf-8", "surrogatepass")
        end = at + len(text.encode(codec, "surrogatepass"))
        passages.append(attrs.evolve(passage, start=at, end=end))
        at = end
    if whole < len(data):
        passages[-1:] = _with_odd_byte(passages, len(data), path)
    return tuple(passages)


def _utf16_codec(data: bytes, encoding: str) -> str:
    big = encoding.lower().endswith("be") or data.startswith(b"\xfe\xff")
    return "utf-16-be" if big else "utf-16-le"


def _with_odd_byte(passages: list[Passage], size: int, path: bytes) -> list[Passage]:
    if passages:
        return [attrs.evolve(passages[-1], end=size)]
    return [Passage(0, size, 1, 1, language_of(path).kind, "", ())]
