"""Replace one recorded value for good; what stood there is nowhere in the store.

The value lies in one place: a checkpoint's envelope, a state, or the row of an
observation, a message or an entity. Ids, hashes and seals stay, and a tombstone
binds the bytes as they were written to the bytes that stand there now.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

from hsum._kernel.canonical import canonical, digest
from hsum._kernel.faults import Fault
from hythe.care.model import Redacted
from hythe.care.places import refused, replaced, steps
from hythe.observe import fulltext
from hythe.observe.entities import load_entity
from hythe.observe.tombstones import Tombstone, add_tombstone, recorded_hash

if TYPE_CHECKING:
    import sqlite3

    from hythe.observe.stamp import Stamp

__all__ = ["redact"]

_MARK = "[redacted "

# What of a checkpoint is free text; ids, kinds and status hold the history together.
_FREE = {
    "facts": {"subject", "predicate", "object", "evidence", "sources"},
    "loops": {"next_action", "blocked_on", "outcome", "owner"},
    "events": {"summary"},
    "evidence": None,
    "reconciliation": {"reason"},
}


class Place(NamedTuple):
    """Where a value is stored: one column of one row; `target` as in its tombstone."""

    target: str
    table: str
    column: str
    where: str
    key: tuple[Any, ...]
    steps: list[str | int]

    @property
    def is_text(self) -> bool:
        """Whether the column holds the text itself, not JSON."""
        return not self.steps


def redact(
    conn: sqlite3.Connection,
    stamp: Stamp,
    identity: str,
    path: str | None,
    *,
    reason: str,
    dry_run: bool = False,
) -> Redacted:
    """Replace the text at a path of a record by a salted tombstone.

    Raises:
        Fault: `NOT_FOUND`, `INVALID_ARGUMENT` for what is no text or redacted already.
    """
    place = _place(conn, stamp.store, identity, path)
    body = _body(conn, place)
    salt = secrets.token_hex(16)
    shown = path or "$.text"
    after, tombstone = _without(body, place, shown, salt)
    new = Tombstone(
        target=place.target,
        what="redact",
        path=shown,
        original=recorded_hash(conn, stamp.store, body) or "",
        replacement=digest(after),
        salt=salt,
        reason=reason,
    )
    if not dry_run:
        add_tombstone(conn, stamp, new)
        _replace(conn, stamp.store, place, after)
    return Redacted(
        identity, shown, tombstone, new.original, new.replacement, dry_run=dry_run
    )


def _body(conn: sqlite3.Connection, place: Place) -> bytes:
    row = conn.execute(
        f"select {place.column} from {place.table} where {place.where}", place.key
    ).fetchone()
    if row is None or row[0] is None:
        raise Fault("NOT_FOUND", f"{place.target} has no {place.column}")
    found: bytes = row[0]
    return found


def _without(body: bytes, place: Place, path: str, salt: str) -> tuple[bytes, str]:
    """Return the bytes with a tombstone in the value's place, and the tombstone."""
    if place.is_text:
        before = body.decode()
        tombstone = _tombstone(before, salt, path)
        return tombstone.encode(), tombstone
    data = json.loads(body)
    _, before = replaced(data, place.steps, path, "")
    tombstone = _tombstone(before, salt, path)
    return canonical(replaced(data, place.steps, path, tombstone)[0]), tombstone


def _tombstone(before: str, salt: str, path: str) -> str:
    if before.startswith(_MARK):
        raise refused(path, "is redacted already")
    return f"{_MARK}{hashlib.sha256((salt + before).encode()).hexdigest()[:32]}]"


# --- where a value lies -----------------------------------------------------------


def _place(
    conn: sqlite3.Connection, store: int, identity: str, path: str | None
) -> Place:
    names: list[str | int] = ["text"] if path is None else steps(path)
    row = conn.execute(
        "select scope, revision, state from checkpoint where store = ? and id = ?",
        (store, identity),
    ).fetchone()
    if row is not None:
        return _in_checkpoint(store, identity, names, path, row)
    for table, columns in _COLUMNS.items():
        known = conn.execute(
            f"select 1 from {table} where store = ? and id = ?", (store, identity)
        ).fetchone()
        if known is not None:
            return _in_row(store, identity, table, columns, names, path)
    raise Fault(
        "NOT_FOUND",
        f"nothing is recorded under {identity!r:.80}",
        hint="Give the id of a checkpoint, an observation, a message or an entity.",
        details={"id": identity},
    )


_COLUMNS = {
    "observation": {"text", "metadata", "evidence"},
    "message": {"text", "evidence"},
    "entity": {"definition"},
}


def _in_checkpoint(
    store: int,
    identity: str,
    names: list[str | int],
    path: str | None,
    row: tuple[int, int, str],
) -> Place:
    scope, revision, state = row
    if path is None:
        raise refused("$", "is a whole checkpoint: name one value of it")
    if names[0] in ("state", "patch"):
        where = "store = ? and digest = ?"
        return Place(state, "state", "body", where, (store, state), names[1:])
    if names[0] not in _FREE or not _is_free(names):
        raise refused(path, "is no free text of a checkpoint")
    where = "store = ? and scope = ? and revision = ?"
    return Place(identity, "checkpoint", "body", where, (store, scope, revision), names)


def _is_free(names: list[str | int]) -> bool:
    fields = _FREE[str(names[0])]
    named = [name for name in names[1:] if isinstance(name, str)]
    return fields is None or (bool(named) and named[0] in fields)


def _in_row(
    store: int,
    identity: str,
    table: str,
    columns: set[str],
    names: list[str | int],
    path: str | None,
) -> Place:
    column = str(names[0])
    if column not in columns:
        raise refused(path or "$.text", f"is no free text of this {table}")
    where = "store = ? and id = ?"
    return Place(identity, table, column, where, (store, identity), names[1:])


# --- writing ----------------------------------------------------------------------


def _replace(conn: sqlite3.Connection, store: int, place: Place, after: bytes) -> None:
    searched = place.table in ("observation", "entity") and place.is_text
    if searched:
        _forget_words(conn, store, place)
    conn.execute(
        f"update {place.table} set {place.column} = ? where {place.where}",
        (after, *place.key),
    )
    if searched:
        _find_again(conn, store, place, after)


def _forget_words(conn: sqlite3.Connection, store: int, place: Place) -> None:
    if place.table == "entity":
        number = _number(conn, place)
        fulltext.forget_entity(conn, number, load_entity(conn, store, number))
        return
    number, name, text, live = conn.execute(_SEARCHED, place.key).fetchone()
    fulltext.forget_observation(conn, number, name, text.decode(), live=bool(live))


def _find_again(
    conn: sqlite3.Connection, store: int, place: Place, after: bytes
) -> None:
    if place.table == "entity":
        number = _number(conn, place)
        fulltext.add_entity(conn, number, load_entity(conn, store, number))
    else:
        number, name, _, live = conn.execute(_SEARCHED, place.key).fetchone()
        fulltext.add_observation(conn, number, name, after.decode(), live=bool(live))
    # Words that were taken out stay in old segments until these are merged.
    for table in fulltext.TABLES:
        conn.execute(f"insert into {table}({table}) values ('optimize')")


_SEARCHED = """
    select o.number, e.name, o.text, l.sequence is not null from observation o
    join entity e on e.store = o.store and e.number = o.entity
    left join live_observation l on l.store = o.store and l.entity = o.entity
        and l.sequence = o.sequence
    where o.store = ? and o.id = ?
"""


def _number(conn: sqlite3.Connection, place: Place) -> int:
    (number,) = conn.execute(
        "select number from entity where store = ? and id = ?", place.key
    ).fetchone()
    return int(number)
