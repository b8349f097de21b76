"""Stretches of a text that stand in order and apart: each question is one look-up."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Row", "Span", "Spanned"]


class Spanned(Protocol):
    """Whatever has a half-open span of characters."""

    @property
    def start(self) -> int:
        """The first character."""

    @property
    def end(self) -> int:
        """The one after the last."""


class Span(NamedTuple):
    """A half-open span of characters."""

    start: int
    end: int


T = TypeVar("T", bound=Spanned)


class Row(Generic[T]):
    """Things that do not overlap, in the order of the text; none is empty."""

    def __init__(self, things: Iterable[T]) -> None:
        self._things = list(things)
        self._starts = [thing.start for thing in self._things]
        self._ends = [thing.end for thing in self._things]

    def touching(self, start: int, end: int) -> range:
        """Return the numbers of those that begin before `end` and end after `start`."""
        return range(
            bisect.bisect_right(self._ends, start),
            bisect.bisect_left(self._starts, end),
        )

    def holds(self, start: int, end: int) -> bool:
        """Tell whether one of them has the whole span."""
        return any(
            self._starts[number] <= start and end <= self._ends[number]
            for number in self.touching(start, end)[:1]
        )

    def near(self, start: int, end: int) -> Iterator[T]:
        """Give the neighbours of a span: on each side the last apart, the first touching.

        Any other is further away than these, or lies inside the span.
        """
        touching = self.touching(start, end)
        numbers = {*range(touching.start - 1, touching.start + 1)}
        numbers |= {*range(touching.stop - 1, touching.stop + 1)}
        for number in sorted(numbers):
            if 0 <= number < len(self._things):
                yield self._things[number]
