"""Import of a store of the reference HYTHE 0.1.x: its rows as those of an export.

Checkpoints keep ids, payload bytes and hashes. Facts and loops, which that version
changed in place, become legacy values. The tables read are `eng4_*`,
`shared_memory`, `ai_messages`, `session_handoffs` and `agent_registrations`.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import urllib.parse
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import canonical, digest
from hsum._kernel.clock import micros, rfc3339
from hsum._kernel.faults import STRANGE, Fault
from hsum._kernel.sqlite import translating_sqlite
from hythe.care.merge import Merge
from hythe.checkpoint.foreign import state_data_in
from hythe.checkpoint.seal import seal_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from hythe.observe.stamp import Stamp

__all__ = ["Source", "import_reference", "is_reference", "parsed", "when"]

Row = dict[str, Any]


def is_reference(head: bytes) -> bool:
    """Tell by its first bytes whether a file is a SQLite database."""
    return head == b"SQLite format 3\0"


def import_reference(
    conn: sqlite3.Connection, stamp: Stamp, path: Path
) -> tuple[int, Mapping[str, int], Mapping[str, int]]:
    """Import all that a reference store holds.

    Raises:
        Fault: `INVALID_ARGUMENT` for another database, or several tenants;
            `INTEGRITY_FAILED` for a payload that is not what its hash says.
    """
    from hythe.care.reference_mail import mail_rows
    from hythe.care.reference_memory import memory_rows

    merge = Merge(conn, stamp)
    count = 0
    with _reading(path), _opened(path) as source:
        for part in (memory_rows, checkpoint_rows, mail_rows):
            for kind, row in part(source):
                count += 1
                merge.add(kind, row, count)
        merge.finish()
        return count, merge.added, +source.skipped


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Refuse rows that are not of the shape that version wrote."""
    try:
        yield
    except STRANGE as error:
        raise Fault(
            "INVALID_ARGUMENT",
            f"{path.name} is not as HYTHE 0.1.x writes it: {error!r}",
            hint="Open it once with the last version of HYTHE 0.1.x, and try again.",
        ) from error


# Tables of that version that nothing here corresponds to.
_LEFT_OUT = (
    "individual_memory",
    "tasks",
    "shared_knowledge",
    "consensus_history",
    "project_artifacts",
)


class Source:
    """A reference store that is read.

    `entities` has the name of each entity's id, `observed` the entity of each
    observation's, `scopes` the number of each pair of project and task.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self.conn = conn
        self.skipped: Counter[str] = Counter()
        self.entities: dict[str, str] = {}
        self.observed: dict[str, str] = {}
        self.scopes: dict[tuple[str | None, str | None], int] = {}
        self.tables = {
            name for (name,) in conn.execute("select name from sqlite_schema")
        }
        self._refuse_tenants()
        self.skipped.update({table: self._count(table) for table in _LEFT_OUT})

    def _count(self, table: str) -> int:
        if table not in self.tables:
            return 0
        (found,) = self.conn.execute(f"select count(*) from {table}").fetchone()
        return int(found)

    def _refuse_tenants(self) -> None:
        found: set[str] = set()
        for table in ("eng4_scopes", "shared_memory", "ai_messages"):
            columns = self.conn.execute(f"pragma table_info({table})").fetchall()
            if any(column[1] == "tenant_id" for column in columns):
                rows = self.conn.execute(f"select distinct tenant_id from {table}")
                found.update(row[0] or "default" for row in rows)
        if len(found) > 1:
            raise Fault(
                "INVALID_ARGUMENT",
                f"the store has several tenants: {', '.join(sorted(found))}",
                hint="A store here is one trust domain: import each from a copy of "
                "its own.",
                details={"tenants": sorted(found)},
            )

    def rows(self, table: str, order: str) -> Iterator[Row]:
        """Give the rows of a table by column, none where there is no such table."""
        if table not in self.tables:
            return
        cursor = self.conn.execute(f"select * from {table} order by {order}")
        names = [column[0] for column in cursor.description]
        for values in cursor.fetchall():
            yield dict(zip(names, values, strict=True))


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Source]:
    quoted = urllib.parse.quote(str(path.absolute()))
    with (
        translating_sqlite(path),
        contextlib.closing(sqlite3.connect(f"file:{quoted}?mode=ro", uri=True)) as conn,
    ):
        source = Source(conn)
        if not source.tables & {"eng4_state_snapshots", "shared_memory", "ai_messages"}:
            raise Fault(
                "INVALID_ARGUMENT",
                f"{path.name} is a database, but no store of HYTHE 0.1.x",
                hint="Export another store with `hythe export`, and import that file.",
                details={"path": str(path)},
            )
        yield source


# --- values -----------------------------------------------------------------------


def when(value: Any) -> int:
    """Return a time as microseconds; one without a zone is UTC there."""
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        return 0
    return micros(found if found.tzinfo else found.replace(tzinfo=UTC))


def parsed(text: Any) -> Any:
    """Return JSON data; nothing for what is none."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


def _moment(value: Any) -> str | None:
    found = when(value) if value else 0
    return rfc3339(found) if found else None


def stamped(author: Any, recorded_at: Any) -> Row:
    """Return the columns that say who and when; nothing there was proven."""
    return {
        "author": str(author or "unknown"),
        "proven": 0,
        "recorded_at": when(recorded_at),
    }


# --- scopes and checkpoints -------------------------------------------------------


def checkpoint_rows(source: Source) -> Iterator[tuple[str, Row]]:
    """Give scopes with their checkpoints, facts and loops."""
    snapshots: dict[str, list[Row]] = {}
    for row in source.rows("eng4_state_snapshots", "scope_key, revision"):
        snapshots.setdefault(row["scope_key"], []).append(row)
    pointers = {
        row["scope_key"]: row["state_id"]
        for row in source.rows("eng4_scope_current", "scope_key")
    }
    numbers: dict[str, int] = {}
    for number, row in enumerate(source.rows("eng4_scopes", "rowid"), start=1):
        key = row["scope_key"]
        numbers[key] = number
        source.scopes[row["project_id"], row["task_id"]] = number
        chain = snapshots.get(key, [])
        yield "scope", _scope(number, row, chain, pointers.get(key))
        yield from _chain(source, number, chain)
    yield from _legacy(source, numbers)


def _scope(number: int, row: Row, chain: list[Row], pointer: str | None) -> Row:
    ids = [snapshot["state_id"] for snapshot in chain]
    return {
        "scope": number,
        "project": row["project_id"],
        "task": row["task_id"],
        "imported": len(chain),
        "imported_pointer": ids.index(pointer) + 1 if pointer in ids else 0,
        **stamped(chain[0]["author"] if chain else None, row["created_at"]),
    }


def _chain(source: Source, number: int, chain: list[Row]) -> Iterator[tuple[str, Row]]:
    seals: dict[str, str] = {}
    revisions: dict[str, int] = {}
    for revision, row in enumerate(chain, start=1):
        body = _payload(source, row)
        state = canonical(state_data_in(json.loads(body)))
        yield "state", {"digest": digest(state), "body": state.decode()}
        revisions[row["state_id"]] = revision
        made = _checkpoint(row, revision, seals.get(row["parent_state_id"]))
        seals[row["state_id"]] = made["seal"]
        yield (
            "checkpoint",
            {
                **made,
                "scope": number,
                "parent": revisions.get(row["parent_state_id"], 0),
                "outcome": "branched",
                "state": digest(state),
                "new_ids": "[]",
                "body": body.decode(),
            },
        )


def _payload(source: Source, row: Row) -> bytes:
    found = source.conn.execute(
        "select body from eng4_payloads where content_hash = ?", (row["content_hash"],)
    ).fetchone()
    if found is None or digest(found[0]) != row["content_hash"]:
        raise Fault(
            "INTEGRITY_FAILED",
            f"the payload of {row['state_id']} is not what its hash says",
            details={"checkpoint": row["state_id"]},
        )
    body: bytes = found[0]
    return body


def _checkpoint(row: Row, revision: int, parent_seal: str | None) -> Row:
    who = stamped(row["author"], row["recorded_at"])
    sealed = {
        "id": row["state_id"],
        "content_hash": row["content_hash"],
        "revision": revision,
        "operation": "write",
        **who,
        "proven": False,
    }
    seal = seal_of(**sealed, parent=parent_seal, new_ids=())
    return {**sealed, "proven": 0, "seal": seal}


def _legacy(source: Source, numbers: Mapping[str, int]) -> Iterator[tuple[str, Row]]:
    refs: dict[tuple[str, str], list[str]] = {}
    for row in source.rows("eng4_fact_refs", "rowid"):
        refs.setdefault((row["fact_id"], row["ref_kind"]), []).append(row["ref"])
    for row in source.rows("eng4_facts", "rowid"):
        value = _fact(row, refs)
        who = stamped(row["author"], row["recorded_at"])
        yield "legacy", _value("fact", numbers[row["scope_key"]], value, who)
    for row in source.rows("eng4_open_loops", "rowid"):
        who = stamped(row["owner"], row["updated_at"])
        yield "legacy", _value("loop", numbers[row["scope_key"]], _loop(row), who)


def _value(kind: str, scope: int, value: Row, who: Row) -> Row:
    said = {"scope": scope, "kind": kind, "id": value["id"], "ordinal": 0}
    return {**said, "body": canonical(value).decode(), **who}


def _fact(row: Row, refs: Mapping[tuple[str, str], list[str]]) -> Row:
    cited = {
        name: refs.get((row["fact_id"], kind), [])
        for name, kind in (
            ("evidence", "evidence"),
            ("sources", "source"),
            ("contradicts", "contradicts"),
        )
    }
    said = {name: row[name] for name in ("subject", "predicate", "object", "status")}
    return {
        "id": row["fact_id"],
        **said,
        "effective_at": _moment(row["effective_at"]),
        **cited,
    }


def _loop(row: Row) -> Row:
    closed = parsed(row["close_json"]) or {}
    return {
        "id": row["loop_id"],
        **{
            name: row[name] for name in ("next_action", "status", "owner", "blocked_on")
        },
        "due_at": _moment(row["due_at"]),
        "outcome": closed.get("outcome"),
    }
