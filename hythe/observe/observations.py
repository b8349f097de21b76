"""Observations in the store: written once, corrected only by further ones.

What is live (no other observation of the entity supersedes it) is derived, and kept
in the transaction that writes, so that the current one costs the same however long
the history is.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import attrs

from hsum._kernel import cursors
from hsum._kernel.faults import Fault
from hythe.model import Current, Observation, Page
from hythe.observe import keys
from hythe.observe import observation_rows as rows
from hythe.observe.entities import (
    ensure_entity,
    entity_identity,
    entity_name,
    resolve_entity,
)
from hythe.observe.model import Late

if TYPE_CHECKING:
    from hythe.observe.requests import NewObservation
    from hythe.observe.stamp import Stamp

__all__ = [
    "current_observation",
    "get_observation",
    "list_observations",
    "observe",
]

Reread = Callable[
    [Callable[[sqlite3.Connection], tuple[Observation, ...]]], tuple[Observation, ...]
]

_ALSO_LIVE = 20


def observe(conn: sqlite3.Connection, stamp: Stamp, new: NewObservation) -> Observation:
    """Record an observation; its entity is made where the name is new.

    Raises:
        Fault: `KEY_REUSED`; `NOT_FOUND` where `supersedes` names anything but an
            observation of this entity.
    """
    number = resolve_entity(conn, stamp.store, new.entity)
    first = keys.recorded(conn, stamp, new.key, _fingerprint(conn, stamp, new, number))
    if first is not None:
        found = get_observation(conn, stamp.store, first)
        return attrs.evolve(found, replayed=True)
    if number is None:
        number = ensure_entity(conn, stamp, new.entity)
    older = _superseded(conn, stamp.store, number, new)
    observation = rows.insert(conn, stamp, number, new, older)
    wanted = _fingerprint(conn, stamp, new, number)
    keys.remember(
        conn, stamp, new.key, wanted, operation="observe", result=observation.id
    )
    return observation


def current_observation(
    conn: sqlite3.Connection, store: int, name: str, reread: Reread
) -> Current:
    """Return the newest live observation and those that it leaves standing.

    Where these fill the list, as after many plain appends, they are read when they
    are looked at: `reread` runs a function on a later snapshot.
    """
    number = resolve_entity(conn, store, name)
    if number is None:
        return Current(name, None)
    sequences = rows.live_sequences(conn, store, number, _ALSO_LIVE + 1)
    if not sequences:
        return Current(entity_name(conn, store, number), None)
    first, *others = sequences
    current = rows.by_sequence(conn, store, number, first)
    live = rows.tally(conn, store, number)[1]

    def read(at: sqlite3.Connection) -> tuple[Observation, ...]:
        return tuple(rows.by_sequence(at, store, number, each) for each in others)

    few = len(others) < _ALSO_LIVE
    shown = read(conn) if few else Late(len(others), lambda: reread(read))
    return Current(current.entity, current, shown, live - 1)


def list_observations(
    conn: sqlite3.Connection,
    store: int,
    name: str,
    *,
    live: bool,
    limit: int,
    cursor: str | None,
) -> Page[Observation]:
    """Return the observations of an entity, newest first; with `live` those alone."""
    number = resolve_entity(conn, store, name)
    if number is None:
        return Page(())
    kind = f"observations:{number}:{int(live)}"
    before = (
        cursors.decode(kind, cursor, before=int)["before"]
        if cursor is not None
        else None
    )
    found = rows.newest(conn, store, number, limit=limit + 1, live=live, before=before)
    more = len(found) > limit
    page = found[:limit]
    return Page(
        page, cursors.encode(kind, {"before": page[-1].sequence}) if more else None
    )


def get_observation(conn: sqlite3.Connection, store: int, identity: str) -> Observation:
    """Return one observation by id.

    Raises:
        Fault: `NOT_FOUND`, `INTEGRITY_FAILED`.
    """
    found = rows.by_id(conn, store, identity)
    if found is None:
        raise _unknown([identity])
    return found


# --- what is superseded -------------------------------------------------------------


def _fingerprint(
    conn: sqlite3.Connection, stamp: Stamp, new: NewObservation, number: int | None
) -> str:
    if new.key is None:
        return ""
    entity = None if number is None else entity_identity(conn, stamp.store, number)
    return keys.fingerprint("observe", stamp.author, **new.request(entity))


def _superseded(
    conn: sqlite3.Connection, store: int, number: int, new: NewObservation
) -> list[int]:
    """Return the sequences that the new observation supersedes, in order."""
    named = _sequences(conn, store, number, new.supersedes)
    if new.replaces_current:
        named.update(rows.live_sequences(conn, store, number, 1))
    return sorted(named)


def _sequences(
    conn: sqlite3.Connection, store: int, number: int, ids: Sequence[str]
) -> set[int]:
    if not ids:
        return set()
    found = conn.execute(
        "select id, sequence from observation where store = ? and entity = ? "
        "and id in (select value from json_each(?))",
        (store, number, json.dumps(ids)),
    )
    known = dict(found.fetchall())
    unknown = [identity for identity in ids if identity not in known]
    if unknown:
        raise _unknown(unknown)
    return set(known.values())


def _unknown(ids: Sequence[str]) -> Fault:
    return Fault(
        "NOT_FOUND",
        f"no observation of this entity has the id {ids[0]!r}"
        + (f", nor {len(ids) - 1:,} more" if len(ids) > 1 else ""),
        hint="Take ids from current_observation or observations of this entity.",
        details={"ids": list(ids[:100]), "count": len(ids)},
    )
