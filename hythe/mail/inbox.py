"""Inboxes: listed without consuming, marked by exact ids."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hsum._kernel import cursors
from hythe.checkpoint.scopes import require_scope
from hythe.mail import rows
from hythe.mail.model import InboxPage, Marked
from hythe.observe.rows import insert_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from hythe.mail.model import FactName, Message
    from hythe.mail.requests import Filters
    from hythe.observe.stamp import Stamp

__all__ = [
    "count_open_handoffs",
    "count_unread_messages",
    "list_inbox",
    "mark",
    "open_handoffs",
    "unread_messages",
]


def list_inbox(
    conn: sqlite3.Connection,
    store: int,
    agent: str,
    wanted: Filters,
    *,
    limit: int,
    cursor: str | None,
) -> InboxPage:
    """Return messages of an inbox in its own order, oldest first.

    Raises:
        Fault: `SCOPE_UNKNOWN`, `INVALID_ARGUMENT` for a foreign cursor.
    """
    kind = f"inbox:{agent}:{wanted.key}"
    after = (
        cursors.decode(kind, cursor, after=int)["after"]
        if cursor is not None
        else wanted.after
    )
    found = _sequences(conn, store, agent, wanted, after=after, limit=limit + 1)
    page = found[:limit]
    latest, unread = _tally(conn, store, agent)
    return InboxPage(
        agent,
        tuple(rows.load_message(conn, store, agent, sequence) for sequence in page),
        cursors.encode(kind, {"after": page[-1]}) if len(found) > limit else None,
        latest,
        unread,
    )


def _sequences(
    conn: sqlite3.Connection,
    store: int,
    agent: str,
    wanted: Filters,
    *,
    after: int,
    limit: int,
) -> list[int]:
    terms = {"store = ?": store, "recipient = ?": agent, "sequence > ?": after}
    if wanted.sender is not None:
        terms["sender = ?"] = wanted.sender
    if wanted.thread is not None:
        terms["thread = ?"] = wanted.thread
    if wanted.scope is not None:
        terms["scope = ?"] = require_scope(conn, store, wanted.scope).scope
    if wanted.since is not None:
        terms["recorded_at >= ?"] = wanted.since
    # Written out, so that the partial indexes apply.
    flags = [*["unread = 1"] * wanted.unread, *["archived = 0"] * (not wanted.archived)]
    found = conn.execute(
        f"select sequence from mailbox {_index(wanted)} "
        f"where {' and '.join([*terms, *flags])} order by sequence limit ?",
        (*terms.values(), limit),
    )
    return [row[0] for row in found]


def _index(wanted: Filters) -> str:
    """Name the index to walk: left alone, SQLite walks the whole inbox in order."""
    if wanted.unread and not wanted.archived:
        return "indexed by mailbox_unread"
    for name in ("thread", "sender", "scope"):
        if getattr(wanted, name) is not None:
            return f"indexed by mailbox_by_{name}"
    return "" if wanted.archived else "indexed by mailbox_kept"


def _tally(conn: sqlite3.Connection, store: int, agent: str) -> tuple[int, int]:
    row = conn.execute(
        "select latest, unread from inbox_tally where store = ? and recipient = ?",
        (store, agent),
    ).fetchone()
    return (0, 0) if row is None else (row[0], row[1])


def waiting(conn: sqlite3.Connection, store: int, agent: str) -> tuple[int, int, int]:
    """Return the newest sequence, the unread, and the handoffs not acknowledged."""
    (handoffs,) = conn.execute(
        f"select count(*) from {_OPEN_HANDOFFS} and store = ? and recipient = ?",
        (store, agent),
    ).fetchone()
    return (*_tally(conn, store, agent), handoffs)


# --- marks --------------------------------------------------------------------------

_SHOWN: dict[FactName, str] = {
    "read": "unread = 0",
    "acknowledged": "open = 0",
    "archived": "archived = 1",
}


def mark(
    conn: sqlite3.Connection, stamp: Stamp, fact: FactName, ids: Sequence[str]
) -> Marked:
    """Mark exactly these messages of the author's own inbox; the first mark stays.

    Raises:
        Fault: `NOT_FOUND` where an id is not of this inbox; nothing is then marked.
    """
    found = _own(conn, stamp, ids)
    rows.refuse_unknown(ids, found, "was sent to you")
    changed = tuple(
        identity for identity in ids if _mark_one(conn, stamp, fact, found[identity])
    )
    return Marked(fact, tuple(ids), changed)


def _own(conn: sqlite3.Connection, stamp: Stamp, ids: Sequence[str]) -> dict[str, int]:
    if not ids:
        return {}
    found = conn.execute(
        "select m.id, d.sequence from json_each(?) j cross join message m "
        "on m.store = ? and m.id = j.value cross join delivery d "
        "on d.store = m.store and d.message = m.number and d.recipient = ?",
        (json.dumps(ids), stamp.store, stamp.author),
    )
    return dict(found.fetchall())


def _mark_one(
    conn: sqlite3.Connection, stamp: Stamp, fact: FactName, sequence: int
) -> bool:
    """Mark one message; tell whether that is new."""
    key = (stamp.store, stamp.author, sequence)
    marked = conn.execute(
        "select 1 from mark where store = ? and recipient = ? and sequence = ? "
        "and fact = ?",
        (*key, fact),
    ).fetchone()
    if marked:
        return False
    row: dict[str, Any] = {"recipient": stamp.author, "sequence": sequence}
    row |= {"fact": fact, **stamp.fields}
    guard = rows.mark_digest(row)
    insert_row(conn, "mark", {"store": stamp.store, **row, "digest": guard})
    _show(conn, key, fact)
    return True


def _show(conn: sqlite3.Connection, key: tuple[int, str, int], fact: FactName) -> None:
    """Bring the derived rows up to date."""
    unread, archived = conn.execute(
        "select unread, archived from mailbox "
        "where store = ? and recipient = ? and sequence = ?",
        key,
    ).fetchone()
    conn.execute(
        f"update mailbox set {_SHOWN[fact]} "
        "where store = ? and recipient = ? and sequence = ?",
        key,
    )
    if fact != "acknowledged" and unread and not archived:
        conn.execute(
            "update inbox_tally set unread = unread - 1 "
            "where store = ? and recipient = ?",
            key[:2],
        )


# --- sections of resume -------------------------------------------------------------

_OPEN_HANDOFFS = (
    "mailbox indexed by mailbox_open_handoffs where handoff = 1 and open = 1"
)
_UNREAD_MESSAGES = (
    "mailbox indexed by mailbox_unread_in_scope "
    "where handoff = 0 and unread = 1 and archived = 0"
)


def open_handoffs(
    conn: sqlite3.Connection,
    store: int,
    agent: str,
    scope: int,
    *,
    after: int,
    limit: int,
) -> tuple[Message, ...]:
    """Return handoffs to an agent in a scope that it has not acknowledged."""
    return _section(conn, (store, agent, scope), _OPEN_HANDOFFS, after, limit)


def unread_messages(
    conn: sqlite3.Connection,
    store: int,
    agent: str,
    scope: int,
    *,
    after: int,
    limit: int,
) -> tuple[Message, ...]:
    """Return unread messages to an agent in a scope, neither archived nor handoffs."""
    return _section(conn, (store, agent, scope), _UNREAD_MESSAGES, after, limit)


def count_open_handoffs(
    conn: sqlite3.Connection, store: int, agent: str, scope: int
) -> int:
    """Return how many `open_handoffs` there are."""
    return _count(conn, (store, agent, scope), _OPEN_HANDOFFS)


def count_unread_messages(
    conn: sqlite3.Connection, store: int, agent: str, scope: int
) -> int:
    """Return how many `unread_messages` there are."""
    return _count(conn, (store, agent, scope), _UNREAD_MESSAGES)


def _section(
    conn: sqlite3.Connection,
    place: tuple[int, str, int],
    source: str,
    after: int,
    limit: int,
) -> tuple[Message, ...]:
    found = conn.execute(
        f"select sequence from {source} and store = ? and recipient = ? "
        "and scope = ? and sequence > ? order by sequence limit ?",
        (*place, after, limit),
    ).fetchall()
    return tuple(rows.load_message(conn, *place[:2], row[0]) for row in found)


def _count(conn: sqlite3.Connection, place: tuple[int, str, int], source: str) -> int:
    row = conn.execute(
        f"select count(*) from {source} and store = ? and recipient = ? and scope = ?",
        place,
    ).fetchone()
    return int(row[0])
