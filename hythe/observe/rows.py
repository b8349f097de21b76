"""Rows that are written once, each guarded by a digest of what it says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import digest, digest_of
from hsum._kernel.faults import Fault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    Hash = Callable[[bytes | None], str | None]
    """Gives the hash by which a row digest covers a body."""

__all__ = ["damaged", "hash_of", "insert_row", "moment", "row_digest"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def insert_row(conn: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    """Write one row; the names of table and columns are ours."""
    marks = ", ".join("?" * len(row))
    conn.execute(
        f"insert into {table}({', '.join(row)}) values ({marks})", tuple(row.values())
    )


def row_digest(table: str, **fields: Any) -> str:
    """Return the digest of a row: plain JSON data, bodies by their hash."""
    return digest_of({"table": table, **fields})


def hash_of(body: bytes | None) -> str | None:
    """Return the hash by which a row digest covers a body."""
    return None if body is None else digest(body)


def moment(micros: int) -> datetime:
    """Return stored microseconds as an aware time."""
    return _EPOCH + timedelta(microseconds=micros)


def damaged(what: str, identity: str) -> Fault:
    """Return the fault for a row that is not as it was written."""
    return Fault(
        "INTEGRITY_FAILED",
        f"{what} {identity} is not as it was written",
        details={"what": what, "id": identity},
    )
