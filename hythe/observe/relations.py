"""Relations between entities, and the bounded neighbourhood of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import attrs

from hsum._kernel import cursors
from hsum._kernel.canonical import canonical
from hythe.model import Page, Relation
from hythe.observe import keys
from hythe.observe.entities import (
    ensure_entity,
    entity_identity,
    load_entity,
    require_entity,
)
from hythe.observe.model import Near, Neighborhood
from hythe.observe.neighbors import Edge, Walk, spread
from hythe.observe.rows import damaged, hash_of, insert_row, moment, row_digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from hythe.observe.requests import NewRelation
    from hythe.observe.stamp import Stamp

__all__ = [
    "identity_of",
    "list_relations",
    "neighborhood",
    "problems",
    "relate",
    "surroundings",
]

_COLUMNS = (
    "r.number, r.id, r.source, r.type, r.target, r.evidence, r.author, r.proven, "
    "r.recorded_at, r.digest, a.id, a.name, b.id, b.name, r.evidence_hash"
)
_FROM = (
    "relation r join entity a on a.store = r.store and a.number = r.source "
    "join entity b on b.store = r.store and b.number = r.target"
)
_SELECT = f"select {_COLUMNS} from {_FROM} where r.store = ?"


def relate(
    conn: sqlite3.Connection, stamp: Stamp, new: NewRelation, key: str | None = None
) -> Relation:
    """Record a relation; one with the same ends, type and evidence is given back.

    Its ends are made where their names are new.

    Raises:
        Fault: `KEY_REUSED`.
    """
    wanted = keys.fingerprint("relate", stamp.author, **new.request())
    first = keys.recorded(conn, stamp, key, wanted)
    if first is not None:
        return attrs.evolve(_by_id(conn, stamp.store, first), replayed=True)
    made = _relate(conn, stamp, new)
    keys.remember(conn, stamp, key, wanted, operation="relate", result=made.id)
    return made


def _relate(conn: sqlite3.Connection, stamp: Stamp, new: NewRelation) -> Relation:
    source = ensure_entity(conn, stamp, new.source)
    target = ensure_entity(conn, stamp, new.target)
    evidence = canonical(new.evidence)
    row = conn.execute(
        "select number from relation where store = ? and source = ? and type = ? "
        "and target = ? and evidence_hash = ?",
        (stamp.store, source, new.type, target, hash_of(evidence)),
    ).fetchone()
    if row is not None:
        return attrs.evolve(_one(conn, stamp.store, row[0]), replayed=True)
    return _insert(conn, stamp, (source, target), new.type, evidence)


def _by_id(conn: sqlite3.Connection, store: int, identity: str) -> Relation:
    row = conn.execute(
        "select number from relation where store = ? and id = ?", (store, identity)
    ).fetchone()
    return _one(conn, store, row[0])


def list_relations(
    conn: sqlite3.Connection, store: int, name: str, *, limit: int, cursor: str | None
) -> Page[Relation]:
    """Return the relations from and to an entity, newest first.

    Raises:
        Fault: `NOT_FOUND`.
    """
    entity = require_entity(conn, store, name)
    kind = f"relations:{entity}"
    before = (
        cursors.decode(kind, cursor, before=int)["before"]
        if cursor is not None
        else _END
    )
    numbers = _incident(conn, store, entity, limit + 1, before)
    page = numbers[:limit]
    more = len(numbers) > limit
    return Page(
        tuple(_one(conn, store, number) for number in page),
        cursors.encode(kind, {"before": page[-1]}) if more else None,
    )


def neighborhood(
    conn: sqlite3.Connection, store: int, name: str, *, hops: int, limit: int
) -> Neighborhood:
    """Return what lies within `hops` relations of an entity, nearest first.

    Raises:
        Fault: `NOT_FOUND`.
    """
    start = require_entity(conn, store, name)
    walk = surroundings(conn, store, [start], hops=hops, limit=limit)
    edges = {number: _one(conn, store, number) for number in walk.edges}
    near = tuple(
        Near(
            load_entity(conn, store, entity),
            step.hops,
            tuple(edges[number].id for number in step.path),
        )
        for entity, step in walk.steps.items()
        if step.hops
    )
    return Neighborhood(
        load_entity(conn, store, start),
        hops,
        near,
        tuple(edges.values()),
        walk.left_out,
    )


_END = 2**62  # above every number


def surroundings(
    conn: sqlite3.Connection,
    store: int,
    starts: Sequence[int],
    *,
    hops: int,
    limit: int,
) -> Walk:
    """Walk from entities over relations, within limits; see `neighbors.spread`."""
    return spread(
        starts,
        hops=hops,
        limit=limit,
        edges_of=lambda entity, most: _edges(conn, store, entity, most),
        degree_of=lambda entity: _degree(conn, store, entity),
    )


def identity_of(conn: sqlite3.Connection, store: int, number: int) -> str:
    """Return the id of the relation of this number."""
    row = conn.execute(
        "select id from relation where store = ? and number = ?", (store, number)
    ).fetchone()
    return str(row[0])


# --- rows ---------------------------------------------------------------------------


def _insert(
    conn: sqlite3.Connection,
    stamp: Stamp,
    ends: tuple[int, int],
    kind: str,
    body: bytes,
) -> Relation:
    number = _next_number(conn, stamp.store)
    row = {"id": stamp.new_id(), "type": kind, "evidence_hash": hash_of(body)}
    row |= stamp.fields
    source, target = (entity_identity(conn, stamp.store, end) for end in ends)
    guard = row_digest("relation", source=source, target=target, **row)
    place = {"store": stamp.store, "number": number}
    place |= {"source": ends[0], "target": ends[1]}
    insert_row(conn, "relation", {**place, **row, "evidence": body, "digest": guard})
    for end in set(ends):
        conn.execute(
            "update entity_tally set relations = relations + 1 "
            "where store = ? and entity = ?",
            (stamp.store, end),
        )
    return _one(conn, stamp.store, number)


def _next_number(conn: sqlite3.Connection, store: int) -> int:
    # Relations are never removed, so that the greatest number is the counter.
    row = conn.execute(
        "select coalesce(max(number), 0) + 1 from relation where store = ?", (store,)
    ).fetchone()
    return int(row[0])


def _incident(
    conn: sqlite3.Connection, store: int, entity: int, limit: int, before: int
) -> list[int]:
    rows = conn.execute(
        "select number from relation where store = ?1 and source = ?2 and number < ?3 "
        "union all select number from relation where store = ?1 and target = ?2 "
        "and source <> ?2 and number < ?3 order by number desc limit ?4",
        (store, entity, before, limit),
    )
    return [row[0] for row in rows]


def _edges(conn: sqlite3.Connection, store: int, entity: int, limit: int) -> list[Edge]:
    rows = conn.execute(
        "select number, source, target from relation where store = ?1 "
        "and source = ?2 union all select number, source, target from relation "
        "where store = ?1 and target = ?2 and source <> ?2 "
        "order by number desc limit ?3",
        (store, entity, limit),
    )
    return [Edge(*row) for row in rows]


def _degree(conn: sqlite3.Connection, store: int, entity: int) -> int:
    row = conn.execute(
        "select relations from entity_tally where store = ? and entity = ?",
        (store, entity),
    ).fetchone()
    return int(row[0])


def _one(conn: sqlite3.Connection, store: int, number: int) -> Relation:
    row = conn.execute(f"{_SELECT} and r.number = ?", (store, number)).fetchone()
    if _is_damaged(row):
        raise damaged("relation", row[1])
    _, identity, _, kind, _, evidence, author, proven, recorded_at, _ = row[:10]
    return Relation(
        id=identity,
        source=row[11],
        type=kind,
        target=row[13],
        evidence=tuple(json.loads(evidence)),
        author=author,
        recorded_at=moment(recorded_at),
        proven=bool(proven),
    )


def _is_damaged(row: Sequence[Any]) -> bool:
    hashed = hash_of(row[5])
    expected = row_digest(
        "relation",
        id=row[1],
        source=row[10],
        type=row[3],
        target=row[12],
        evidence_hash=hashed,
        author=row[6],
        proven=bool(row[7]),
        recorded_at=row[8],
    )
    return bool(expected != row[9] or hashed != row[14])


def problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each relation that is not as it was written."""
    for row in conn.execute(f"{_SELECT} order by r.number", (store,)):
        if _is_damaged(row):
            yield f"relation {row[1]} is not as it was written"
    found = conn.execute(
        "select e.name, t.relations, (select count(*) from relation r "
        "where r.store = e.store and r.source = e.number) + (select count(*) "
        "from relation r where r.store = e.store and r.target = e.number "
        "and r.source <> e.number) from entity e join entity_tally t on t.store = e.store "
        "and t.entity = e.number where e.store = ?",
        (store,),
    )
    for name, tallied, real in found:
        if tallied != real:
            yield f"{name!r} has {real} relations, not {tallied}"
