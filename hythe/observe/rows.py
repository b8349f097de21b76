"""Rows that are written once, each guarded by a digest of what it says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import digest, digest_of
from hsum._kernel.faults import Fault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Hash = Callable[[bytes | None], str | None]
    """Gives the hash by which a row digest covers a body."""

__all__ = [
    "damaged",
    "gaps",
    "hash_of",
    "insert_row",
    "moment",
    "row_digest",
    "strays",
]

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


# --- doctor -------------------------------------------------------------------------


def gaps(conn: sqlite3.Connection, store: int, table: str) -> Iterator[str]:
    """Yield a sentence where the numbers of a table are not 1 to how many it has.

    For tables whose rows are never removed: each new one takes the next number.
    """
    count, first, last = conn.execute(
        "select count(*), coalesce(min(number), 1), coalesce(max(number), 0) "
        f"from {table} where store = ?",
        (store,),
    ).fetchone()
    if first < 1 or count != last:
        yield f"rows of {table} are missing: {count} of {last}"


def strays(
    conn: sqlite3.Connection,
    store: int,
    tables: Iterable[str],
    owner: str,
    *columns: tuple[str, str],
) -> Iterator[str]:
    """Yield a sentence for each table with rows whose owner's row is not there.

    Args:
        conn: a connection.
        store: the store of the rows.
        tables: the tables.
        owner: the table of what their rows belong to.
        columns: pairs of a column of theirs and the column of the owner it names.
    """
    same = " and ".join(f"o.{there} = t.{here}" for here, there in columns)
    for table in tables:
        (count,) = conn.execute(
            f"select count(*) from {table} t where not exists (select 1 "
            f"from {owner} o where o.store = t.store and o.store = ? and {same})",
            (store,),
        ).fetchone()
        if count:
            yield f"{count} rows of {table} belong to no {owner}"
