"""Taking away messages that all their recipients archived long ago.

Deliveries, marks and text go; the row of a message stays with its id and hashes, so
that its key, threads and supersessions still mean what they meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

__all__ = ["prune_messages"]

# Every delivery of such a message was archived before ?2.
_OVER = """
    from message m where m.store = ?1
    and exists (select 1 from delivery d
        where d.store = m.store and d.message = m.number)
    and not exists (select 1 from delivery d
        left join mark k on k.store = d.store and k.recipient = d.recipient
            and k.sequence = d.sequence and k.fact = 'archived'
            and k.recorded_at < ?2
        where d.store = m.store and d.message = m.number and k.fact is null)
"""


def prune_messages(
    conn: sqlite3.Connection, store: int, before: int, *, dry_run: bool = False
) -> tuple[int, int]:
    """Prune in the caller's transaction; return how many messages and bytes."""
    found = conn.execute(
        f"select m.number, length(m.text) {_OVER}", (store, before)
    ).fetchall()
    if not dry_run:
        for number, _ in found:
            _prune(conn, store, number)
    return len(found), sum(size for _, size in found)


def _prune(conn: sqlite3.Connection, store: int, number: int) -> None:
    places = conn.execute(
        "select store, recipient, sequence from delivery "
        "where store = ? and message = ?",
        (store, number),
    ).fetchall()
    for table in ("mark", "mailbox", "delivery"):
        conn.executemany(
            f"delete from {table} where store = ? and recipient = ? and sequence = ?",
            places,
        )
    conn.executemany(
        "update inbox_tally set pruned = pruned + 1 where store = ? and recipient = ?",
        [place[:2] for place in places],
    )
    conn.execute(
        "update message set text = x'' where store = ? and number = ?", (store, number)
    )
