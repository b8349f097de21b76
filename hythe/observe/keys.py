"""Idempotency keys of an author: one key, one request, one result for ever."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import digest_of
from hsum._kernel.faults import Fault
from hythe.observe.rows import insert_row, row_digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence

    from hythe.observe.stamp import Stamp

__all__ = [
    "fingerprint",
    "first_result",
    "key_digest",
    "lost",
    "problems",
    "recorded",
    "remember",
]


def fingerprint(operation: str, author: str, **request: Any) -> str:
    """Return what makes two requests the same: who asks for what, all content."""
    return digest_of({"operation": operation, "author": author, "request": request})


def recorded(
    conn: sqlite3.Connection, stamp: Stamp, key: str | None, wanted: str
) -> str | None:
    """Return the first result of this key, or None where the key is new.

    Raises:
        Fault: `KEY_REUSED` for another request; the first one is not shown.
    """
    if key is None:
        return None
    row = conn.execute(
        "select fingerprint, result from author_key "
        "where store = ? and author = ? and key = ?",
        (stamp.store, stamp.author, key),
    ).fetchone()
    found = first_result(row, wanted, key, f"by {stamp.author}")
    return None if found is None else str(found)


def first_result(
    row: tuple[str, Any] | None, wanted: str, key: str, where: str
) -> Any | None:
    """Return the result in a key's row, or None where there is no row.

    Args:
        row: the fingerprint that was bound to the key, and the result.
        wanted: the fingerprint of the request at hand.
        key: the key.
        where: whose it is, for the message.

    Raises:
        Fault: `KEY_REUSED`.
    """
    if row is None:
        return None
    fingerprint, result = row
    if fingerprint != wanted:
        raise Fault(
            "KEY_REUSED",
            f"the key {key!r} was used for another request {where}",
            details={"key": key},
        )
    return result


def remember(
    conn: sqlite3.Connection,
    stamp: Stamp,
    key: str | None,
    wanted: str,
    *,
    operation: str,
    result: str,
) -> None:
    """Bind a key to its request and result; without a key, nothing."""
    if key is None:
        return
    row = {
        "key": key,
        "operation": operation,
        "fingerprint": wanted,
        "result": result,
        **stamp.fields,
    }
    stored = {"store": stamp.store, **row, "digest": key_digest(row)}
    insert_row(conn, "author_key", stored)


def key_digest(row: Mapping[str, Any]) -> str:
    """Return the digest that guards a key's row."""
    plain = {name: row[name] for name in _GUARDED}
    return row_digest("author_key", proven=bool(row["proven"]), **plain)


_GUARDED = ("key", "operation", "fingerprint", "result", "author", "recorded_at")


def problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each key row that is not as it was written."""
    names = (*_GUARDED, "proven", "digest")
    rows = conn.execute(
        f"select {', '.join(names)} from author_key where store = ?", (store,)
    )
    for found in rows:
        row = dict(zip(names, found, strict=True))
        if key_digest(row) != row["digest"]:
            yield (
                f"the idempotency key {row['key']!r} of {row['author']} "
                "is not as it was written"
            )


def lost(
    conn: sqlite3.Connection, store: int, operations: Sequence[str], table: str
) -> Iterator[str]:
    """Yield one sentence for each key of these operations whose result is gone."""
    rows = conn.execute(
        "select k.key, k.author from author_key k where k.store = ? and k.operation "
        "in (select value from json_each(?)) and not exists (select 1 "
        f"from {table} t where t.store = k.store and t.id = k.result)",
        (store, json.dumps(operations)),
    )
    for key, author in rows:
        yield f"what the idempotency key {key!r} of {author} wrote is missing"
