"""Pack the passages of one revision into a small blob, and unpack it.

The layout: one byte `FORMAT`, then, deflated, one byte of kind, the count, two columns
of little-endian 16-bit numbers (the bytes of each passage, with the high bit set where
it ends within a line; its line feeds but the last), and one UTF-8 line for each: the
symbol and the names declared, between tabs. What deflates badly is deflated, too: the
checksum at its end tells damage.
"""

from __future__ import annotations

import itertools
import struct
import zlib
from typing import TYPE_CHECKING, Final

from hsum.index.languages import KINDS, Kind
from hsum.index.passages import Passage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["FORMAT", "pack", "unpack"]

FORMAT: Final = 1
"""The layout written; every earlier one stays readable."""

_WITHIN_LINE: Final = 0x8000
_COUNT: Final = struct.Struct("<I")


def pack(passages: Sequence[Passage]) -> bytes:
    """Pack *passages*, all those of one revision in their order."""
    if not passages:
        return bytes((FORMAT, 0))
    kind = KINDS.index(passages[0].kind)
    return bytes((FORMAT,)) + zlib.compress(bytes((kind,)) + _body(passages), 6)


def unpack(blob: bytes) -> tuple[Passage, ...]:
    """Return the passages that `pack` was given.

    Raises:
        ValueError: The blob is none of ours, or of a later format.
        zlib.error: It is damaged.
    """
    if len(blob) < 2 or blob[0] != FORMAT:
        raise ValueError(f"not a cut of format {FORMAT}")
    if len(blob) == 2:
        return ()
    body = zlib.decompress(blob[1:])
    return _passages(body[1:], KINDS[body[0]])


def _body(passages: Sequence[Passage]) -> bytes:
    column = f"<{len(passages)}H"
    symbols = "\n".join(["\t".join((p.symbol, *p.declares)) for p in passages])
    return b"".join(
        (
            _COUNT.pack(len(passages)),
            struct.pack(column, *_sizes(passages)),
            struct.pack(column, *[p.last_line - p.first_line for p in passages]),
            symbols.encode(),
        )
    )


def _sizes(passages: Sequence[Passage]) -> Iterable[int]:
    for passage, after in itertools.pairwise(passages):
        within = passage.last_line == after.first_line
        yield passage.end - passage.start | (_WITHIN_LINE if within else 0)
    yield passages[-1].end - passages[-1].start


def _passages(body: bytes, kind: Kind) -> tuple[Passage, ...]:
    (count,) = _COUNT.unpack_from(body)
    column = struct.Struct(f"<{count}H")
    sizes = column.unpack_from(body, _COUNT.size)
    lines = column.unpack_from(body, _COUNT.size + column.size)
    symbols = body[_COUNT.size + 2 * column.size :].decode().split("\n")
    passages = []
    start, first = 0, 1
    for size, more, names in zip(sizes, lines, symbols, strict=True):
        end, last = start + (size & ~_WITHIN_LINE), first + more
        symbol, *declares = names.split("\t")
        passages.append(Passage(start, end, first, last, kind, symbol, tuple(declares)))
        start, first = end, last if size & _WITHIN_LINE else last + 1
    return tuple(passages)
