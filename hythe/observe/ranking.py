"""Rank what a search found, and what lies near it, for an intent within a scope."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hythe.observe.neighbors import Step, Walk

__all__ = ["Ranked", "rank"]

# Each relation away halves what a find is worth; the scope itself is worth half of
# the best find, so that its surroundings come up though no word matches.
_DECAY = 0.5
_SCOPE_SHARE = 0.5


@final
@attrs.frozen
class Ranked:
    """An entity, what it is worth, and the relations (numbers) that lead to it."""

    entity: int
    score: float
    path: tuple[int, ...] = ()


def rank(
    found: Mapping[int, float], scope: Sequence[int], near_found: Walk, near_scope: Walk
) -> list[Ranked]:
    """Return entities, best first.

    What was found counts more the nearer it lies to the scope; what was not found
    counts by what leads to it.

    Args:
        found: entities that the search found, with their scores.
        scope: the entities that the scope is made of.
        near_found: the walk from the found ones.
        near_scope: the walk from those of the scope.
    """
    worth = _worth(found, scope)
    ranked: dict[int, Ranked] = {}
    for walk in (near_found, near_scope):
        for entity, step in walk.steps.items():
            score = worth[_origin(walk, entity, step)] * _DECAY**step.hops
            _keep(ranked, Ranked(entity, score, step.path))
    raised = (_raised(one, found, near_scope) for one in ranked.values())
    return sorted(raised, key=lambda one: (-one.score, one.entity))


def _worth(found: Mapping[int, float], scope: Sequence[int]) -> dict[int, float]:
    best = max(found.values(), default=1.0)
    return {**dict.fromkeys(scope, best * _SCOPE_SHARE), **found}


def _origin(walk: Walk, entity: int, step: Step) -> int:
    for number in reversed(step.path):
        entity = walk.edges[number].other(entity)
    return entity


def _keep(ranked: dict[int, Ranked], one: Ranked) -> None:
    known = ranked.get(one.entity)
    if known is None or known.score < one.score:
        ranked[one.entity] = one


def _raised(one: Ranked, found: Mapping[int, float], near_scope: Walk) -> Ranked:
    step = near_scope.steps.get(one.entity)
    if one.entity not in found or step is None:
        return one
    return attrs.evolve(one, score=one.score * (1 + _DECAY**step.hops))
