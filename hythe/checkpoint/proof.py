"""Whether a scope is as it was written, and its derived tables what they must be."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

import attrs

from hsum._kernel.faults import Fault
from hythe.checkpoint import keys, legacy
from hythe.checkpoint.derive import Derived, Step, derive
from hythe.checkpoint.lines import marks
from hythe.checkpoint.schema import DERIVED
from hythe.checkpoint.scopes import (
    At,
    list_scopes,
    scope_digest,
    spelled,
    standing_of,
    store_standing,
)
from hythe.checkpoint.seal import FORMAT
from hythe.checkpoint.store import Row, load_rows
from hythe.checkpoint.view import changes_of
from hythe.observe.rows import strays
from hythe.observe.tombstones import accepts

__all__ = ["derived_of", "problems", "rebuild", "scope_problems"]

Table = set[tuple[object, ...]]


def problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each thing in the scopes of a store that is wrong."""
    yield from _state_problems(conn, store)
    tables = ("checkpoint", "checkpoint_key", "legacy", *DERIVED)
    yield from strays(conn, store, tables, "scope", ("scope", "scope"))
    for at, name in list_scopes(conn, store):
        try:
            yield from (f"scope {name}: {it}" for it in scope_problems(conn, at))
        except Fault as fault:
            yield f"scope {name}: {fault.message}"


def _state_problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    for wanted, body in conn.execute(
        "select digest, body from state where store = ?", (store,)
    ):
        if not accepts(conn, store, wanted, body):
            yield f"the state {wanted} is not as it was written"
    for (identity,) in conn.execute(
        "select c.id from checkpoint c left join state s on s.store = c.store "
        "and s.digest = c.state where c.store = ? and s.digest is null "
        "and not exists (select 1 from tombstone t where t.store = c.store "
        "and t.target = c.id and t.what = 'prune')",
        (store,),
    ):
        yield f"the state of checkpoint {identity} is missing"


def scope_problems(conn: sqlite3.Connection, at: At) -> Iterator[str]:
    """Yield one sentence for each thing in a scope that is wrong."""
    *row, guard = conn.execute(
        "select scope, project, task, imported, imported_pointer, author, proven, "
        "recorded_at, digest from scope where store = ? and scope = ?",
        at,
    ).fetchone()
    if scope_digest(*row) != guard:
        yield "its row is not as it was written"
    rows = dict(load_rows(conn, at))
    found = list(_row_problems(conn, at, rows))
    yield from found
    yield from keys.problems(conn, at, len(rows))
    yield from legacy.problems(conn, at)
    sound = [row for row in rows.values() if row is not None]
    if not found:
        yield from _derived_problems(conn, at, sound)


def _row_problems(
    conn: sqlite3.Connection, at: At, rows: dict[int, Row | None]
) -> Iterator[str]:
    if list(rows) != list(range(1, len(rows) + 1)):
        yield "its revisions are not 1, 2, 3 and so on"
    name = attrs.asdict(spelled(conn, at))
    for revision, row in rows.items():
        if row is None:
            yield f"revision {revision} is not as it was written"
        elif row.content["format"] == FORMAT and row.content["scope"] != name:
            yield f"revision {revision} belongs to another scope"
        elif not _has_parent(row):
            yield f"revision {revision} has a parent that cannot be"


def _has_parent(row: Row) -> bool:
    if row.revision == 1 or not row.parent:
        return not row.parent and row.revision == 1
    return 0 < row.parent < row.revision and row.parent_id is not None


# --- derived tables ---------------------------------------------------------------


def derived_of(
    conn: sqlite3.Connection, at: At, rows: Iterable[Row]
) -> tuple[Derived, list[Step]]:
    """Return what the checkpoints of a scope amount to, and the steps to it."""
    imported, pointer = conn.execute(
        "select imported, imported_pointer from scope where store = ? and scope = ?",
        at,
    ).fetchone()
    steps = _steps(rows)
    return derive(steps, imported=imported, imported_pointer=pointer), steps


def _steps(rows: Iterable[Row]) -> list[Step]:
    revisions: dict[str, int] = {}
    steps = []
    for row in rows:
        revisions[row.id] = row.revision
        steps.append(_step(row, revisions))
    return steps


def _step(row: Row, revisions: dict[str, int]) -> Step:
    changes = changes_of(
        row.revision, row.facts, row.loops, row.content["events"], revisions
    )
    said = row.content["reconciliation"]
    if said is None:
        return Step(row.revision, row.parent, is_reconcile=False, changes=changes)
    heads = {revisions[head] for head in said["heads"]}
    settled = {
        (item["kind"], item["id"], revisions.get(item["checkpoint"], 0)): item[
            "decision"
        ]
        for item in said["settled"]
    }
    return Step(
        row.revision,
        row.parent,
        is_reconcile=True,
        changes=changes,
        retired=heads - {row.parent},
        settled=settled,
    )


def _derived_problems(
    conn: sqlite3.Connection, at: At, rows: Sequence[Row]
) -> Iterator[str]:
    derived, steps = derived_of(conn, at, rows)
    for row in rows:
        if row.outcome != derived.outcomes[row.revision]:
            yield f"revision {row.revision} says it {row.outcome}, which it did not"
    if standing_of(conn, at) != derived.standing:
        yield "its pointer or its totals are not what its checkpoints amount to"
    for table, expected in _tables(derived, steps).items():
        if _stored(conn, at, table) != expected:
            yield f"the rows of {table} are not what its checkpoints amount to"


def _tables(derived: Derived, steps: Sequence[Step]) -> dict[str, Table]:
    """Return the rows that each derived table must have."""
    return {
        "version": {
            (*key, *version) for step in steps for key, version in step.changes
        },
        "settlement": {
            (*tag, step.revision, decision)
            for step in steps
            for tag, decision in step.settled.items()
        },
        "retirement": set(derived.retirements.items()),
        "lineage": {(revision,) for revision in derived.lineage},
        "accepted": {(*key, *version) for key, version in derived.accepted.items()},
        "line": {
            (line.tip, line.meets, line.retired, line.after_retired)
            for line in derived.lines
        },
        "tip_value": {
            (line.tip, *key, *version[:2], (*key, version.revision) in derived.settled)
            for line in derived.lines
            for key, version in line.values.items()
        },
    }


_COLUMNS = {
    "version": "kind, id, revision, ordinal, shown, accepted_from",
    "settlement": "kind, id, revision, settled_by, decision",
    "retirement": "revision, retired_by",
    "lineage": "revision",
    "accepted": "kind, id, revision, ordinal, shown, accepted_from",
    "line": "tip, meets, retired, after_retired",
    # A line's number only joins its rows; what it stands for is its tip.
    "tip_value": "(select l.tip from line l where l.store = t.store "
    "and l.scope = t.scope and l.line = t.line), kind, id, revision, ordinal, settled",
}


# A rebuilt line takes the number of its tip.
_WRITTEN = {
    "line": "line, tip, meets, retired, after_retired",
    "tip_value": "line, kind, id, revision, ordinal, settled",
}


def _stored(conn: sqlite3.Connection, at: At, table: str) -> Table:
    rows = conn.execute(
        f"select {_COLUMNS[table]} from {table} t where store = ? and scope = ?", at
    )
    return set(rows)


# --- rebuilding -------------------------------------------------------------------


def rebuild(conn: sqlite3.Connection, at: At) -> None:
    """Write the derived tables of a scope anew.

    Raises:
        Fault: `INTEGRITY_FAILED` where a checkpoint does not verify.
    """
    rows = [row for _, row in load_rows(conn, at) if row is not None]
    if _counted(conn, at) != len(rows):
        raise Fault("INTEGRITY_FAILED", "a checkpoint is not as it was written")
    derived, steps = derived_of(conn, at, rows)
    conn.execute("insert or ignore into standing(store, scope) values (?, ?)", at)
    store_standing(conn, at, derived.standing)
    for table, found in _tables(derived, steps).items():
        _replace(conn, at, table, found)


def _replace(conn: sqlite3.Connection, at: At, table: str, rows: Table) -> None:
    conn.execute(f"delete from {table} where store = ? and scope = ?", at)
    if table == "line":
        rows = {(row[0], *row) for row in rows}
    columns = _WRITTEN.get(table, _COLUMNS[table])
    conn.executemany(
        f"insert into {table}(store, scope, {columns}) "
        f"values (?, ?, {marks(columns.split(','))})",
        [(*at, *row) for row in sorted(rows, key=repr)],
    )


def _counted(conn: sqlite3.Connection, at: At) -> int:
    (found,) = conn.execute(
        "select count(*) from checkpoint where store = ? and scope = ?", at
    ).fetchone()
    return int(found)
