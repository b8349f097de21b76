"""Bytes that were changed on purpose: each change is recorded, none goes unseen.

A tombstone row binds the hash of the bytes as they were written to the hash of what
stands in their place. Checks of hashes accept exactly that replacement. `salt` makes
the tombstone of a redacted value differ from a plain hash of it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, final

import attrs

from hythe.observe.rows import hash_of, insert_row, row_digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping

    from sqlite_utils import Database

    from hythe.observe.rows import Hash
    from hythe.observe.stamp import Stamp

__all__ = [
    "Tombstone",
    "accepts",
    "add_tombstone",
    "create_tables",
    "guard",
    "problems",
    "recorded_hash",
    "stands",
]


@final
@attrs.frozen
class Tombstone:
    """One change: of which record, where in it, why.

    Attributes:
        target: the id of the record, or the digest of a state.
        what: `redact` or `prune`.
        path: the value in it, as a JSON path.
        original: the hash of the bytes as they were written.
        replacement: the hash of the bytes that stand there now.
    """

    target: str
    what: str
    path: str
    original: str
    replacement: str
    salt: str = ""
    reason: str = ""


def create_tables(db: Database) -> None:
    """Create the table in an empty store, inside the caller's transaction."""
    columns = {
        "store": int,
        **dict.fromkeys((field.name for field in attrs.fields(Tombstone)), str),
        "author": str,
        "proven": int,
        "recorded_at": int,
        "digest": str,
    }
    table = db.table("tombstone")
    table.create(
        columns, pk=("store", "replacement"), not_null=set(columns), strict=True
    )
    table.create_index(["store", "target"])


def add_tombstone(conn: sqlite3.Connection, stamp: Stamp, new: Tombstone) -> None:
    """Record a change, in the transaction that makes it."""
    row = {**attrs.asdict(new), **stamp.fields}
    insert_row(conn, "tombstone", {"store": stamp.store, **row, "digest": guard(row)})


def guard(row: dict[str, Any]) -> str:
    """Return the digest of a row."""
    return row_digest("tombstone", **{**row, "proven": bool(row["proven"])})


def recorded_hash(
    conn: sqlite3.Connection, store: int, body: bytes | None
) -> str | None:
    """Return the hash of a body as it was written, whatever stands in its place."""
    found = hash_of(body)
    row = conn.execute(
        "select original from tombstone where store = ? and replacement = ?",
        (store, found),
    ).fetchone()
    return found if row is None else str(row[0])


def accepts(conn: sqlite3.Connection, store: int, wanted: str, body: bytes) -> bool:
    """Tell whether a body is as it was written, or its recorded replacement."""
    return hash_of(body) == wanted or recorded_hash(conn, store, body) == wanted


def stands(
    conn: sqlite3.Connection,
    store: int,
    row: Mapping[str, Any],
    digested: Callable[[Hash], str],
) -> bool:
    """Tell whether a row and its text are as they were written, or as recorded since.

    Args:
        conn: a connection.
        store: the store of the row.
        row: its `text`, `text_hash` and `digest`, among others.
        digested: gives the digest of the row, with a hash of each of its bodies.
    """

    def whole(hashed: Hash) -> bool:
        same = digested(hashed) == row["digest"]
        return bool(same and hashed(row["text"]) == row["text_hash"])

    return whole(hash_of) or whole(functools.partial(recorded_hash, conn, store))


def problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each row that is not as it was written."""
    names = [*(field.name for field in attrs.fields(Tombstone)), *_STAMPED]
    for found in conn.execute(
        f"select {', '.join(names)}, digest from tombstone where store = ?", (store,)
    ):
        row = dict(zip(names, found[:-1], strict=True))
        if guard(row) != found[-1]:
            yield f"the tombstone of {row['target']} is not as it was written"


_STAMPED = ("author", "proven", "recorded_at")
