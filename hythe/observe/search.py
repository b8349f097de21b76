"""Search entities and observations by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hsum._kernel import cursors
from hsum._kernel.faults import Fault
from hythe.observe import observation_rows
from hythe.observe.entities import load_entity, require_entity
from hythe.observe.model import Hit, Hits
from hythe.observe.rows import damaged
from hythe.observe.words import expression

if TYPE_CHECKING:
    import sqlite3

    from hythe.model import Observation

__all__ = ["Found", "candidates", "hit_of", "search"]

_NAME_WEIGHT = 2.0
_BODY_WEIGHT = 1.0


class Found(NamedTuple):
    """A row of the full-text tables; a higher score is better."""

    row: int
    score: float

    @property
    def number(self) -> int:
        """The number of the entity or observation."""
        return self.row // 2

    @property
    def is_entity(self) -> bool:
        """Whether the row stands for an entity."""
        return self.row % 2 == 1


def search(
    conn: sqlite3.Connection,
    store: int,
    query: str,
    *,
    superseded: bool,
    limit: int,
    cursor: str | None,
) -> Hits:
    """Return entities and current observations that have words of the query.

    The query is words, never syntax. Any word is enough; more of them, rarer ones
    and whole compounds rank higher.

    Raises:
        Fault: `INVALID_ARGUMENT` for a blank query.
    """
    if not query.strip():
        raise Fault(
            "INVALID_ARGUMENT",
            "the query is blank",
            hint="Give at least one word.",
            details={"path": "$.query"},
        )
    asked = expression(query)
    if asked is None:
        return Hits(query, (), 0)
    kind = f"search:{int(superseded)}:{query[:200]}"
    skip = cursors.decode(kind, cursor, skip=int)["skip"] if cursor is not None else 0
    found = candidates(conn, asked, superseded=superseded, limit=skip + limit)
    total = _total(conn, asked, superseded=superseded)
    page = found[skip:]
    more = skip + len(page) < total
    return Hits(
        query,
        tuple(hit_of(conn, store, one) for one in page),
        total,
        cursors.encode(kind, {"skip": skip + limit}) if more else None,
    )


def candidates(
    conn: sqlite3.Connection, asked: str, *, superseded: bool, limit: int
) -> list[Found]:
    """Return the best rows for an expression, best first, newest first among equals."""
    table = _table(superseded=superseded)
    rows = conn.execute(
        f"select rowid, bm25({table}, ?, ?) as score from {table} "
        f"where {table} match ? order by score, rowid desc limit ?",
        (_NAME_WEIGHT, _BODY_WEIGHT, asked, limit),
    )
    return [Found(row, -score) for row, score in rows]


def hit_of(conn: sqlite3.Connection, store: int, found: Found) -> Hit:
    """Return what a row stands for."""
    if found.is_entity:
        return Hit("entity", found.score, load_entity(conn, store, found.number))
    observation = _observation(conn, store, found.number)
    entity = require_entity(conn, store, observation.entity)
    about = load_entity(conn, store, entity)
    return Hit("observation", found.score, about, observation)


def _total(conn: sqlite3.Connection, asked: str, *, superseded: bool) -> int:
    table = _table(superseded=superseded)
    row = conn.execute(
        f"select count(*) from {table} where {table} match ?", (asked,)
    ).fetchone()
    return int(row[0])


def _table(*, superseded: bool) -> str:
    return "all_words" if superseded else "live_words"


def _observation(conn: sqlite3.Connection, store: int, number: int) -> Observation:
    found = observation_rows.by_number(conn, store, number)
    if found is None:
        raise damaged("the full-text row of observation number", str(number))
    return found
