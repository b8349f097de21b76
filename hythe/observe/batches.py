"""Several things about entities in one transaction, or in one snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hythe.observe.entities import get_entity
from hythe.observe.model import EntityDetail
from hythe.observe.observations import (
    current_observation,
    list_observations,
    observe,
)
from hythe.observe.relations import list_relations, relate

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from hythe.model import Observation, Relation
    from hythe.observe.requests import NewObservation, NewRelation
    from hythe.observe.stamp import Stamp

__all__ = ["detail", "observe_all", "relate_all"]


def observe_all(
    conn: sqlite3.Connection, stamp: Stamp, news: Sequence[NewObservation]
) -> list[Observation]:
    """Record observations in order."""
    return [observe(conn, stamp, new) for new in news]


def relate_all(
    conn: sqlite3.Connection, stamp: Stamp, news: Sequence[NewRelation]
) -> list[Relation]:
    """Record relations in order."""
    return [relate(conn, stamp, new) for new in news]


def detail(
    conn: sqlite3.Connection, store: int, name: str, limit: int, reread: Any
) -> EntityDetail:
    """Return an entity, what holds of it, and what it is related to."""
    return EntityDetail(
        get_entity(conn, store, name),
        current_observation(conn, store, name, reread),
        list_observations(conn, store, name, live=False, limit=limit, cursor=None),
        list_relations(conn, store, name, limit=limit, cursor=None),
    )
