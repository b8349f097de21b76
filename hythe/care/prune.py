"""Give back the space of what no one will read again; ids, hashes and keys stay."""

from __future__ import annotations

import itertools
from datetime import datetime
from typing import TYPE_CHECKING

import attrs

from hsum._kernel.canonical import canonical, digest
from hsum._kernel.clock import micros
from hythe.care.model import Pruned
from hythe.checkpoint.lines import chain_of
from hythe.checkpoint.pruned import is_pruned, skeleton
from hythe.checkpoint.scopes import At, list_scopes
from hythe.checkpoint.store import Row, load_row
from hythe.mail.pruning import prune_messages
from hythe.observe.tombstones import Tombstone, add_tombstone

if TYPE_CHECKING:
    import sqlite3

    from hythe._storage import Storage
    from hythe.observe.stamp import Stamp

__all__ = ["prune"]


def prune(
    storage: Storage,
    author: str,
    *,
    proven: bool,
    archived_before: datetime | str | None,
    dry_run: bool,
) -> Pruned:
    """Prune lineages or, with `archived_before`, messages."""
    before = None
    if archived_before is not None:
        before = micros(archived_before, "$.archived_before")
    if dry_run:
        with storage.reading() as (conn, store):
            return attrs.evolve(_found(conn, store, before), dry_run=True)
    size = _size(storage)
    with storage.writing(author, proven=proven) as (conn, stamp):
        done = _pruned(conn, stamp, before)
    storage.database.give_back_space()
    return attrs.evolve(done, freed=max(0, size - _size(storage)))


def _size(storage: Storage) -> int:
    path = storage.database.path
    return path.stat().st_size if path is not None and path.exists() else 0


def _found(conn: sqlite3.Connection, store: int, before: int | None) -> Pruned:
    if before is not None:
        messages, size = prune_messages(conn, store, before, dry_run=True)
        return Pruned(messages=messages, bytes=size)
    rows = [row for _, row in _candidates(conn, store)]
    states = _unused(conn, store, rows)
    # What is left says that it was pruned, and may be longer than a short payload.
    saved = sum(max(0, len(row.body) - len(_left(row))) for row in rows)
    return Pruned(
        checkpoints=len(rows),
        states=len(states),
        bytes=saved + sum(states.values()),
    )


def _pruned(conn: sqlite3.Connection, stamp: Stamp, before: int | None) -> Pruned:
    if before is not None:
        messages, size = prune_messages(conn, stamp.store, before)
        return Pruned(messages=messages, bytes=size)
    found = _found(conn, stamp.store, None)
    pruned = list(_candidates(conn, stamp.store))
    unused = _unused(conn, stamp.store, [row for _, row in pruned])
    for at, row in pruned:
        _empty(conn, stamp, at, row)
    conn.executemany(
        "delete from state where store = ? and digest = ?",
        [(stamp.store, wanted) for wanted in unused],
    )
    return found


# --- lineages ---------------------------------------------------------------------


def _candidates(
    conn: sqlite3.Connection, store: int
) -> itertools.chain[tuple[At, Row]]:
    scopes = [at for at, _ in list_scopes(conn, store)]
    return itertools.chain.from_iterable(_of_scope(conn, at) for at in scopes)


def _of_scope(conn: sqlite3.Connection, at: At) -> list[tuple[At, Row]]:
    """Return the checkpoints that lead to retired and settled ends alone."""
    ended: set[int] = set()
    kept: set[int] = set()
    for tip, is_over in conn.execute(_ENDS, at).fetchall():
        (ended if is_over else kept).update(chain_of(conn, at, tip)[0])
    rows = (load_row(conn, at, revision) for revision in sorted(ended - kept))
    return [(at, row) for row in rows if not is_pruned(row.content)]


_ENDS = """
    select l.tip, l.retired > 0 and not exists (select 1 from tip_value v
        where v.store = l.store and v.scope = l.scope and v.line = l.line
        and v.settled = 0)
    from line l where l.store = ? and l.scope = ?
"""


def _left(row: Row) -> bytes:
    return canonical(skeleton(row.content, row.id))


def _empty(conn: sqlite3.Connection, stamp: Stamp, at: At, row: Row) -> None:
    body = _left(row)
    conn.execute(
        "update checkpoint set body = ? where store = ? and scope = ? and revision = ?",
        (body, *at, row.revision),
    )
    new = Tombstone(row.id, "prune", "$", row.content_hash, digest(body))
    add_tombstone(conn, stamp, new)


def _unused(conn: sqlite3.Connection, store: int, rows: list[Row]) -> dict[str, int]:
    """Return the states, with their sizes, that only these checkpoints have."""
    going = {row.id for row in rows}
    wanted = {row.state for row in rows}
    still_used = {
        state
        for identity, state in conn.execute(
            "select c.id, c.state from checkpoint c where c.store = ? and not exists "
            "(select 1 from tombstone t where t.store = c.store and t.target = c.id "
            "and t.what = 'prune')",
            (store,),
        )
        if identity not in going
    }
    return {
        state: conn.execute(
            "select length(body) from state where store = ? and digest = ?",
            (store, state),
        ).fetchone()[0]
        for state in sorted(wanted - still_used)
    }
