"""The derived tables of some inboxes, made again from deliveries and marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

__all__ = ["rebuild"]

_MARKED = """exists (select 1 from mark k where k.store = d.store
    and k.recipient = d.recipient and k.sequence = d.sequence and k.fact = '{}')"""
_STATEMENTS = (
    "delete from mailbox where store = ?1 and recipient = ?2",
    f"""insert into mailbox(store, recipient, sequence, message, sender, thread, scope,
            recorded_at, handoff, unread, open, archived)
        select d.store, d.recipient, d.sequence, d.message, m.author, m.thread, m.scope,
            m.recorded_at, m.handoff, not {_MARKED.format("read")},
            not {_MARKED.format("acknowledged")}, {_MARKED.format("archived")}
        from delivery d join message m on m.store = d.store and m.number = d.message
        where d.store = ?1 and d.recipient = ?2""",
    """update inbox_tally set unread = (select count(*) from mailbox b
            where b.store = ?1 and b.recipient = ?2 and b.unread = 1
            and b.archived = 0)
        where store = ?1 and recipient = ?2""",
)


def rebuild(conn: sqlite3.Connection, store: int, recipients: Iterable[str]) -> None:
    """Rebuild these inboxes; their newest sequence and what was pruned stay."""
    for recipient in sorted(recipients):
        for statement in _STATEMENTS:
            conn.execute(statement, (store, recipient))
