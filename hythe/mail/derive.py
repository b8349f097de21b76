"""The derived tables of some inboxes, made again from deliveries and marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

__all__ = ["problems", "rebuild"]

_MARKED = """exists (select 1 from mark k where k.store = d.store
    and k.recipient = d.recipient and k.sequence = d.sequence and k.fact = '{}')"""
# What each column of a mailbox is, beside its key.
_SHOWN = {
    "message": "d.message",
    "sender": "m.author",
    "thread": "m.thread",
    "scope": "m.scope",
    "recorded_at": "m.recorded_at",
    "handoff": "m.handoff",
    "unread": f"not {_MARKED.format('read')}",
    "open": f"not {_MARKED.format('acknowledged')}",
    "archived": _MARKED.format("archived"),
}
_DELIVERED = "delivery d join message m on m.store = d.store and m.number = d.message"
_UNREAD = """(select count(*) from mailbox b where b.store = t.store
    and b.recipient = t.recipient and b.unread = 1 and b.archived = 0)"""
_STATEMENTS = (
    "delete from mailbox where store = ?1 and recipient = ?2",
    f"""insert into mailbox(store, recipient, sequence, {", ".join(_SHOWN)})
        select d.store, d.recipient, d.sequence, {", ".join(_SHOWN.values())}
        from {_DELIVERED} where d.store = ?1 and d.recipient = ?2""",
    f"""update inbox_tally as t set unread = {_UNREAD}
        where store = ?1 and recipient = ?2""",
)


def rebuild(conn: sqlite3.Connection, store: int, recipients: Iterable[str]) -> None:
    """Rebuild these inboxes; their newest sequence and what was pruned stay."""
    for recipient in sorted(recipients):
        for statement in _STATEMENTS:
            conn.execute(statement, (store, recipient))


def problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each derived row that is not what a rebuild makes."""
    stored = ", ".join(f"b.{name}" for name in _SHOWN)
    wrong = conn.execute(
        f"select d.recipient, d.sequence from {_DELIVERED} left join mailbox b "
        "on b.store = d.store and b.recipient = d.recipient "
        f"and b.sequence = d.sequence where d.store = ? and ({stored}) "
        f"is not ({', '.join(_SHOWN.values())})",
        (store,),
    )
    for recipient, sequence in wrong:
        yield f"{recipient}/{sequence} is not shown as its delivery and marks say"
    tallies = conn.execute(
        f"select t.recipient, t.unread, {_UNREAD} from inbox_tally t where t.store = ?",
        (store,),
    )
    for recipient, tallied, unread in tallies:
        if tallied != unread:
            yield f"{recipient} has {unread} unread messages, not {tallied}"
