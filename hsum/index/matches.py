"""A passage that the lexical index found, with its place in one number."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hsum.index.languages import KINDS

if TYPE_CHECKING:
    from hsum.index.languages import Kind

__all__ = ["Match", "place_of"]

# The place: version, ordinal, kind, from the highest bits to the lowest.
_KIND_BITS = 2
_KIND = (1 << _KIND_BITS) - 1
_ORDINAL_BITS = 24
_ORDINALS = (1 << _ORDINAL_BITS) - 1
VERSION_SHIFT = _ORDINAL_BITS + _KIND_BITS
"""What is left of a place, shifted right by so much, is the version's key."""


class Match(NamedTuple):
    """One passage that an expression found.

    Attributes:
        score: higher is better.
        place: names the passage; within a version places ascend with ordinals.
        digest: what passages of equal bytes share.
    """

    score: float
    place: int
    digest: int

    @property
    def version(self) -> int:
        """The key of its version."""
        return self.place >> VERSION_SHIFT

    @property
    def ordinal(self) -> int:
        """Its place in its revision, from 0."""
        return self.place >> _KIND_BITS & _ORDINALS

    @property
    def kind(self) -> Kind:
        """What sort of text it is."""
        return KINDS[self.place & _KIND]


def place_of(version: int, ordinal: int, kind: Kind) -> int:
    """Return the number that names a passage."""
    at = version << _ORDINAL_BITS | ordinal & _ORDINALS
    return at << _KIND_BITS | KINDS.index(kind)
