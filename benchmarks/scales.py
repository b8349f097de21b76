"""Sizes to measure at, and logarithmic axes: bounds, ticks, places, labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import attrs

__all__ = ["Scale", "bounds", "label", "rungs", "spaced", "ticks"]

_LEAST_SPAN = 10.0
_ROOM = 1.06
"""A mark has a width: its middle keeps so far from the edge."""
# From the finest to the coarsest; after them come only every second, third, ... decade.
_MANTISSAS = ((1, 2, 5), (1, 3), (1,))


@attrs.frozen
class Scale:
    """Where on a line of pixels a positive value stands."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.first + share * (self.last - self.first)


def bounds(values: Iterable[float]) -> tuple[float, float]:
    """Return round bounds around positive values, at least a decade apart.

    Less than a decade would make noise look like growth.
    """
    found = list(values)
    low, high = min(found), max(found)
    missing = _LEAST_SPAN / (high / low)
    if missing > 1:
        low, high = low / math.sqrt(missing), high * math.sqrt(missing)
    return _round(low / _ROOM, up=False), _round(high * _ROOM, up=True)


def _round(value: float, *, up: bool) -> float:
    """Return the nearest of 1, 2, 5, 10, ... that is not on the wrong side."""
    decade = math.floor(math.log10(value))
    near = [
        mantissa * 10.0**power
        for power in (decade, decade + 1)
        for mantissa in _MANTISSAS[0]
    ]
    # A hair's breadth: 1e3 must not become 2e3 because of its last binary digit.
    if up:
        return next(one for one in near if one >= value * (1 - 1e-9))
    return next(one for one in reversed(near) if one <= value * (1 + 1e-9))


def ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return as many round values from low to high as are at most so many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for step in range(1, last - first + 2):
        for mantissas in _MANTISSAS if step == 1 else ((1,),):
            found = [
                mantissa * 10.0**power
                for power in range(first, last + 1)
                if power % step == 0
                for mantissa in mantissas
                if low * (1 - 1e-9) <= mantissa * 10.0**power <= high * (1 + 1e-9)
            ]
            if len(found) <= most:
                return found
    return []


def label(value: float) -> str:
    """Return a number as people write it: 1,000 and 0.02."""
    return f"{value:,.12g}"


def spaced(places: Sequence[float], gap: float) -> list[float]:
    """Return the places moved apart, in their order, until each pair has the gap.

    Those that are too near form a group around their middle.
    """
    groups: list[list[int]] = []
    for at in sorted(range(len(places)), key=lambda at: places[at]):
        groups.append([at])
        while len(groups) > 1 and _overlap(groups[-2], groups[-1], places, gap):
            groups[-2:] = [groups[-2] + groups[-1]]
    found = list(places)
    for group in groups:
        for at, place in zip(group, _around(group, places, gap), strict=True):
            found[at] = place
    return found


def _around(group: list[int], places: Sequence[float], gap: float) -> list[float]:
    middle = sum(places[at] for at in group) / len(group)
    return [middle + (at - (len(group) - 1) / 2) * gap for at in range(len(group))]


def _overlap(
    one: list[int], other: list[int], places: Sequence[float], gap: float
) -> bool:
    return _around(other, places, gap)[0] - _around(one, places, gap)[-1] < gap - 1e-9


def rungs(total: int, most: int) -> list[int]:
    """Return at most so many sizes up to a total, each about three times the last."""
    decades = range(int(math.log10(max(total, 1))) + 1)
    below = [mantissa * 10**power for power in decades for mantissa in (1, 3)]
    near = [size for size in below if size <= 0.7 * total]
    return [*near[max(0, len(near) - most + 1) :], total] if most > 1 else [total]
