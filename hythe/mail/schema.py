"""The tables of messages.

Recorded once, never changed: `message`, `message_supersession`, `delivery` (one row
for each recipient, fixed at sending), `mark` (read, acknowledged, archived).
Derived, kept in the transaction that writes the others: `mailbox` (a delivery with
what is asked about it, so that a page costs the same in any store), `inbox_tally`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hythe.observe.tables import STAMP, create_table

if TYPE_CHECKING:
    from sqlite_utils import Database

__all__ = ["DERIVED", "create_tables"]

DERIVED = ("mailbox", "inbox_tally")


def create_tables(db: Database) -> None:
    """Create the tables in an empty store, inside the caller's transaction."""
    create_table(
        db,
        "message",
        {
            "number": int,
            "id": str,
            "handoff": int,
            "kind": str,
            "priority": str,
            "thread": str,
            "reply_to": str,
            "scope": int,
            "text": bytes,
            "text_hash": str,
            "evidence": bytes,
            "address": bytes,
            "supersedes_hash": str,
            **STAMP,
        },
        ("store", "number"),
        optional={"kind", "reply_to"},
    )
    create_table(
        db,
        "delivery",
        {
            "recipient": str,
            "sequence": int,
            "message": int,
            "unregistered": int,
            "digest": str,
        },
        ("store", "recipient", "sequence"),
    )
    create_table(
        db,
        "mark",
        {"recipient": str, "sequence": int, "fact": str, **STAMP},
        ("store", "recipient", "sequence", "fact"),
    )
    db.table("message").create_index(["store", "id"], unique=True)
    db.table("delivery").create_index(["store", "message", "recipient"], unique=True)
    for statement in _SMALL_TABLES:
        db.execute(statement)


# Small rows that are read along their key: sqlite-utils has no WITHOUT ROWID.
_SMALL_TABLES = (
    """create table message_supersession (
        store integer not null, older integer not null, newer integer not null,
        primary key (store, older, newer)) strict, without rowid""",
    (
        "create index message_supersession_by"
        " on message_supersession (store, newer, older)"
    ),
    """create table mailbox (
        store integer not null, recipient text not null, sequence integer not null,
        message integer not null, sender text not null, thread text not null,
        scope integer not null, recorded_at integer not null,
        handoff integer not null, unread integer not null, open integer not null,
        archived integer not null,
        primary key (store, recipient, sequence)) strict, without rowid""",
    (
        "create index mailbox_kept on mailbox (store, recipient, sequence)"
        " where archived = 0"
    ),
    (
        "create index mailbox_unread on mailbox (store, recipient, sequence)"
        " where unread = 1 and archived = 0"
    ),
    (
        "create index mailbox_unread_in_scope on mailbox"
        " (store, recipient, scope, sequence)"
        " where handoff = 0 and unread = 1 and archived = 0"
    ),
    (
        "create index mailbox_open_handoffs on mailbox (store, recipient, scope, sequence)"
        " where handoff = 1 and open = 1"
    ),
    "create index mailbox_by_sender on mailbox (store, recipient, sender, sequence)",
    "create index mailbox_by_thread on mailbox (store, recipient, thread, sequence)",
    "create index mailbox_by_scope on mailbox (store, recipient, scope, sequence)",
    # `pruned` counts the deliveries that were removed on request.
    """create table inbox_tally (
        store integer not null, recipient text not null,
        latest integer not null, unread integer not null, pruned integer not null,
        primary key (store, recipient)) strict, without rowid""",
)
