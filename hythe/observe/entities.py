"""Entities in the store: made once, found by exact name or alias.

Two names are one iff their NFC forms are equal. Names and aliases of all entities
share one space, so that a name always means one thing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hsum._kernel import cursors
from hsum._kernel.faults import Fault
from hsum._kernel.text import nfc
from hythe.model import Entity, Page
from hythe.observe import fulltext, keys
from hythe.observe.checks import NewEntity
from hythe.observe.rows import damaged, hash_of, insert_row, moment, row_digest
from hythe.observe.tombstones import accepts
from hythe.observe.words import expression

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from hythe.observe.stamp import Stamp

__all__ = [
    "add_aliases",
    "create_entities",
    "create_entity",
    "ensure_entity",
    "entity_identity",
    "entity_name",
    "get_entity",
    "list_entities",
    "load_entity",
    "near_names",
    "problems",
    "require_entity",
    "resolve_entity",
    "searched",
]

_NEAR = 5


def resolve_entity(conn: sqlite3.Connection, store: int, name: str) -> int | None:
    """Return the number of the entity of exactly this name or alias."""
    row = conn.execute(
        "select entity from entity_name where store = ? and key = ?",
        (store, nfc(name)),
    ).fetchone()
    return None if row is None else int(row[0])


def require_entity(conn: sqlite3.Connection, store: int, name: str) -> int:
    """Return the number of the entity of this name.

    Raises:
        Fault: `NOT_FOUND`, with near names.
    """
    number = resolve_entity(conn, store, name)
    if number is None:
        near = near_names(conn, store, name)
        shown = f"; near names: {', '.join(map(repr, near))}" if near else ""
        raise Fault(
            "NOT_FOUND",
            f"no entity has the name {name!r}{shown}",
            hint="Use the exact name or an alias; observe creates what is new.",
            details={"name": name, "near": near},
        )
    return number


def near_names(conn: sqlite3.Connection, store: int, name: str) -> list[str]:
    """Return a few names that a typist may have meant; never used to pick one."""
    asked = expression(name)
    if asked is None:
        return []
    rows = conn.execute(
        "select e.name from live_words w join entity e on e.store = ? "
        "and e.number = w.rowid / 2 where live_words match ? and w.rowid % 2 = 1 "
        "order by rank limit ?",
        (store, f"name : ({asked})", _NEAR),
    )
    return [row[0] for row in rows]


def ensure_entity(conn: sqlite3.Connection, stamp: Stamp, name: str) -> int:
    """Return the number of the entity of this name, made now where it is new."""
    number = resolve_entity(conn, stamp.store, name)
    return number if number is not None else _insert(conn, stamp, NewEntity(name))


def entity_name(conn: sqlite3.Connection, store: int, number: int) -> str:
    """Return the first spelling of an entity's name."""
    row = conn.execute(
        "select name from entity where store = ? and number = ?", (store, number)
    ).fetchone()
    return str(row[0])


def create_entity(
    conn: sqlite3.Connection, stamp: Stamp, new: NewEntity, key: str | None = None
) -> Entity:
    """Make an entity; a retry under the same key gives back the one it made.

    Raises:
        Fault: `KEY_REUSED`, `ENTITY_EXISTS`, `ALIAS_TAKEN`.
    """
    wanted = keys.fingerprint("entity", stamp.author, **new.request())
    first = keys.recorded(conn, stamp, key, wanted)
    if first is not None:
        return load_entity(
            conn, stamp.store, _number(conn, stamp.store, first), created=False
        )
    made = _create(conn, stamp, new)
    keys.remember(conn, stamp, key, wanted, operation="entity", result=made.id)
    return made


def _number(conn: sqlite3.Connection, store: int, identity: str) -> int:
    row = conn.execute(
        "select number from entity where store = ? and id = ?", (store, identity)
    ).fetchone()
    return int(row[0])


def _create(conn: sqlite3.Connection, stamp: Stamp, new: NewEntity) -> Entity:
    number = resolve_entity(conn, stamp.store, new.name)
    if number is not None:
        raise _exists(conn, stamp.store, number, new.name)
    _refuse_taken(conn, stamp.store, new.aliases, None)
    return load_entity(conn, stamp.store, _insert(conn, stamp, new), created=True)


def create_entities(
    conn: sqlite3.Connection, stamp: Stamp, news: Sequence[NewEntity]
) -> tuple[Entity, ...]:
    """Make those that are new; each result tells whether this call made it.

    An item whose name is known, or stands earlier in the same call, is reported as
    existing and changes nothing.

    Raises:
        Fault: `ALIAS_TAKEN`, for the whole call.
    """
    return tuple(_create_or_find(conn, stamp, new) for new in news)


def _create_or_find(conn: sqlite3.Connection, stamp: Stamp, new: NewEntity) -> Entity:
    number = resolve_entity(conn, stamp.store, new.name)
    if number is not None:
        return load_entity(conn, stamp.store, number, created=False)
    return _create(conn, stamp, new)


def add_aliases(
    conn: sqlite3.Connection, stamp: Stamp, name: str, aliases: Sequence[str]
) -> Entity:
    """Give an entity further names; those it has already change nothing.

    Raises:
        Fault: `NOT_FOUND`, `ALIAS_TAKEN`.
    """
    number = require_entity(conn, stamp.store, name)
    _refuse_taken(conn, stamp.store, aliases, number)
    before = load_entity(conn, stamp.store, number)
    for alias in aliases:
        if resolve_entity(conn, stamp.store, alias) is None:
            _insert_name(conn, stamp, number, alias)
    after = load_entity(conn, stamp.store, number)
    fulltext.forget_entity(conn, number, before)
    fulltext.add_entity(conn, number, after)
    return after


def get_entity(conn: sqlite3.Connection, store: int, name: str) -> Entity:
    """Return the entity of exactly this name or alias.

    Raises:
        Fault: `NOT_FOUND`, `INTEGRITY_FAILED`.
    """
    return load_entity(conn, store, require_entity(conn, store, name))


def list_entities(
    conn: sqlite3.Connection, store: int, *, limit: int, cursor: str | None
) -> Page[Entity]:
    """Return entities in the order they were made."""
    after = (
        cursors.decode("entities", cursor, after=int)["after"]
        if cursor is not None
        else 0
    )
    rows = conn.execute(
        "select number from entity where store = ? and number > ? "
        "order by number limit ?",
        (store, after, limit + 1),
    ).fetchall()
    numbers = [row[0] for row in rows[:limit]]
    more = len(rows) > limit
    return Page(
        tuple(load_entity(conn, store, number) for number in numbers),
        cursors.encode("entities", {"after": numbers[-1]}) if more else None,
    )


# --- rows ---------------------------------------------------------------------------


def _refuse_taken(
    conn: sqlite3.Connection, store: int, aliases: Iterable[str], own: int | None
) -> None:
    for alias in aliases:
        holder = resolve_entity(conn, store, alias)
        if holder not in (None, own):
            name = entity_name(conn, store, holder)
            raise Fault(
                "ALIAS_TAKEN",
                f"{alias!r} names the entity {name!r}",
                details={"alias": alias, "entity": name},
            )


def _exists(conn: sqlite3.Connection, store: int, number: int, asked: str) -> Fault:
    name = entity_name(conn, store, number)
    return Fault(
        "ENTITY_EXISTS",
        f"the entity {name!r} exists" + (f" (as {asked!r})" if asked != name else ""),
        details={"name": name},
    )


def _insert(conn: sqlite3.Connection, stamp: Stamp, new: NewEntity) -> int:
    number = _next_number(conn, stamp.store)
    definition = None if new.definition is None else new.definition.encode()
    row = {
        "id": stamp.new_id(),
        "name": new.name,
        "kind": new.kind,
        "definition_hash": hash_of(definition),
        **stamp.fields,
    }
    guard = row_digest("entity", **row)
    place = {"store": stamp.store, "number": number}
    insert_row(
        conn, "entity", {**place, **row, "definition": definition, "digest": guard}
    )
    conn.execute(
        "insert into entity_tally(store, entity, observations, live, relations) "
        "values (?, ?, 0, 0, 0)",
        (stamp.store, number),
    )
    for name in (new.name, *new.aliases):
        _insert_name(conn, stamp, number, name)
    fulltext.add_entity(conn, number, new)
    return number


def _next_number(conn: sqlite3.Connection, store: int) -> int:
    # Entities are never removed, so that the greatest number is the counter.
    row = conn.execute(
        "select coalesce(max(number), 0) + 1 from entity where store = ?", (store,)
    ).fetchone()
    return int(row[0])


def _insert_name(
    conn: sqlite3.Connection, stamp: Stamp, number: int, name: str
) -> None:
    identity = entity_identity(conn, stamp.store, number)
    guard = row_digest("entity_name", entity=identity, name=name, **stamp.fields)
    row = {"store": stamp.store, "key": nfc(name), "entity": number, "name": name}
    insert_row(conn, "entity_name", {**row, **stamp.fields, "digest": guard})


def entity_identity(conn: sqlite3.Connection, store: int, number: int) -> str:
    row = conn.execute(
        "select id from entity where store = ? and number = ?", (store, number)
    ).fetchone()
    return str(row[0])


_ENTITY = (
    "select id, name, kind, definition, definition_hash, author, proven, recorded_at, "
    "digest from entity where store = ?"
)


def load_entity(
    conn: sqlite3.Connection, store: int, number: int, *, created: bool | None = None
) -> Entity:
    """Return the entity of this number.

    Raises:
        Fault: `INTEGRITY_FAILED`.
    """
    row = conn.execute(f"{_ENTITY} and number = ?", (store, number)).fetchone()
    if _is_damaged(conn, store, row):
        raise damaged("entity", row[0])
    return _entity_of(row, _aliases(conn, store, number), created=created)


def _aliases(conn: sqlite3.Connection, store: int, number: int) -> list[str]:
    rows = conn.execute(
        "select n.name from entity_name n join entity e "
        "on e.store = n.store and e.number = n.entity "
        "where n.store = ? and n.entity = ? and n.name <> e.name order by n.rowid",
        (store, number),
    )
    return [row[0] for row in rows]


def _entity_of(row: Any, aliases: Sequence[str], *, created: bool | None) -> Entity:
    identity, name, kind, definition, _, author, proven, recorded_at, _ = row
    return Entity(
        id=identity,
        name=name,
        kind=kind,
        aliases=tuple(aliases),
        definition=None if definition is None else definition.decode(),
        author=author,
        recorded_at=moment(recorded_at),
        proven=bool(proven),
        created=created,
    )


def _is_damaged(conn: sqlite3.Connection, store: int, row: Any) -> bool:
    identity, name, kind, definition, hashed, author, proven, recorded_at, guard = row
    expected = row_digest(
        "entity",
        id=identity,
        name=name,
        kind=kind,
        definition_hash=hashed,
        author=author,
        proven=bool(proven),
        recorded_at=recorded_at,
    )
    if definition is None:
        return bool(expected != guard or hashed is not None)
    return bool(expected != guard or not accepts(conn, store, hashed, definition))


def searched(conn: sqlite3.Connection, store: int) -> Iterator[tuple[int, Entity]]:
    """Yield the number of every entity, and the entity."""
    for (number,) in conn.execute(
        "select number from entity where store = ?", (store,)
    ).fetchall():
        yield number, load_entity(conn, store, number)


# --- doctor -------------------------------------------------------------------------


def problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each row that is not as it was written."""
    for row in conn.execute(f"{_ENTITY} order by number", (store,)):
        if _is_damaged(conn, store, row):
            yield f"entity {row[0]} is not as it was written"
    yield from _name_problems(conn, store)


def _name_problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    rows = conn.execute(
        "select n.key, n.name, n.author, n.proven, n.recorded_at, n.digest, e.id, "
        "e.name from entity_name n left join entity e "
        "on e.store = n.store and e.number = n.entity where n.store = ?",
        (store,),
    )
    for key, name, author, proven, recorded_at, guard, entity, _ in rows:
        expected = row_digest(
            "entity_name",
            entity=entity,
            name=name,
            author=author,
            proven=bool(proven),
            recorded_at=recorded_at,
        )
        if expected != guard or key != nfc(name):
            yield f"the name {name!r} is not as it was written"
    nameless = conn.execute(
        "select id from entity e where store = ? and not exists (select 1 from "
        "entity_name n where n.store = e.store and n.entity = e.number "
        "and n.name = e.name)",
        (store,),
    )
    yield from (f"entity {row[0]} has lost its name" for row in nameless)
