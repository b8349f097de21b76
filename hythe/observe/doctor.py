"""What is wrong with the rows of this package, and its derived tables made anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hythe.observe import entities, keys, observation_rows, relations

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
    yield from _word_problems(conn)


def _word_problems(conn: sqlite3.Connection) -> Iterator[str]:
    for table, wanted in _WORDS.items():
        found = conn.execute(
            f"select count(*) from (select * from (select rowid from {table} except "
            f"{wanted}) union all select * from ({wanted} except "
            f"select rowid from {table}))"
        )
        (wrong,) = found.fetchone()
        if wrong:
            yield f"the full-text table {table} is wrong about {wrong} rows"


_ENTITIES = "select 2 * number + 1 from entity"
_WORDS = {
    "all_words": f"select * from ({_ENTITIES} union all "
    "select 2 * number from observation)",
    "live_words": f"select * from ({_ENTITIES} union all "
    "select 2 * o.number from live_observation l join observation o on "
    "o.store = l.store and o.entity = l.entity and o.sequence = l.sequence)",
}


def rebuild(conn: sqlite3.Connection, store: int) -> None:
    """Make the derived tables again from the recorded rows, in a writing transaction."""
    for table in _WORDS:
        conn.execute(f"insert into {table}({table}) values ('delete-all')")
    for statement in _REBUILD:
        conn.execute(statement, {"store": store})
    entities.index_again(conn, store)
    observation_rows.index_again(conn, store)


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
