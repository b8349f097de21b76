"""Observations as rows: written with their digest, read back against it.

`live_observation` and the counts in `entity_tally` are derived; `rebuild` makes them
again from the observations and their supersessions.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import canonical, digest_of
from hythe.model import Observation
from hythe.observe import fulltext
from hythe.observe.entities import entity_identity, entity_name
from hythe.observe.rows import damaged, hash_of, insert_row, moment, row_digest
from hythe.observe.tombstones import stands

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from hythe.observe.requests import NewObservation
    from hythe.observe.rows import Hash
    from hythe.observe.stamp import Stamp

__all__ = [
    "by_id",
    "by_number",
    "by_sequence",
    "insert",
    "live_sequences",
    "newest",
    "observation_digest",
    "problems",
    "searched",
    "tally",
]

_COLUMNS = (
    "o.entity, o.sequence, o.id, o.text, o.text_hash, o.kind, o.evidence, o.metadata, "
    "o.supersedes_hash, o.author, o.proven, o.recorded_at, o.digest, e.id, e.name"
)
_FROM = "observation o join entity e on e.store = o.store and e.number = o.entity"
_SELECT = f"select {_COLUMNS} from {_FROM} where o.store = ?"
_END = 2**62  # above every sequence


def tally(conn: sqlite3.Connection, store: int, entity: int) -> tuple[int, int]:
    """Return how many observations an entity has, and how many are live."""
    row: tuple[int, int] = conn.execute(
        "select observations, live from entity_tally where store = ? and entity = ?",
        (store, entity),
    ).fetchone()
    return row


# --- writing ------------------------------------------------------------------------


def insert(
    conn: sqlite3.Connection,
    stamp: Stamp,
    entity: int,
    new: NewObservation,
    older: Sequence[int],
) -> Observation:
    """Write an observation that supersedes the sequences `older`."""
    sequence = tally(conn, stamp.store, entity)[0] + 1
    number = _next_number(conn, stamp.store)
    _insert_row(conn, stamp, (entity, sequence, number), new, older)
    name = entity_name(conn, stamp.store, entity)
    fulltext.add_observation(conn, number, name, new.text)
    retired = _retire(conn, stamp.store, entity, sequence, older)
    for place, text in retired:
        fulltext.supersede_observation(conn, place, name, text)
    _count(conn, stamp.store, entity, sequence, 1 - len(retired))
    return by_sequence(conn, stamp.store, entity, sequence)


def _insert_row(
    conn: sqlite3.Connection,
    stamp: Stamp,
    place: tuple[int, int, int],
    new: NewObservation,
    older: Sequence[int],
) -> None:
    entity, sequence, number = place
    text, evidence = new.text.encode(), canonical(new.evidence)
    row = {
        "store": stamp.store,
        "entity": entity,
        "sequence": sequence,
        "number": number,
        "id": stamp.new_id(),
        "text": text,
        "text_hash": hash_of(text),
        "kind": new.kind,
        "evidence": evidence,
        "metadata": new.metadata,
        "supersedes_hash": digest_of(older),
        **stamp.fields,
    }
    row["digest"] = observation_digest(row, entity_identity(conn, stamp.store, entity))
    insert_row(conn, "observation", row)


def observation_digest(row: dict[str, Any], entity: str, hashed: Hash = hash_of) -> str:
    """Return the digest of a row; `hashed` gives the hash of a body."""
    plain = {name: row[name] for name in _GUARDED}
    return row_digest(
        "observation",
        entity=entity,
        evidence=hashed(row["evidence"]),
        metadata=hashed(row["metadata"]),
        proven=bool(row["proven"]),
        **plain,
    )


_GUARDED = (
    "id", "sequence", "text_hash", "kind", "supersedes_hash", "author", "recorded_at",
)  # fmt: skip


def _retire(
    conn: sqlite3.Connection, store: int, entity: int, newer: int, older: Sequence[int]
) -> list[tuple[int, str]]:
    """Link the newer observation; return number and text of those no longer live."""
    conn.execute(
        "insert into live_observation values (?, ?, ?)", (store, entity, newer)
    )
    conn.executemany(
        "insert into supersession(store, entity, older, newer) values (?, ?, ?, ?)",
        [(store, entity, sequence, newer) for sequence in older],
    )
    left = [sequence for sequence in older if _end_life(conn, store, entity, sequence)]
    return [_text(conn, store, entity, sequence) for sequence in left]


def _end_life(conn: sqlite3.Connection, store: int, entity: int, sequence: int) -> bool:
    ended = conn.execute(
        "delete from live_observation where store = ? and entity = ? and sequence = ?",
        (store, entity, sequence),
    )
    return ended.rowcount == 1


def _text(
    conn: sqlite3.Connection, store: int, entity: int, sequence: int
) -> tuple[int, str]:
    number, text = conn.execute(
        "select number, text from observation "
        "where store = ? and entity = ? and sequence = ?",
        (store, entity, sequence),
    ).fetchone()
    return number, text.decode()


def _count(
    conn: sqlite3.Connection, store: int, entity: int, observations: int, live: int
) -> None:
    conn.execute(
        "update entity_tally set observations = ?, live = live + ? "
        "where store = ? and entity = ?",
        (observations, live, store, entity),
    )


def _next_number(conn: sqlite3.Connection, store: int) -> int:
    # Observations are never removed, so that the greatest number is the counter.
    row = conn.execute(
        "select coalesce(max(number), 0) + 1 from observation where store = ?", (store,)
    ).fetchone()
    return int(row[0])


def searched(
    conn: sqlite3.Connection, store: int
) -> Iterator[tuple[int, str, str, bool]]:
    """Yield each observation's number, entity name and text, and whether it is live."""
    found = conn.execute(
        "select o.number, e.name, o.text, l.sequence is not null from observation o "
        "join entity e on e.store = o.store and e.number = o.entity "
        "left join live_observation l on l.store = o.store and l.entity = o.entity "
        "and l.sequence = o.sequence where o.store = ?",
        (store,),
    )
    for number, name, text, live in found:
        yield number, name, text.decode(), bool(live)


# --- reading ------------------------------------------------------------------------


def by_id(conn: sqlite3.Connection, store: int, identity: str) -> Observation | None:
    """Return the observation of this id, verified."""
    return _first(conn, store, f"{_SELECT} and o.id = ?", (store, identity))


def by_number(conn: sqlite3.Connection, store: int, number: int) -> Observation | None:
    """Return the observation of this number in the store, verified."""
    return _first(conn, store, f"{_SELECT} and o.number = ?", (store, number))


def newest(
    conn: sqlite3.Connection,
    store: int,
    entity: int,
    *,
    limit: int,
    live: bool,
    before: int | None = None,
) -> tuple[Observation, ...]:
    """Return the newest observations below the sequence `before`, or the live ones."""
    table = "live_observation" if live else "observation"
    found = conn.execute(
        f"select {_COLUMNS} from {table} p join {_FROM} "
        "where p.store = ? and p.entity = ? and p.sequence < ? "
        "and o.store = p.store and o.entity = p.entity and o.sequence = p.sequence "
        "order by p.sequence desc limit ?",
        (store, entity, _END if before is None else before, limit),
    )
    return tuple(_observation_of(conn, store, row) for row in found.fetchall())


def by_sequence(
    conn: sqlite3.Connection, store: int, entity: int, sequence: int
) -> Observation:
    """Return one observation of an entity, verified."""
    row = conn.execute(
        f"{_SELECT} and o.entity = ? and o.sequence = ?", (store, entity, sequence)
    ).fetchone()
    return _observation_of(conn, store, row)


def live_sequences(
    conn: sqlite3.Connection, store: int, entity: int, limit: int
) -> list[int]:
    """Return the sequences of the newest live observations, newest first."""
    found = conn.execute(
        "select sequence from live_observation where store = ? and entity = ? "
        "order by sequence desc limit ?",
        (store, entity, limit),
    )
    return [row[0] for row in found]


def _first(
    conn: sqlite3.Connection, store: int, query: str, values: tuple[Any, ...]
) -> Observation | None:
    row = conn.execute(query, values).fetchone()
    return None if row is None else _observation_of(conn, store, row)


def _observation_of(
    conn: sqlite3.Connection, store: int, row: Sequence[Any]
) -> Observation:
    fields = _fields(row)
    if not _stands(conn, store, fields):
        raise damaged("observation", fields["id"])
    place = store, fields["entity"], fields["sequence"]
    return Observation(
        id=fields["id"],
        entity=fields["name"],
        text=fields["text"].decode(),
        author=fields["author"],
        recorded_at=moment(fields["recorded_at"]),
        sequence=fields["sequence"],
        kind=fields["kind"],
        evidence=tuple(json.loads(fields["evidence"])),
        metadata=json.loads(fields["metadata"]),
        proven=bool(fields["proven"]),
        supersedes=_superseded(conn, *place),
        superseded_by=_superseder(conn, *place),
    )


_NAMES = (
    "entity", "sequence", "id", "text", "text_hash", "kind", "evidence", "metadata",
    "supersedes_hash", "author", "proven", "recorded_at", "digest", "identity", "name",
)  # fmt: skip


def _fields(row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(_NAMES, row, strict=True))


def _stands(conn: sqlite3.Connection, store: int, fields: dict[str, Any]) -> bool:
    digested = functools.partial(observation_digest, fields, fields["identity"])
    return stands(conn, store, fields, digested)


def _superseded(
    conn: sqlite3.Connection, store: int, entity: int, sequence: int
) -> tuple[str, ...]:
    found = conn.execute(
        "select o.id from supersession s join observation o on o.store = s.store "
        "and o.entity = s.entity and o.sequence = s.older "
        "where s.store = ? and s.entity = ? and s.newer = ? order by s.older",
        (store, entity, sequence),
    )
    return tuple(row[0] for row in found)


def _superseder(
    conn: sqlite3.Connection, store: int, entity: int, sequence: int
) -> str | None:
    row = conn.execute(
        "select o.id from supersession s join observation o on o.store = s.store "
        "and o.entity = s.entity and o.sequence = s.newer "
        "where s.store = ? and s.entity = ? and s.older = ? "
        "order by s.newer desc limit 1",
        (store, entity, sequence),
    ).fetchone()
    return None if row is None else str(row[0])


# --- doctor -------------------------------------------------------------------------


def problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each row that is not as it was written."""
    for row in conn.execute(f"{_SELECT} order by o.number", (store,)):
        fields = _fields(row)
        if not _stands(conn, store, fields):
            yield f"observation {fields['id']} is not as it was written"
        older = _older(conn, store, fields["entity"], fields["sequence"])
        if digest_of(older) != fields["supersedes_hash"]:
            yield f"the supersessions of observation {fields['id']} have changed"
    yield from _gaps(conn, store)
    yield from _derived_problems(conn, store)


def _older(
    conn: sqlite3.Connection, store: int, entity: int, sequence: int
) -> list[int]:
    found = conn.execute(
        "select older from supersession where store = ? and entity = ? and newer = ? "
        "order by older",
        (store, entity, sequence),
    )
    return [row[0] for row in found]


def _gaps(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield the entities whose sequences are not exactly 1 to the tally."""
    found = conn.execute(
        "select e.name, t.observations, count(o.sequence), coalesce(max(o.sequence), 0) "
        "from entity e left join entity_tally t "
        "on t.store = e.store and t.entity = e.number "
        "left join observation o on o.store = e.store and o.entity = e.number "
        "where e.store = ? group by e.number",
        (store,),
    )
    for name, counted, present, last in found:
        if not counted == present == last:
            yield f"observations of {name!r} are missing: {present} of {counted}"


def _derived_problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    found = conn.execute(
        "select e.name, t.live, count(l.sequence), (select count(*) from observation o "
        "where o.store = e.store and o.entity = e.number and not exists ("
        "select 1 from supersession s where s.store = o.store "
        "and s.entity = o.entity and s.older = o.sequence)) "
        "from entity e left join entity_tally t "
        "on t.store = e.store and t.entity = e.number left join live_observation l "
        "on l.store = e.store and l.entity = e.number "
        "where e.store = ? group by e.number",
        (store,),
    )
    for name, tallied, listed, real in found:
        if not tallied == listed == real:
            yield f"the live observations of {name!r} are {real}, not {tallied}"
