"""Walk outwards from entities over relations, breadth first and within limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Edge", "Step", "Walk", "spread"]


@final
@attrs.frozen
class Edge:
    """A relation as the numbers of itself and its two ends."""

    number: int
    source: int
    target: int

    def other(self, end: int) -> int:
        """Return the end that is not `end`."""
        return self.target if end == self.source else self.source


@final
@attrs.frozen
class Step:
    """How an entity was reached: over `path`, the relations' numbers in order."""

    hops: int
    path: tuple[int, ...] = ()


@final
@attrs.define
class Walk:
    """Where a walk came, nearest first, and how many relations it left out."""

    steps: dict[int, Step]
    edges: dict[int, Edge] = attrs.field(factory=dict)
    left_out: int = 0

    def follow(self, entity: int, edge: Edge) -> list[int]:
        """Take an edge; return the entity it leads to if that is new."""
        self.edges[edge.number] = edge
        other = edge.other(entity)
        if other in self.steps:
            return []
        here = self.steps[entity]
        self.steps[other] = Step(here.hops + 1, (*here.path, edge.number))
        return [other]


def spread(
    starts: Sequence[int],
    *,
    hops: int,
    limit: int,
    edges_of: Callable[[int, int], Sequence[Edge]],
    degree_of: Callable[[int], int],
) -> Walk:
    """Return what lies within `hops` of `starts`, over at most `limit` relations.

    Args:
        starts: numbers of entities, at no hops.
        hops: how far to go.
        limit: the most relations to take; nearer and newer ones come first.
        edges_of: gives up to so many relations of an entity, newest first.
        degree_of: tells how many relations an entity has.
    """
    walk = Walk({start: Step(0) for start in starts})
    frontier = list(walk.steps)
    for _ in range(hops):
        frontier = [
            reached
            for entity in frontier
            for reached in _expand(walk, entity, limit, edges_of, degree_of)
        ]
    return walk


def _expand(
    walk: Walk,
    entity: int,
    limit: int,
    edges_of: Callable[[int, int], Sequence[Edge]],
    degree_of: Callable[[int], int],
) -> list[int]:
    reached: list[int] = []
    known = 0
    # Relations taken from the other end cost nothing, so ask for as many more.
    for edge in edges_of(entity, limit + 1):
        if edge.number in walk.edges:
            known += 1
        elif len(walk.edges) < limit:
            known += 1
            reached += walk.follow(entity, edge)
    walk.left_out += degree_of(entity) - known
    return reached
