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
from hsum.index.symbols import outline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hsum.index.outline import Outline

__all__ = ["CUT_VERSION", "Passage", "cut"]

CUT_VERSION = 1

MAXIMUM = 1_800
"""No passage is longer, in bytes."""

_ROOMY = 1_400
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
    found = outline(data, language.name)
    passages = []
    start, line = 0, 1
    declared = 0
    for end in _ends(data, found, maximum):
        breaks = data.count(b"\n", start, end)
        last = line + breaks - (data[end - 1] == 0x0A)
        upto = bisect_left(found.starts, end, declared)
        passages.append(
            Passage(
                start,
                end,
                line,
                last,
                language.kind,
                found.scope_of(start, end),
                tuple(found.names[declared:upto][:_MOST_DECLARED]),
            )
        )
        start, line, declared = end, line + breaks, upto
    return tuple(passages)


def _ends(data: bytes, found: Outline, maximum: int) -> Iterator[int]:
    blank = b"\n\r\n" if b"\r\n" in data else b"\n\n"
    leads = [*found.leads, len(data)]
    levels = [*found.levels, -1]
    fences = found.fences
    start, size = 0, len(data)
    while start < size:
        end = _end(data, start, leads, levels, blank, maximum)
        if fences:
            end = _outside_fence(start, end, fences, maximum)
        yield end
        start = end


def _end(
    data: bytes,
    start: int,
    leads: list[int],
    levels: list[int],
    blank: bytes,
    maximum: int,
) -> int:
    """Return where the passage from *start* ends.

    Before the outermost declaration within reach, or else so that what is left of this
    one falls into equal pieces.
    """
    roomy = maximum * _ROOMY // MAXIMUM
    after = bisect_right(leads, start + roomy)
    if after == len(leads):
        return len(data)
    outermost = _outermost(leads, levels, after, start + maximum // 4)
    if outermost:
        return outermost
    following = leads[after]
    if following - start <= maximum:
        return following
    before = leads[after - 1] if after else 0
    if before >= start + maximum // 9:
        return before
    pieces = -((start - following) // roomy)
    ideal = start + (following - start) // pieces
    return _near(data, start, ideal, blank, maximum)


def _outermost(leads: list[int], levels: list[int], after: int, low: int) -> int:
    best, level = 0, 1 << 16
    for at in range(after - 1, -1, -1):
        if leads[at] < low:
            break
        if levels[at] < level:
            best, level = leads[at], levels[at]
    return best


def _near(data: bytes, start: int, ideal: int, blank: bytes, maximum: int) -> int:
    limit = start + maximum
    found = data.rfind(blank, ideal - maximum // 4, min(limit, ideal + maximum // 8))
    if found > start:
        return found + len(blank)
    found = data.rfind(b"\n", start, ideal)
    if found < 0:
        found = data.find(b"\n", ideal, limit)
    return found + 1 if found >= 0 else _within_line(data, start, limit)


def _within_line(data: bytes, start: int, limit: int) -> int:
    space = data.rfind(b" ", (start + limit) // 2, limit)
    if space >= 0:
        return space + 1
    for end in range(limit, limit - 4, -1):
        if data[end] & 0xC0 != 0x80:
            return end
    return limit


def _outside_fence(
    start: int, end: int, fences: list[tuple[int, int]], maximum: int
) -> int:
    at = bisect_right(fences, (end, 0)) - 1
    if at < 0:
        return end
    opening, closing = fences[at]
    if not opening < end < closing or closing - opening > maximum:
        return end
    return opening if opening > start else closing


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
