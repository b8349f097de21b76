"""The audit of credentials: one row for each thing done, by whom and when.

What follows from it (a revocation, an enrolment) is read from it, so that the two
cannot disagree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hsum._kernel import cursors
from hythe.identity.model import AuditEntry
from hythe.model import Page
from hythe.observe.rows import damaged, hash_of, insert_row, moment, row_digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from hythe.observe.stamp import Stamp

__all__ = [
    "Action",
    "is_enrolled",
    "list_audit",
    "next_in",
    "problems",
    "record",
    "revoked_at",
]

Action = Literal["issue", "rotate", "revoke", "withdraw"]

_COLUMNS = (
    "sequence", "action", "agent", "credential", "reason", "author", "proven",
    "recorded_at", "digest",
)  # fmt: skip
_SELECT = f"select {', '.join(_COLUMNS)} from credential_audit where store = ?"


def record(
    conn: sqlite3.Connection,
    stamp: Stamp,
    action: Action,
    agent: str,
    *,
    credential: str | None = None,
    reason: str | None = None,
) -> None:
    """Write down what is being done, in the same transaction."""
    row: dict[str, Any] = {
        "store": stamp.store,
        "sequence": next_in(conn, stamp.store, "entries"),
        "action": action,
        "agent": agent,
        "credential": credential,
        "reason": None if reason is None else reason.encode(),
        **stamp.fields,
    }
    insert_row(conn, "credential_audit", {**row, "digest": _guard(row)})


def is_enrolled(conn: sqlite3.Connection, store: int, agent: str) -> bool:
    """Tell whether an agent was issued a credential, and that was not withdrawn."""
    row = conn.execute(
        "select action from credential_audit where store = ? and agent = ? "
        "and action <> 'revoke' order by sequence desc limit 1",
        (store, agent),
    ).fetchone()
    return row is not None and row[0] != "withdraw"


def revoked_at(conn: sqlite3.Connection, store: int, identity: str) -> int | None:
    """Return when a credential was revoked, in microseconds, or None."""
    row = conn.execute(
        "select recorded_at from credential_audit "
        "where store = ? and credential = ? and action = 'revoke'",
        (store, identity),
    ).fetchone()
    return None if row is None else int(row[0])


def list_audit(
    conn: sqlite3.Connection, store: int, *, limit: int, cursor: str | None
) -> Page[AuditEntry]:
    """Return what was done with credentials, oldest first."""
    after = (
        cursors.decode("audit", cursor, after=int)["after"] if cursor is not None else 0
    )
    rows = conn.execute(
        f"{_SELECT} and sequence > ? order by sequence limit ?",
        (store, after, limit + 1),
    ).fetchall()
    page = tuple(_entry_of(row) for row in rows[:limit])
    more = len(rows) > limit
    return Page(
        page, cursors.encode("audit", {"after": page[-1].sequence}) if more else None
    )


# --- rows ---------------------------------------------------------------------------


def next_in(conn: sqlite3.Connection, store: int, column: str) -> int:
    """Count one more row of `credentials` or `entries`, and return its sequence."""
    row = conn.execute(
        "insert into credential_tally(store, credentials, entries) "
        f"values (?, {column == 'credentials':d}, {column == 'entries':d}) "
        f"on conflict(store) do update set {column} = {column} + 1 returning {column}",
        (store,),
    ).fetchone()
    return int(row[0])


def _guard(row: dict[str, Any]) -> str:
    return row_digest(
        "credential_audit",
        reason=hash_of(row["reason"]),
        proven=bool(row["proven"]),
        **{name: row[name] for name in _COLUMNS if name not in _NOT_PLAIN},
    )


_NOT_PLAIN = ("reason", "proven", "digest")


def _entry_of(found: Sequence[Any]) -> AuditEntry:
    row = dict(zip(_COLUMNS, found, strict=True))
    if _guard(row) != row.pop("digest"):
        raise damaged("audit entry", str(row["sequence"]))
    reason = row["reason"]
    row |= {
        "reason": None if reason is None else reason.decode(),
        "proven": bool(row["proven"]),
        "recorded_at": moment(row["recorded_at"]),
    }
    return AuditEntry(**row)


def problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each row that is not as it was written."""
    for found in conn.execute(_SELECT, (store,)).fetchall():
        row = dict(zip(_COLUMNS, found, strict=True))
        if _guard(row) != row["digest"]:
            yield f"audit entry {row['sequence']} is not as it was written"
    yield from _missing(conn, store)


def _missing(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    tallied = conn.execute(
        "select credentials, entries from credential_tally where store = ?", (store,)
    ).fetchone() or (0, 0)
    for table, wanted in zip(("credential", "credential_audit"), tallied, strict=True):
        count, last = conn.execute(
            f"select count(*), coalesce(max(sequence), 0) from {table} where store = ?",
            (store,),
        ).fetchone()
        if not count == last == wanted:
            yield f"rows of {table} are missing: {count} of {wanted}"
