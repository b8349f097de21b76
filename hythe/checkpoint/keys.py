"""Idempotency keys of a scope: one key, one request, one checkpoint for ever."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from hythe.checkpoint.scopes import At
from hythe.observe.keys import first_result
from hythe.observe.rows import row_digest

__all__ = ["problems", "recorded", "remember"]


def recorded(conn: sqlite3.Connection, at: At, key: str, wanted: str) -> int | None:
    """Return the revision this key wrote, or None where the key is new.

    Raises:
        Fault: `KEY_REUSED` for another request; the first one is not shown.
    """
    row = conn.execute(
        "select fingerprint, revision from checkpoint_key "
        "where store = ? and scope = ? and key = ?",
        (*at, key),
    ).fetchone()
    found = first_result(row, wanted, key, "in this scope")
    return None if found is None else int(found)


def remember(
    conn: sqlite3.Connection, at: At, key: str, wanted: str, revision: int
) -> None:
    """Bind a key to its request and checkpoint."""
    guard = _digest(at.scope, key, wanted, revision)
    conn.execute(
        "insert into checkpoint_key(store, scope, key, fingerprint, revision, digest) "
        "values (?, ?, ?, ?, ?, ?)",
        (*at, key, wanted, revision, guard),
    )


def _digest(scope: int, key: str, wanted: str, revision: int) -> str:
    return row_digest(
        "checkpoint_key", scope=scope, key=key, fingerprint=wanted, revision=revision
    )


def problems(conn: sqlite3.Connection, at: At, revisions: int) -> Iterator[str]:
    """Yield one sentence for each key row that is not as it was written."""
    rows = conn.execute(
        "select key, fingerprint, revision, digest from checkpoint_key "
        "where store = ? and scope = ? order by key",
        at,
    )
    for key, wanted, revision, guard in rows:
        sound = guard == _digest(at.scope, key, wanted, revision)
        if not sound or not 0 < revision <= revisions:
            yield f"the key {key!r} is not as it was written"
