"""What bears on an intent within a scope: found by words, reranked over relations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from hsum._kernel.faults import Fault
from hythe.observe import observation_rows, relations
from hythe.observe.entities import load_entity, resolve_entity
from hythe.observe.model import Related, RelatedItem
from hythe.observe.ranking import rank
from hythe.observe.search import candidates
from hythe.observe.words import expression

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from hythe.model import Observation
    from hythe.observe.ranking import Ranked
    from hythe.observe.search import Found

__all__ = ["related"]

_HOPS = 2
_MOST_FOUND = 100
_MOST_RELATIONS = 300


def related(
    conn: sqlite3.Connection,
    store: int,
    names: Iterable[str],
    intent: str,
    *,
    budget: int,
    size: Callable[[Related], int],
) -> Related:
    """Return what bears on an intent, best first, within a budget.

    Args:
        conn: a reading connection.
        store: the number that the keys of the store begin with.
        names: the entities that the scope is made of.
        intent: words that say what is to be done.
        budget: the most that the answer may measure.
        size: measures an answer as it is handed over.

    Raises:
        Fault: `BUDGET_TOO_SMALL`, with the minimum.
    """
    scope = [n for name in names if (n := resolve_entity(conn, store, name))]
    found = _by_entity(conn, store, _found(conn, intent))
    items = [
        item
        for one in _ranked(conn, store, scope, found)
        for item in _items(conn, store, one, found.get(one.entity, ()))
    ]
    return _within(intent, items, budget, size)


def _found(conn: sqlite3.Connection, intent: str) -> list[Found]:
    asked = expression(intent)
    if asked is None:
        return []
    return candidates(conn, asked, superseded=False, limit=_MOST_FOUND)


def _by_entity(
    conn: sqlite3.Connection, store: int, found: Iterable[Found]
) -> dict[int, list[Found]]:
    """Gather what was found by entity, best first."""
    gathered: dict[int, list[Found]] = {}
    for one in found:
        entity = one.number if one.is_entity else _entity_of(conn, store, one.number)
        gathered.setdefault(entity, []).append(one)
    return gathered


def _entity_of(conn: sqlite3.Connection, store: int, number: int) -> int:
    row = conn.execute(
        "select entity from observation where store = ? and number = ?", (store, number)
    ).fetchone()
    return int(row[0])


def _ranked(
    conn: sqlite3.Connection,
    store: int,
    scope: Sequence[int],
    found: dict[int, list[Found]],
) -> list[Ranked]:
    near_found, near_scope = (
        relations.surroundings(conn, store, starts, hops=_HOPS, limit=_MOST_RELATIONS)
        for starts in (list(found), scope)
    )
    scores = {entity: hits[0].score for entity, hits in found.items()}
    return rank(scores, scope, near_found, near_scope)


def _items(
    conn: sqlite3.Connection, store: int, one: Ranked, found: Sequence[Found]
) -> list[RelatedItem]:
    """Return an entity with the observations found, and with its current one."""
    sequences = observation_rows.live_sequences(conn, store, one.entity, 1)
    current = [
        observation_rows.by_sequence(conn, store, one.entity, sequence)
        for sequence in sequences
    ]
    hits = [
        observation
        for hit in found
        if not hit.is_entity
        and (observation := observation_rows.by_number(conn, store, hit.number))
    ]
    shown: dict[str, Observation] = {each.id: each for each in (*hits, *current)}
    about = RelatedItem(
        entity=load_entity(conn, store, one.entity),
        observation=None,
        score=round(one.score, 6),
        hops=len(one.path),
        path=tuple(relations.identity_of(conn, store, number) for number in one.path),
        also_live_count=max(0, observation_rows.tally(conn, store, one.entity)[1] - 1),
    )
    return [
        attrs.evolve(about, observation=observation, is_current=observation in current)
        for observation in shown.values()
    ] or [about]


def _within(
    intent: str,
    items: Sequence[RelatedItem],
    budget: int,
    size: Callable[[Related], int],
) -> Related:
    def answer(chosen: Sequence[RelatedItem]) -> Related:
        left = len(items) - len(chosen)
        return Related(intent, tuple(chosen), len(items), budget, left)

    envelope = size(answer(()))
    if envelope > budget:
        raise Fault(
            "BUDGET_TOO_SMALL",
            f"the answer needs at least {envelope:,}",
            details={"budget": budget, "minimum": envelope},
        )
    chosen = _prefix(
        items, budget - envelope, lambda item: size(answer([item])) - envelope
    )
    # Costs need not add up, so the whole is measured.
    while chosen and size(answer(chosen)) > budget:
        chosen.pop()
    whole = answer(chosen)
    return attrs.evolve(whole, tokens=size(whole))


def _prefix(
    items: Sequence[RelatedItem], room: int, cost: Callable[[RelatedItem], int]
) -> list[RelatedItem]:
    chosen: list[RelatedItem] = []
    for item in items:
        room -= cost(item)
        if room < 0:
            break
        chosen.append(item)
    return chosen
