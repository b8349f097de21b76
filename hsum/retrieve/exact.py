r"""Prove that a needle stands in stored bytes, as `rg -Fw` would find it.

The bytes stand there as they were typed, and no word character stands directly
before or after. A word character is Unicode's `\w` (UTS #18): letters, marks, decimal
digits, connectors and joiners, but not superscripts and fractions, which Python counts as well.
A byte that is no UTF-8 spoils a match as a letter does: in the file's own encoding it may be one.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hsum.index.passages import Passage

__all__ = ["MARGIN", "is_word", "needle_bytes", "occurrences", "smallest_run"]

MARGIN: Final = 4
"""Bytes that are looked at beside a needle: the longest character."""

_WORD_CATEGORIES: Final = frozenset(
    ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc")
)
_JOINERS: Final = "\u200c\u200d"
# Circled and squared letters: alphabetic, though their category is So.
_CIRCLED: Final = (
    (0x24B6, 0x24E9),
    (0x1F130, 0x1F149),
    (0x1F150, 0x1F169),
    (0x1F170, 0x1F189),
)


@lru_cache(maxsize=4_096)
def is_word(character: str) -> bool:
    """Tell whether a character is of a word."""
    if character.isascii():
        return character.isalnum() or character == "_"
    return (
        unicodedata.category(character) in _WORD_CATEGORIES
        or character in _JOINERS
        or any(low <= ord(character) <= high for low, high in _CIRCLED)
    )


def needle_bytes(needle: str, encoding: str) -> bytes:
    """Return the bytes that a needle is in a file of this encoding."""
    return needle.encode(encoding if encoding.startswith("utf-16") else "utf-8")


def occurrences(
    data: bytes, needle: bytes, encoding: str, *, offset: int = 0
) -> Iterator[tuple[int, int]]:
    """Yield the half-open spans where `needle` stands whole in `data`, overlapping too.

    Args:
        data: bytes of a file; what lies beyond them counts as no word character.
        needle: as `needle_bytes` gives it.
        encoding: the file's.
        offset: where `data` starts in the file; spans are the file's.
    """
    wide = encoding.startswith("utf-16")
    at = data.find(needle)
    while at >= 0:
        end = at + len(needle)
        aligned = not wide or (offset + at) % 2 == 0
        if aligned and not _inside_word(data, at, end, encoding):
            yield offset + at, offset + end
        at = data.find(needle, at + 1)


def _inside_word(data: bytes, start: int, end: int, encoding: str) -> bool:
    if not encoding.startswith("utf-16"):
        before, after = data[start - 1 : start], data[end : end + 1]
        if before.isascii() and after.isascii():
            return (
                before.isalnum() or before == b"_" or after.isalnum() or after == b"_"
            )
    return _ends_in_word(data[max(0, start - MARGIN) : start], encoding) or (
        _begins_with_word(data[end : end + MARGIN], encoding)
    )


def _ends_in_word(data: bytes, encoding: str) -> bool:
    if encoding.startswith("utf-16"):
        text = data[len(data) % 2 :].decode(encoding, "replace")
        return is_word(text[-1:] or " ")
    for size in range(1, MARGIN + 1):
        try:
            return is_word(data[-size:].decode()[-1:] or " ")
        except UnicodeDecodeError:
            continue
    return True


def _begins_with_word(data: bytes, encoding: str) -> bool:
    if encoding.startswith("utf-16"):
        return is_word(data[: len(data) & ~1].decode(encoding, "replace")[:1] or " ")
    for size in range(1, MARGIN + 1):
        try:
            return is_word(data[:size].decode()[:1] or " ")
        except UnicodeDecodeError:
            continue
    return True


def smallest_run(passages: Sequence[Passage], start: int, end: int) -> tuple[int, int]:
    """Return the first and the last ordinal of the passages that hold `[start, end)`."""
    first = bisect_right(passages, start, key=_start) - 1
    last = bisect_right(passages, max(start, end - 1), key=_start) - 1
    return max(first, 0), max(last, 0)


def _start(passage: Passage) -> int:
    return passage.start
