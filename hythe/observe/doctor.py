"""What is wrong with the rows of this package, and its derived tables made anew."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault
from hythe.observe import entities, fulltext, keys, observation_rows, relations
from hythe.observe.rows import gaps, strays

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

__all__ = ["problems", "rebuild"]


def problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each row that is not as it was written."""
    yield from entities.problems(conn, store)
    yield from observation_rows.problems(conn, store)
    yield from relations.problems(conn, store)
    yield from keys.problems(conn, store)
    # An entity or a relation that an import found here already has another id than
    # the key says; an observation keeps its own everywhere.
    yield from keys.lost(conn, store, ("observe",), "observation")
    for table in ("entity", "observation", "relation"):
        yield from gaps(conn, store, table)
    yield from strays(conn, store, _OF_ENTITY, "entity", ("entity", "number"))
    for end in ("source", "target"):
        yield from strays(conn, store, ("relation",), "entity", (end, "number"))
    with contextlib.suppress(Fault):  # of a row that is named above
        yield from _word_problems(conn, store)


_OF_ENTITY = (
    "entity_name", "observation", "supersession", "live_observation", "entity_tally",
)  # fmt: skip


def _word_problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    wanted = {table: fulltext.Words() for table in fulltext.TABLES}
    for number, entity in entities.searched(conn, store):
        row = fulltext.of_entity(number, entity)
        for table in fulltext.TABLES:
            wanted[table].add(row)
    for number, name, text, live in observation_rows.searched(conn, store):
        row = fulltext.of_observation(number, name, text)
        for table in fulltext.tables(live=live):
            wanted[table].add(row)
    for table, words in wanted.items():
        if not words.stand_in(conn, table):
            yield f"the full-text table {table} does not say what its rows say"


def rebuild(conn: sqlite3.Connection, store: int) -> None:
    """Make the derived tables again from the recorded rows, in a writing transaction."""
    for table in fulltext.TABLES:
        conn.execute(f"insert into {table}({table}) values ('delete-all')")
    for statement in _REBUILD:
        conn.execute(statement, {"store": store})
    for number, entity in entities.searched(conn, store):
        fulltext.add_entity(conn, number, entity)
    for number, name, text, live in observation_rows.searched(conn, store):
        fulltext.add_observation(conn, number, name, text, live=live)


_REBUILD = (
    "delete from live_observation where store = :store",
    (
        "insert into live_observation(store, entity, sequence) "
        "select store, entity, sequence from observation o where store = :store "
        "and not exists (select 1 from supersession s where s.store = o.store "
        "and s.entity = o.entity and s.older = o.sequence)"
    ),
    "delete from entity_tally where store = :store",
    (
        "insert into entity_tally(store, entity, observations, live, relations) "
        "select e.store, e.number, (select count(*) from observation o "
        "where o.store = e.store and o.entity = e.number), "
        "(select count(*) from live_observation l "
        "where l.store = e.store and l.entity = e.number), "
        "(select count(*) from relation r where r.store = e.store "
        "and r.source = e.number) + (select count(*) from relation r "
        "where r.store = e.store and r.target = e.number and r.source <> e.number) "
        "from entity e where e.store = :store"
    ),
)
