"""Read one recorded value by its handle, in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hsum._kernel.faults import Fault
from hsum._kernel.text import shown, utf8_cut
from hythe.checkpoint.content import event_of, state_of, value_of
from hythe.checkpoint.foreign import FORMAT as FOREIGN
from hythe.checkpoint.legacy import legacy_of
from hythe.checkpoint.pruned import refuse_pruned
from hythe.checkpoint.scopes import At
from hythe.checkpoint.store import load_row, load_state, value_at
from hythe.mail.rows import find_message
from hythe.observe.entities import load_entity
from hythe.resume.bundle import Definition, RecordedDecision
from hythe.resume.handles import Fetched, Handle
from hythe.resume.wire import payload

if TYPE_CHECKING:
    import sqlite3

    from hythe.checkpoint.store import Row

__all__ = ["fetch", "piece_request"]

_MOST_BYTES = 16 * 1024 * 1024


def piece_request(handle: Any, *, offset: Any, max_bytes: Any) -> Handle:
    """Check the arguments of a fetch.

    Raises:
        Fault: `INVALID_ARGUMENT`.
    """
    for name, value, least in (("offset", offset, 0), ("max_bytes", max_bytes, 1)):
        if type(value) is not int or value < least:
            raise Fault(
                "INVALID_ARGUMENT",
                f"{name} must be a whole number from {least}, not {shown(value)}",
                details={"path": f"$.{name}"},
            )
    return Handle.parse(handle)


def fetch(
    conn: sqlite3.Connection,
    store: int,
    handle: Handle,
    *,
    agent: str,
    offset: int,
    max_bytes: int,
) -> Fetched:
    """Return the bytes of a value from `offset` on, verified and cut at a character.

    Raises:
        Fault: `NOT_FOUND`, for another agent's mail as well; `PRUNED`;
            `INTEGRITY_FAILED`.
    """
    if handle.kind in ("message", "handoff"):
        whole = payload(find_message(conn, store, agent, handle.owner))
    else:
        whole = _whole(conn, store, handle)
    end = utf8_cut(whole, offset + min(max_bytes, _MOST_BYTES))
    if end <= offset:  # a piece smaller than a character still moves on
        end = offset + max_bytes
    return Fetched(str(handle), offset, len(whole), whole[offset:end])


def _whole(conn: sqlite3.Connection, store: int, handle: Handle) -> bytes:
    if handle.part == "entity":
        return _entity(conn, store, handle)
    if handle.part == "legacy":
        return _legacy(conn, store, handle)
    row, at = _row(conn, store, handle)
    if handle.kind == "snapshot" and row.content["format"] == FOREIGN:
        return row.body  # it holds its state
    if handle.kind == "value" and handle.part != "state":
        return payload(_part(row, handle))
    state = payload(state_of(load_state(conn, at.store, row.state)))
    return _snapshot(row, state) if handle.kind == "snapshot" else state


def _snapshot(row: Row, state: bytes) -> bytes:
    """Join the envelope's bytes, as they were hashed, with the state they only name."""
    hashed = row.content_hash.encode()
    return b'{"contentHash":"%b","envelope":%b,"state":%b}' % (hashed, row.body, state)


def _row(conn: sqlite3.Connection, store: int, handle: Handle) -> tuple[Row, At]:
    found = conn.execute(
        "select scope, revision from checkpoint where store = ? and id = ?",
        (store, handle.owner),
    ).fetchone()
    if found is None:
        raise _missing(handle)
    at = At(store, found[0])
    row = load_row(conn, at, found[1])
    refuse_pruned(row.content, row.id)
    return row, at


def _part(row: Row, handle: Handle) -> Any:
    ordinal = handle.ordinal or 0
    try:
        if handle.part in ("fact", "loop"):
            return value_at(row, handle.part, ordinal)
        if handle.part == "event":
            event = event_of(row.content["events"][ordinal])
            return RecordedDecision(event.summary, event.at, None)
        return row.content["evidence"][ordinal]
    except IndexError:
        raise _missing(handle) from None


def _entity(conn: sqlite3.Connection, store: int, handle: Handle) -> bytes:
    found = conn.execute(
        "select number from entity where store = ? and id = ?", (store, handle.owner)
    ).fetchone()
    if found is None:
        raise _missing(handle)
    entity = load_entity(conn, store, found[0])
    return payload(Definition(entity.name, entity.definition))


def _legacy(conn: sqlite3.Connection, store: int, handle: Handle) -> bytes:
    at = At(store, int(handle.owner)) if handle.owner.isdecimal() else None
    key = (
        at
        and conn.execute(
            "select kind, id from legacy where store = ? and scope = ? and ordinal = ?",
            (*at, handle.ordinal),
        ).fetchone()
    )
    found = legacy_of(conn, at, key) if at and key else None
    if found is None:
        raise _missing(handle)
    return payload(value_of(found.kind, found.value))


def _missing(handle: Handle) -> Fault:
    return Fault(
        "NOT_FOUND",
        f"nothing is recorded under {handle}",
        details={"handle": str(handle)},
    )
