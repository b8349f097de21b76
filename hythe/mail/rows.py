"""Messages, deliveries and marks as rows: read back against their digests."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import digest_of
from hsum._kernel.faults import Fault
from hythe.checkpoint.scopes import At, spelled
from hythe.mail import derive
from hythe.mail.model import Delivery, Mark, Message, Sent
from hythe.observe import keys
from hythe.observe.rows import damaged, gaps, hash_of, moment, row_digest, strays
from hythe.observe.tombstones import stands

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hythe.model import ScopeName
    from hythe.observe.rows import Hash

__all__ = [
    "deliveries",
    "delivery_digest",
    "find_message",
    "load_message",
    "mark_digest",
    "message_digest",
    "next_number",
    "problems",
    "refuse_unknown",
    "sent",
]


def refuse_unknown(ids: Sequence[str], known: Iterable[str], whose: str) -> None:
    """Refuse ids that are not known; foreign and unknown ones are the same.

    Raises:
        Fault: `NOT_FOUND`.
    """
    found = set(known)
    unknown = [identity for identity in ids if identity not in found]
    if unknown:
        more = f", nor {len(unknown) - 1:,} more" if len(unknown) > 1 else ""
        raise Fault(
            "NOT_FOUND",
            f"no message that {whose} has the id {unknown[0]!r}{more}",
            hint="Nothing was changed; take ids from your own inbox.",
            details={
                "ids": unknown[:100],
                "count": len(unknown),
                "matched": len(ids) - len(unknown),
            },
        )


def next_number(conn: sqlite3.Connection, store: int) -> int:
    """Return the number for the next message of the store."""
    row = conn.execute(
        "select coalesce(max(number), 0) + 1 from message where store = ?", (store,)
    ).fetchone()
    return int(row[0])


# --- digests ------------------------------------------------------------------------


def message_digest(row: Mapping[str, Any], hashed: Hash = hash_of) -> str:
    """Return the digest of a message's row."""
    return row_digest(
        "message",
        handoff=bool(row["handoff"]),
        proven=bool(row["proven"]),
        evidence=hashed(row["evidence"]),
        address=hash_of(row["address"]),
        **{name: row[name] for name in _GUARDED},
    )


_GUARDED = (
    "id", "kind", "priority", "thread", "reply_to", "scope", "text_hash",
    "supersedes_hash", "author", "recorded_at",
)  # fmt: skip


def delivery_digest(row: Mapping[str, Any], message: str) -> str:
    """Return the digest of a delivery's row; `message` is the message's id."""
    return row_digest(
        "delivery",
        message=message,
        recipient=row["recipient"],
        sequence=row["sequence"],
        unregistered=bool(row["unregistered"]),
    )


def mark_digest(row: Mapping[str, Any]) -> str:
    """Return the digest of a mark's row."""
    return row_digest(
        "mark",
        proven=bool(row["proven"]),
        **{name: row[name] for name in ("recipient", "sequence", "fact")},
        **{name: row[name] for name in ("author", "recorded_at")},
    )


# --- reading ------------------------------------------------------------------------

_MESSAGE = (
    "number", "id", "handoff", "kind", "priority", "thread", "reply_to", "scope",
    "text", "text_hash", "evidence", "address", "supersedes_hash", "author", "proven",
    "recorded_at", "digest",
)  # fmt: skip
_SELECT = f"select {', '.join(_MESSAGE)} from message where store = ?"
_DELIVERY = ("recipient", "sequence", "message", "unregistered", "digest")
_MARK = (
    "recipient", "sequence", "fact", "author", "proven", "recorded_at", "digest",
)  # fmt: skip


def sent(
    conn: sqlite3.Connection, store: int, identity: str, *, replayed: bool = False
) -> Sent:
    """Return what a send did."""
    row = _row(conn, store, "id", identity)
    found = conn.execute(
        "select recipient, unregistered from delivery "
        "where store = ? and message = ? order by recipient",
        (store, row["number"]),
    ).fetchall()
    return Sent(
        identity,
        row["thread"],
        moment(row["recorded_at"]),
        tuple(recipient for recipient, _ in found),
        tuple(recipient for recipient, unregistered in found if unregistered),
        bool(row["handoff"]),
        replayed=replayed,
    )


def find_message(
    conn: sqlite3.Connection, store: int, recipient: str, identity: str
) -> Message:
    """Return one message of an inbox by id.

    Raises:
        Fault: `NOT_FOUND`, for a foreign one as for an unknown one.
    """
    row = conn.execute(
        "select d.sequence from message m join delivery d "
        "on d.store = m.store and d.message = m.number "
        "where m.store = ? and m.id = ? and d.recipient = ?",
        (store, identity, recipient),
    ).fetchone()
    if row is None:
        _refuse_pruned(conn, store, recipient, identity)
        refuse_unknown([identity], (), "was sent to you")
    return load_message(conn, store, recipient, row[0])


def _refuse_pruned(
    conn: sqlite3.Connection, store: int, agent: str, identity: str
) -> None:
    """Say that a message is gone to its sender and to whom it was addressed.

    Raises:
        Fault: `PRUNED`.
    """
    found = conn.execute(
        f"{_SELECT} and id = ? and text = x'' "
        "and ? in (author, json_extract(cast(address as text), '$.agent'))",
        (store, identity, agent),
    ).fetchone()
    if found and _is_pruned(conn, store, dict(zip(_MESSAGE, found, strict=True))):
        raise Fault(
            "PRUNED", f"message {identity} was pruned", details={"id": identity}
        )


def load_message(
    conn: sqlite3.Connection, store: int, recipient: str, sequence: int
) -> Message:
    """Return the message at one place of an inbox, verified.

    Raises:
        Fault: `INTEGRITY_FAILED`.
    """
    delivery = _delivery(conn, store, recipient, sequence)
    row = _row(conn, store, "number", delivery["message"])
    if delivery_digest(delivery, row["id"]) != delivery["digest"]:
        raise damaged("the delivery of message", row["id"])
    return Message(
        id=row["id"],
        sender=row["author"],
        recipient=recipient,
        sequence=sequence,
        text=row["text"].decode(),
        recorded_at=moment(row["recorded_at"]),
        kind=row["kind"],
        priority=row["priority"],
        thread=row["thread"],
        reply_to=row["reply_to"],
        scope=_scope(conn, store, row["scope"]),
        handoff=bool(row["handoff"]),
        evidence=tuple(json.loads(row["evidence"])),
        proven=bool(row["proven"]),
        unregistered=bool(delivery["unregistered"]),
        supersedes=_supersedes(conn, store, row["number"]),
        superseded_by=_superseded_by(conn, store, recipient, row["number"]),
        **_marks(conn, store, recipient, sequence),
    )


def deliveries(
    conn: sqlite3.Connection, store: int, sender: str, identity: str
) -> tuple[Delivery, ...]:
    """Return what became of a message, for its sender alone.

    Raises:
        Fault: `NOT_FOUND`.
    """
    found = conn.execute(
        f"select {', '.join('d.' + name for name in _DELIVERY)} from message m "
        "join delivery d on d.store = m.store and d.message = m.number "
        "where m.store = ? and m.id = ? and m.author = ? order by d.recipient",
        (store, identity, sender),
    ).fetchall()
    if not found:
        _refuse_pruned(conn, store, sender, identity)
        refuse_unknown([identity], (), "you sent")
    rows = [dict(zip(_DELIVERY, row, strict=True)) for row in found]
    return tuple(
        Delivery(
            row["recipient"],
            row["sequence"],
            bool(row["unregistered"]),
            **_marks(conn, store, row["recipient"], row["sequence"]),
        )
        for row in rows
    )


def _row(
    conn: sqlite3.Connection, store: int, column: str, value: str | int
) -> dict[str, Any]:
    found = conn.execute(f"{_SELECT} and {column} = ?", (store, value)).fetchone()
    if found is None:
        raise damaged("the row of message", str(value))
    row = dict(zip(_MESSAGE, found, strict=True))
    if _is_damaged(conn, store, row):
        raise damaged("message", row["id"])
    return row


def _is_damaged(conn: sqlite3.Connection, store: int, row: Mapping[str, Any]) -> bool:
    if stands(conn, store, row, functools.partial(message_digest, row)):
        return False
    return not (_is_pruned(conn, store, row) and message_digest(row) == row["digest"])


def _is_pruned(conn: sqlite3.Connection, store: int, row: Mapping[str, Any]) -> bool:
    """Tell whether a message is what a prune left: no text, and no delivery."""
    return row["text"] == b"" and not _is_delivered(conn, store, row)


def _is_delivered(conn: sqlite3.Connection, store: int, row: Mapping[str, Any]) -> bool:
    found = conn.execute(
        "select 1 from delivery where store = ? and message = ?",
        (store, row["number"]),
    ).fetchone()
    return found is not None


def _delivery(
    conn: sqlite3.Connection, store: int, recipient: str, sequence: int
) -> dict[str, Any]:
    found = conn.execute(
        f"select {', '.join(_DELIVERY)} from delivery "
        "where store = ? and recipient = ? and sequence = ?",
        (store, recipient, sequence),
    ).fetchone()
    if found is None:
        raise damaged("the delivery", f"{recipient}/{sequence}")
    return dict(zip(_DELIVERY, found, strict=True))


def _scope(conn: sqlite3.Connection, store: int, scope: int) -> ScopeName | None:
    return spelled(conn, At(store, scope)) if scope else None


def _supersedes(conn: sqlite3.Connection, store: int, number: int) -> tuple[str, ...]:
    found = conn.execute(
        "select m.id from message_supersession s join message m "
        "on m.store = s.store and m.number = s.older "
        "where s.store = ? and s.newer = ? order by s.older",
        (store, number),
    )
    return tuple(row[0] for row in found)


def _superseded_by(
    conn: sqlite3.Connection, store: int, recipient: str, number: int
) -> str | None:
    """Return the newest message to this recipient that replaces the given one."""
    row = conn.execute(
        "select m.id from message_supersession s join message m "
        "on m.store = s.store and m.number = s.newer "
        "where s.store = ? and s.older = ? and exists (select 1 from delivery d "
        "where d.store = s.store and d.message = s.newer and d.recipient = ?) "
        "order by s.newer desc limit 1",
        (store, number, recipient),
    ).fetchone()
    return None if row is None else str(row[0])


def _marks(
    conn: sqlite3.Connection, store: int, recipient: str, sequence: int
) -> dict[str, Mark]:
    found = conn.execute(
        f"select {', '.join(_MARK)} from mark "
        "where store = ? and recipient = ? and sequence = ?",
        (store, recipient, sequence),
    ).fetchall()
    rows = [dict(zip(_MARK, row, strict=True)) for row in found]
    for row in rows:
        if mark_digest(row) != row["digest"]:
            raise damaged("the mark", f"{recipient}/{sequence}/{row['fact']}")
    return {
        row["fact"]: Mark(
            row["author"], bool(row["proven"]), moment(row["recorded_at"])
        )
        for row in rows
    }


# --- doctor -------------------------------------------------------------------------


def problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each row that is not as it was written."""
    yield from _message_problems(conn, store)
    yield from gaps(conn, store, "message")
    yield from keys.lost(conn, store, ("send", "hand_off"), "message")
    yield from _delivery_problems(conn, store)
    yield from _mark_problems(conn, store)
    yield from _inbox_problems(conn, store)
    yield from _strays(conn, store)
    yield from derive.problems(conn, store)


def _message_problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    for found in conn.execute(f"{_SELECT} order by number", (store,)):
        row = dict(zip(_MESSAGE, found, strict=True))
        if _is_damaged(conn, store, row):
            yield f"message {row['id']} is not as it was written"
        elif row["text"] and not _is_delivered(conn, store, row):
            yield f"the deliveries of message {row['id']} are missing"
        older = conn.execute(
            "select older from message_supersession where store = ? and newer = ? "
            "order by older",
            (store, row["number"]),
        )
        if digest_of([number for (number,) in older]) != row["supersedes_hash"]:
            yield f"the supersessions of message {row['id']} have changed"


def _delivery_problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    found = conn.execute(
        f"select m.id, {', '.join('d.' + name for name in _DELIVERY)} from delivery d "
        "left join message m on m.store = d.store and m.number = d.message "
        "where d.store = ?",
        (store,),
    )
    for identity, *values in found:
        row = dict(zip(_DELIVERY, values, strict=True))
        place = f"{row['recipient']}/{row['sequence']}"
        if identity is None:
            yield f"the message of delivery {place} is missing"
        elif delivery_digest(row, identity) != row["digest"]:
            yield f"delivery {place} is not as it was written"


def _mark_problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    for found in conn.execute(
        f"select {', '.join(_MARK)} from mark where store = ?", (store,)
    ):
        row = dict(zip(_MARK, found, strict=True))
        if mark_digest(row) != row["digest"]:
            place = f"{row['recipient']}/{row['sequence']}"
            yield f"the mark {row['fact']} of {place} is not as it was written"


def _inbox_problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Hold the tally of each inbox against its deliveries, from either side.

    A message to one agent by name makes that agent an inbox, which outlasts a prune.
    """
    (undelivered,) = conn.execute(
        f"select count(*) from message m where store = ? and {_UNDELIVERED}", (store,)
    ).fetchone()
    inboxes = conn.execute(
        "select r.recipient, t.latest, t.pruned, count(d.sequence), "
        "coalesce(min(d.sequence), 1), coalesce(max(d.sequence), 0) "
        f"from ({_RECIPIENTS}) r left join inbox_tally t on t.store = ?1 "
        "and t.recipient = r.recipient left join delivery d on d.store = ?1 "
        "and d.recipient = r.recipient where r.recipient is not null "
        "group by r.recipient",
        (store,),
    )
    for recipient, latest, pruned, count, first, last in inboxes:
        if latest is None:
            yield f"the tally of the inbox of {recipient} is missing"
        elif count != latest - pruned or first < 1 or last > latest:
            yield f"deliveries to {recipient} are missing: {count} of {latest - pruned}"
        elif not 0 <= pruned <= undelivered:
            yield f"{recipient} has {undelivered} pruned messages at most, not {pruned}"


_UNDELIVERED = (
    "not exists (select 1 from delivery d where d.store = m.store "
    "and d.message = m.number)"
)
_RECIPIENTS = """
    select recipient from inbox_tally where store = ?1
    union select recipient from delivery where store = ?1
    union select iif(json_valid(cast(address as text)),
        json_extract(cast(address as text), '$.agent'), null)
        from message where store = ?1
"""


def _strays(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    place = ("recipient", "recipient"), ("sequence", "sequence")
    yield from strays(conn, store, ("mark", "mailbox"), "delivery", *place)
    newer = ("message_supersession",)
    yield from strays(conn, store, newer, "message", ("newer", "number"))
