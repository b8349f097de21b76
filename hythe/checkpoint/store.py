"""Checkpoints in the store: rows written once, read from verified bytes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, final

import attrs

from hsum._kernel.canonical import canonical_of_simple, digest
from hsum._kernel.faults import Fault
from hythe.checkpoint.content import Data, event_of, state_of, value_of
from hythe.checkpoint.foreign import is_foreign, read_as_ours
from hythe.checkpoint.pruned import STATE, is_pruned
from hythe.checkpoint.request import Reference
from hythe.checkpoint.scopes import At
from hythe.checkpoint.seal import seal_of, with_ids
from hythe.model import (
    Changes,
    Checkpoint,
    Fact,
    Loop,
    Operation,
    Outcome,
    Provenance,
    Reconciliation,
    ScopeName,
    Settled,
)
from hythe.observe.rows import damaged, moment
from hythe.observe.tombstones import accepts

__all__ = [
    "Link",
    "Row",
    "checkpoint_of",
    "id_of",
    "insert_checkpoint",
    "insert_state",
    "load_link",
    "load_row",
    "load_rows",
    "load_state",
    "named",
    "named_first",
    "state_data_of",
    "value_at",
]

_HASH_LENGTH = 64
_LARGEST = 2**63 - 1


@final
@attrs.frozen
class Row:
    """One checkpoint as it is stored; `body` are the bytes of its envelope."""

    revision: int
    parent: int
    id: str
    operation: Operation
    outcome: Outcome
    author: str
    proven: bool
    recorded_at: int
    content_hash: str
    seal: str
    state: str
    new_ids: tuple[str, ...]
    body: bytes
    parent_seal: str | None
    parent_id: str | None
    content: Data = attrs.field(eq=False, repr=False)
    facts: Sequence[Data] = attrs.field(eq=False, repr=False)
    loops: Sequence[Data] = attrs.field(eq=False, repr=False)

    def of_kind(self, kind: str) -> Sequence[Data]:
        """Return the fact or loop changes, with their ids."""
        return self.facts if kind == "fact" else self.loops


@final
@attrs.frozen
class Link:
    """What a child needs of its parent."""

    revision: int
    id: str
    seal: str


_COLUMNS = [field.name for field in attrs.fields(Row)][:-3]
_FIELDS = (
    "c.revision, c.parent, c.id, c.operation, c.outcome, c.author, c.proven, "
    "c.recorded_at, c.content_hash, c.seal, c.state, c.new_ids, c.body, "
    "p.seal, p.id"
)
_SELECT = (
    f"select {_FIELDS} from checkpoint c left join checkpoint p "
    "on p.store = c.store and p.scope = c.scope and p.revision = c.parent "
    "where c.store = ? and c.scope = ?"
)


def load_row(conn: sqlite3.Connection, at: At, revision: int) -> Row:
    """Return a checkpoint whose bytes match its hash and seal.

    Raises:
        Fault: `INTEGRITY_FAILED`.
    """
    row = conn.execute(f"{_SELECT} and c.revision = ?", (*at, revision)).fetchone()
    if row is None:
        raise damaged("revision", str(revision))
    return _verified(conn, at.store, row)


def load_link(conn: sqlite3.Connection, at: At, revision: int) -> Link:
    """Return what a child needs of its parent, without reading what that says."""
    row = conn.execute(
        "select revision, id, seal from checkpoint "
        "where store = ? and scope = ? and revision = ?",
        (*at, revision),
    ).fetchone()
    if row is None:
        raise damaged("revision", str(revision))
    return Link(*row)


def load_rows(
    conn: sqlite3.Connection, at: At, *, after: int = 0
) -> Iterable[tuple[int, Row | None]]:
    """Give every checkpoint in order, None for one that does not verify."""
    for row in conn.execute(
        f"{_SELECT} and c.revision > ? order by c.revision", (*at, after)
    ):
        try:
            yield row[0], _verified(conn, at.store, row)
        except Fault:
            yield row[0], None


def _verified(conn: sqlite3.Connection, store: int, row: Sequence[Any]) -> Row:
    try:
        body, new_ids = json.loads(row[12]), json.loads(row[11])
        if is_foreign(body):
            body = read_as_ours(body)
        facts, loops = with_ids(body, new_ids)
    except (ValueError, KeyError, TypeError, StopIteration):
        raise damaged("checkpoint", str(row[2])) from None
    given = dict(zip(_COLUMNS, row, strict=True))
    given.update(proven=bool(row[6]), new_ids=tuple(new_ids))
    found = Row(**given, content=body, facts=facts, loops=loops)
    if not _is_sound(conn, store, found, row):
        raise damaged("checkpoint", found.id)
    return found


def _is_sound(
    conn: sqlite3.Connection, store: int, found: Row, row: Sequence[Any]
) -> bool:
    seal = seal_of(
        id=found.id,
        parent=found.parent_seal,
        content_hash=found.content_hash,
        revision=found.revision,
        operation=found.operation,
        author=found.author,
        proven=found.proven,
        recorded_at=found.recorded_at,
        new_ids=found.new_ids,
    )
    return (
        accepts(conn, store, found.content_hash, found.body)
        and seal == found.seal
        and found.content["state"] == found.state
        and row[6] in (0, 1)
    )


def insert_checkpoint(
    conn: sqlite3.Connection,
    at: At,
    content: Data,
    *,
    parent: Row | Link | None,
    revision: int,
    id: str,  # noqa: A002 - the field's name
    operation: Operation,
    outcome: Outcome,
    author: str,
    proven: bool,
    recorded_at: int,
    new_ids: tuple[str, ...],
) -> Row:
    """Write a checkpoint, sealed on its parent."""
    body = canonical_of_simple(content)
    content_hash = digest(body)
    parent_seal = None if parent is None else parent.seal
    seal = seal_of(
        id=id,
        parent=parent_seal,
        content_hash=content_hash,
        revision=revision,
        operation=operation,
        author=author,
        proven=proven,
        recorded_at=recorded_at,
        new_ids=new_ids,
    )
    facts, loops = with_ids(content, new_ids)
    row = Row(
        revision=revision,
        parent=0 if parent is None else parent.revision,
        id=id,
        operation=operation,
        outcome=outcome,
        author=author,
        proven=proven,
        recorded_at=recorded_at,
        content_hash=content_hash,
        seal=seal,
        state=content["state"],
        new_ids=new_ids,
        body=body,
        parent_seal=parent_seal,
        parent_id=None if parent is None else parent.id,
        content=content,
        facts=facts,
        loops=loops,
    )
    _insert(conn, at, row)
    return row


def _insert(conn: sqlite3.Connection, at: At, row: Row) -> None:
    conn.execute(
        "insert into checkpoint(store, scope, revision, parent, id, operation, "
        "outcome, author, proven, recorded_at, content_hash, seal, state, new_ids, "
        "body) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *at,
            row.revision,
            row.parent,
            row.id,
            row.operation,
            row.outcome,
            row.author,
            int(row.proven),
            row.recorded_at,
            row.content_hash,
            row.seal,
            row.state,
            canonical_of_simple(row.new_ids),
            row.body,
        ),
    )


def insert_state(conn: sqlite3.Connection, store: int, body: bytes) -> str:
    """Write a state once, under its digest."""
    found = digest(body)
    conn.execute(
        "insert or ignore into state(store, digest, body) values (?, ?, ?)",
        (store, found, body),
    )
    return found


def load_state(conn: sqlite3.Connection, store: int, wanted: str) -> Data:
    """Return the state of this digest.

    Raises:
        Fault: `INTEGRITY_FAILED`.
    """
    row = conn.execute(
        "select body from state where store = ? and digest = ?", (store, wanted)
    ).fetchone()
    if row is None or not accepts(conn, store, wanted, row[0]):
        raise damaged("state", wanted)
    found: Data = json.loads(row[0])
    return found


def state_data_of(conn: sqlite3.Connection, store: int, row: Row) -> Data:
    """Return the state of a checkpoint; of a pruned one, what is left in its place.

    Raises:
        Fault: `INTEGRITY_FAILED`.
    """
    return STATE if is_pruned(row.content) else load_state(conn, store, row.state)


def id_of(conn: sqlite3.Connection, at: At, revision: int) -> str | None:
    """Return the id of a revision; None for revision 0."""
    row = conn.execute(
        "select id from checkpoint where store = ? and scope = ? and revision = ?",
        (*at, revision),
    ).fetchone()
    return None if row is None else str(row[0])


# --- references -------------------------------------------------------------------


def named(conn: sqlite3.Connection, at: At, reference: Reference) -> int | None:
    """Return the revision that an id, a revision or a content hash names, or None.

    Raises:
        Fault: `PARENT_AMBIGUOUS` for a hash that names several.
    """
    found = _named(conn, at, reference)
    if len(found) > 1:
        raise Fault(
            "PARENT_AMBIGUOUS",
            f"the content hash {reference} names the revisions "
            f"{', '.join(map(str, found))}",
            details={"revisions": found},
        )
    return found[0] if found else None


def named_first(conn: sqlite3.Connection, at: At, reference: Reference) -> str:
    """Return the id of the oldest checkpoint that a reference names.

    A hash that named one checkpoint once names the same one ever after. What names
    none stands for itself.
    """
    found = _named(conn, at, reference)
    known = id_of(conn, at, found[0]) if found else None
    return known or f"unknown:{reference}"


def _named(conn: sqlite3.Connection, at: At, reference: Reference) -> list[int]:
    if isinstance(reference, int):
        if not 0 < reference <= _LARGEST:
            return []
        column, limit = "revision", 1
    else:
        is_hash = len(reference) == _HASH_LENGTH
        column, limit = ("content_hash", 3) if is_hash else ("id", 1)
    rows = conn.execute(
        f"select revision from checkpoint where store = ? and scope = ? "
        f"and {column} = ? order by revision limit ?",
        (*at, reference, limit),
    )
    return [row[0] for row in rows]


# --- values -----------------------------------------------------------------------


def checkpoint_of(
    scope: ScopeName, row: Row, state: Data, *, replayed: bool = False
) -> Checkpoint:
    """Return a stored checkpoint as the value people hold."""
    facts: Any = _values("fact", row)
    loops: Any = _values("loop", row)
    given = len([item for item in row.content["facts"] if item["id"] is None])
    return Checkpoint(
        id=row.id,
        scope=scope,
        revision=row.revision,
        parent=row.parent_id,
        operation=row.operation,
        author=row.author,
        proven=row.proven,
        recorded_at=moment(row.recorded_at),
        state=state_of(state),
        content_hash=row.content_hash,
        seal=row.seal,
        events=tuple(map(event_of, row.content["events"])),
        facts=facts,
        loops=loops,
        evidence=tuple(row.content["evidence"]),
        reconciliation=_reconciliation(row.content["reconciliation"]),
        changes=Changes(row.new_ids[:given], row.new_ids[given:]),
        outcome=row.outcome,
        replayed=replayed,
    )


def _values(kind: str, row: Row) -> tuple[Fact | Loop, ...]:
    return tuple(value_at(row, kind, i) for i in range(len(row.of_kind(kind))))


def value_at(row: Row, kind: str, ordinal: int) -> Fact | Loop:
    """Return one fact or loop of a checkpoint, with its provenance."""
    data = row.of_kind(kind)[ordinal]
    source = data.get("accepted_from")
    return value_of(
        kind, data, Provenance(row.id, row.revision, row.author, ordinal, source)
    )


def _reconciliation(data: Data | None) -> Reconciliation | None:
    if data is None:
        return None
    return Reconciliation(
        data["reason"],
        tuple(data["heads"]),
        data["pointer"],
        tuple(Settled(**item) for item in data["settled"]),
    )
