"""No row of a store can be removed unseen, but for those that nothing else tells of."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter

import pytest

from hythe.care.doctor import examine
from hythe.checkpoint.legacy import Legacy, insert_legacy
from hythe.checkpoint.scopes import At
from tests.care.shop import filled, opened

# How many rows of a table may each go unseen: no other row says that they were there.
SILENT = Counter(
    {
        "author_key": 2,
        "checkpoint_key": 2,
        # The newest: a gap tells of any other.
        "legacy": 1,
        # The newest, once a prune has taken all that points to it.
        "message": 1,
    }
)
# Of these, every row may go at once.
FORGOTTEN = {"author_key", "checkpoint_key", "legacy"}


@pytest.fixture(scope="module")
def conn(tmp_path_factory):
    """A copy of a store with rows in each table: redacted, pruned and imported, too."""
    path = tmp_path_factory.mktemp("removed") / "team.hythe"
    with opened(path) as store:
        names = filled(store)
        store.redact(names["first"], "$.facts[0].object", reason="a password")
        store.redact(names["old"], reason="a password")
        gone = store.send("zed", text="gone")
        store.as_agent("zed").archive([gone.id])
        store.prune()
        store.prune(archived_before="2100-01-01T00:00:00Z")
        shown = store.send("zed", text="stays")
        store.as_agent("zed").read([shown.id])
        last = store.send("zed", text="gone, too")
        store.as_agent("zed").archive([last.id])
        store.prune(archived_before="2100-01-01T00:00:00Z")
        with store._storage.writing("importer") as (conn, stamp):
            value = {"subject": "x", "predicate": "is", "object": "y"}
            for ordinal, name in enumerate("abc"):
                insert_legacy(
                    conn, At(1, 1), stamp, Legacy("fact", name, ordinal, value)
                )
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as conn:
        yield conn


def _tables(conn):
    """Return the tables with rows of a store; the full-text ones have their own law."""
    found = conn.execute(
        "select s.name from sqlite_schema s, pragma_table_info(s.name) c "
        "where s.type = 'table' and c.name = 'store'"
    )
    return [row[0] for row in found]


def _is_unseen(conn, statement, values=()):
    conn.execute("begin")
    try:
        conn.execute(statement, values)
        return not examine(conn, 1).problems
    finally:
        conn.execute("rollback")


def test_the_store_is_well_and_has_rows_of_every_kind(conn):
    """What is tried below is tried on every table."""
    empty = [
        table
        for table in _tables(conn)
        if conn.execute(f"select 1 from {table}").fetchone() is None
    ]

    assert () == examine(conn, 1).problems
    assert [] == empty


def test_no_row_can_be_removed_unseen(conn):
    """Doctor names a missing row of any table, but for the documented ones."""
    unseen = Counter()
    for table in _tables(conn):
        names = [row[1] for row in conn.execute(f"pragma table_info({table})")]
        where = " and ".join(f"{name} is ?" for name in names)
        for row in conn.execute(f"select * from {table}").fetchall():
            unseen[table] += _is_unseen(conn, f"delete from {table} where {where}", row)

    assert +unseen == SILENT


def test_no_table_can_be_emptied_unseen(conn):
    """Doctor names a table that lost all its rows, but for the documented ones."""
    unseen = {
        table for table in _tables(conn) if _is_unseen(conn, f"delete from {table}")
    }

    assert unseen == FORGOTTEN
