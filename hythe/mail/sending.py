"""Sending: recipients are fixed, rows are written once, all in one transaction."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import canonical, digest_of
from hsum._kernel.faults import Fault
from hythe.checkpoint.scopes import At, require_scope, spelled
from hythe.identity.agents import capable_agents, is_registered, registered_agents
from hythe.mail import rows
from hythe.observe import keys
from hythe.observe.rows import hash_of, insert_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from hythe.mail.model import Sent
    from hythe.mail.requests import Address, NewMessage
    from hythe.observe.stamp import Stamp

__all__ = ["send"]


def send(conn: sqlite3.Connection, stamp: Stamp, new: NewMessage) -> Sent:
    """Send a message or a handoff.

    Raises:
        Fault: `SCOPE_UNKNOWN`; `KEY_REUSED`; `NOT_FOUND` where no registered agent is
            addressed, or `reply_to` or `supersedes` names what the sender may not.
    """
    scope = _scope(conn, stamp.store, new)
    name = spelled(conn, At(stamp.store, scope)) if scope else None
    wanted = keys.fingerprint(new.operation, stamp.author, **new.request(name))
    first = keys.recorded(conn, stamp, new.key, wanted)
    if first is not None:
        return rows.sent(conn, stamp.store, first, replayed=True)
    recipients = _recipients(conn, stamp, new.address)
    older = _superseded(conn, stamp, new.supersedes, recipients)
    thread = _thread(conn, stamp, new)
    message = _insert(conn, stamp, new, (scope, thread), older)
    for recipient, unregistered in recipients.items():
        _deliver(conn, stamp, message, recipient, unregistered=unregistered)
    identity = message["id"]
    keys.remember(
        conn, stamp, new.key, wanted, operation=new.operation, result=identity
    )
    return rows.sent(conn, stamp.store, identity)


# --- what is decided ----------------------------------------------------------------


def _scope(conn: sqlite3.Connection, store: int, new: NewMessage) -> int:
    return 0 if new.scope is None else require_scope(conn, store, new.scope).scope


def _recipients(
    conn: sqlite3.Connection, stamp: Stamp, address: Address
) -> dict[str, bool]:
    """Return the recipients, each with whether it is unregistered."""
    if address.agent is not None:
        return {address.agent: not is_registered(conn, stamp.store, address.agent)}
    found = (
        registered_agents(conn, stamp.store)
        if address.everyone
        else capable_agents(conn, stamp.store, address.capabilities)
    )
    others = [agent for agent in found if agent != stamp.author]
    if not others:
        raise Fault(
            "NOT_FOUND",
            "no other registered agent is addressed",
            hint="agents() shows who is registered, and with which capabilities.",
            details=address.as_data(),
        )
    return dict.fromkeys(others, False)


def _superseded(
    conn: sqlite3.Connection,
    stamp: Stamp,
    ids: Sequence[str],
    recipients: dict[str, bool],
) -> list[int]:
    """Return the numbers of the sender's own messages to one of the same recipients."""
    found = dict(
        conn.execute(
            "select m.id, m.number from message m where m.store = ? and m.author = ? "
            "and m.id in (select value from json_each(?)) and exists ("
            "select 1 from delivery d where d.store = m.store "
            "and d.message = m.number and d.recipient in "
            "(select value from json_each(?)))",
            (stamp.store, stamp.author, json.dumps(ids), json.dumps(list(recipients))),
        ).fetchall()
        if ids
        else []
    )
    rows.refuse_unknown(ids, found, "you sent to the same recipient")
    return sorted(found.values())


def _thread(conn: sqlite3.Connection, stamp: Stamp, new: NewMessage) -> str | None:
    """Return the thread: the one given, else that of what is replied to."""
    if new.reply_to is None:
        return new.thread
    row = conn.execute(
        "select m.thread from message m where m.store = ?1 and m.id = ?2 "
        "and (m.author = ?3 or exists (select 1 from delivery d "
        "where d.store = m.store and d.message = m.number and d.recipient = ?3))",
        (stamp.store, new.reply_to, stamp.author),
    ).fetchone()
    if row is None:
        rows.refuse_unknown([new.reply_to], {}, "you sent or received")
    return new.thread or str(row[0])


# --- what is written ----------------------------------------------------------------


def _insert(
    conn: sqlite3.Connection,
    stamp: Stamp,
    new: NewMessage,
    place: tuple[int, str | None],
    older: Sequence[int],
) -> dict[str, Any]:
    scope, thread = place
    identity, text = stamp.new_id(), new.text.encode()
    row: dict[str, Any] = {
        "store": stamp.store,
        "number": rows.next_number(conn, stamp.store),
        "id": identity,
        "handoff": int(new.handoff),
        "kind": new.kind,
        "priority": new.priority,
        # A message that neither names a thread nor replies begins one of its own.
        "thread": thread or identity,
        "reply_to": new.reply_to,
        "scope": scope,
        "text": text,
        "text_hash": hash_of(text),
        "evidence": canonical(new.evidence),
        "address": canonical(new.address.as_data()),
        "supersedes_hash": digest_of(older),
        **stamp.fields,
    }
    insert_row(conn, "message", {**row, "digest": rows.message_digest(row)})
    conn.executemany(
        "insert into message_supersession(store, older, newer) values (?, ?, ?)",
        [(stamp.store, old, row["number"]) for old in older],
    )
    return row


def _deliver(
    conn: sqlite3.Connection,
    stamp: Stamp,
    message: dict[str, Any],
    recipient: str,
    *,
    unregistered: bool,
) -> None:
    sequence = _next_sequence(conn, stamp.store, recipient)
    row = {
        "store": stamp.store,
        "recipient": recipient,
        "sequence": sequence,
        "message": message["number"],
        "unregistered": int(unregistered),
    }
    guard = rows.delivery_digest(row, message["id"])
    insert_row(conn, "delivery", {**row, "digest": guard})
    shown = {name: message[name] for name in _SHOWN}
    shown |= {"sender": stamp.author, "unread": 1, "open": 1, "archived": 0}
    place = {name: row[name] for name in ("store", "recipient", "sequence", "message")}
    insert_row(conn, "mailbox", {**place, **shown})


_SHOWN = ("thread", "scope", "recorded_at", "handoff")


def _next_sequence(conn: sqlite3.Connection, store: int, recipient: str) -> int:
    row = conn.execute(
        "insert into inbox_tally(store, recipient, latest, unread, pruned) "
        "values (?, ?, 1, 1, 0) on conflict(store, recipient) do update "
        "set latest = latest + 1, unread = unread + 1 returning latest",
        (store, recipient),
    ).fetchone()
    return int(row[0])
