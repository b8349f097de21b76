"""What the benchmarks of hythe record: a 4 KB state, five facts, long histories."""

from __future__ import annotations

import functools
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import hythe
from hythe import Fact, State
from hythe._storage import Storage
from hythe.checkpoint.request import record_request, write_request
from hythe.checkpoint.writing import write
from hythe.model import ScopeName

__all__ = [
    "DURABILITY",
    "atlas",
    "facts",
    "grow",
    "plain",
    "rows_of",
    "same_rows",
    "state",
    "transaction",
]

DURABILITY = "FULL"
_LINE = "the index is rebuilt from the store whenever a segment does not verify"


@functools.cache
def state(number: int, size: int = 4_096) -> State:
    """Return a state of so many bytes as JSON, different for each number.

    Ask for it once before time is taken: making it costs more than writing it.
    """
    actions: list[str] = []
    while True:
        found = State(f"ship search, step {number}", "green", "planner", actions)
        left = size - len(json.dumps(_data(found), separators=(",", ":")))
        if left < 4:
            return found
        line = _LINE[(number + len(actions)) % 7 :]
        actions.append(f"{len(actions)} {line}"[: max(1, left - 3)])


def _data(value: State) -> dict[str, object]:
    return {
        "objective": value.objective,
        "status": value.status,
        "owner": value.owner,
        "next_actions": list(value.next_actions),
        "blockers": [],
        "guardrails": [],
    }


def facts(number: int, count: int = 5) -> list[Fact]:
    """Return new facts."""
    return [
        Fact(f"search-{number}", f"p{95 + at}", f"{40 + at} ms") for at in range(count)
    ]


def atlas(store: hythe.Store, name: str = "atlas") -> tuple[hythe.Scope, str]:
    """Return a scope with a first checkpoint, and that one's id."""
    scope = store.scope(project=name)
    return scope, scope.checkpoint(state(0), parent=None).id


@contextmanager
def transaction(path: Path) -> Iterator[Callable[..., hythe.Checkpoint]]:
    """Give a function that writes checkpoints, all in one transaction.

    The way to build a history of 100,000 in seconds; what is measured later goes
    through the public calls.
    """
    storage = Storage(path)
    with closing(storage), storage.writing("planner") as (conn, stamp):

        def append(
            name: ScopeName,
            parent: int | None,
            said: State | None = None,
            **changes: object,
        ) -> hythe.Checkpoint:
            request = (
                record_request(parent, **changes)
                if said is None
                else write_request(said, parent=parent, **changes)
            )
            return write(conn, stamp, name, request)

        yield append


def grow(path: Path, project: str, length: int, values: int = 50) -> None:
    """Build a scope of so many checkpoints whose accepted view is always the same.

    Two lineages were retired at its beginning; fifty facts are restated in turn, so
    that each ends with the same words however long the history is.
    """
    name = ScopeName(project=project)
    with transaction(path) as append:
        first = append(name, None, state(0))
        kept = append(
            name, 1, facts=[Fact("value", str(at), "said") for at in range(values)]
        )
        for _ in range(2):
            append(name, first.revision, state(0), facts=facts(0))
    with hythe.open(path, agent="planner") as store:
        scope = store.scope(project=project)
        plan = scope.plan_reconcile()
        lost = [head.id for head in plan.heads if head.id != plan.pointer]
        pointed = scope.reconcile(
            **plan.request, reason="one line", reject_lineages=lost
        )
    with transaction(path) as append:
        ids, revision = kept.changes.facts, pointed.revision
        for at in range(length - revision):
            again = Fact("value", str(at % values), "said", id=ids[at % values])
            revision = append(name, revision, facts=[again]).revision


# --- the same rows in plain sqlite3 ---------------------------------------------------

_OF_REVISION = ("checkpoint", "version", "lineage", "accepted")
Rows = list[tuple[str, tuple[object, ...]]]


def plain(path: Path, like: Path) -> sqlite3.Connection:
    """Make a database with the same tables and indexes, as durable as ours."""
    found = sqlite3.connect(path, isolation_level=None)
    with closing(sqlite3.connect(like)) as ours:
        (size,) = ours.execute("pragma page_size").fetchone()
        statements = ours.execute(
            "select sql from sqlite_schema where sql is not null and name not like "
            "'sqlite_%' and tbl_name not like '%_words%'"
        ).fetchall()
    for pragma in (f"page_size={size}", "auto_vacuum=incremental", "journal_mode=wal"):
        found.execute(f"pragma {pragma}")
    found.execute("pragma synchronous=full")
    found.execute("begin immediate")
    for (statement,) in statements:
        found.execute(statement)
    found.execute("commit")
    return found


def rows_of(path: Path, revisions: range) -> Iterator[Rows]:
    """Give the rows that each of these revisions of the first scope has written."""
    with closing(sqlite3.connect(path)) as ours:
        seen: set[str] = set()
        for revision in revisions:
            found: Rows = []
            for table in _OF_REVISION:
                found += _inserts(ours, table, "scope = 1 and revision = ?", revision)
            wanted = found[0][1][_column(ours, "checkpoint", "state")]
            if wanted not in seen:
                seen.add(str(wanted))
                found += _inserts(ours, "state", "digest = ?", wanted)
            found += _standing(ours, revision)
            yield found


def _column(ours: sqlite3.Connection, table: str, name: str) -> int:
    columns = ours.execute(f"pragma table_info({table})").fetchall()
    return [column[1] for column in columns].index(name)


def _inserts(ours: sqlite3.Connection, table: str, where: str, value: object) -> Rows:
    found = ours.execute(f"select * from {table} where {where}", (value,)).fetchall()
    return [
        (f"insert into {table} values ({', '.join('?' * len(row))})", row)
        for row in found
    ]


def _standing(ours: sqlite3.Connection, revision: int) -> Rows:
    row = ours.execute("select * from standing where scope = 1").fetchone()
    statement = f"insert or replace into standing values ({', '.join('?' * len(row))})"
    return [(statement, (*row[:2], revision, revision, *row[4:]))]


def same_rows(connection: sqlite3.Connection, rows: Rows) -> None:
    """Write the rows in one transaction."""
    connection.execute("begin immediate")
    for statement, row in rows:
        connection.execute(statement, row)
    connection.execute("commit")
