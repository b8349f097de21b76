"""Whether the tables of a database are those that its schema makes.

SQLite checks rows against the schema of the file, and the schema against nothing: one
flipped bit renames a column, and all that names it in lower case goes on working.
"""

from __future__ import annotations

import contextlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from hsum._kernel.sqlite import Database

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    from hsum._kernel.sqlite import Schema

__all__ = ["schema_problems"]


def schema_problems(connection: sqlite3.Connection, schema: Schema) -> Iterator[str]:
    """Yield a sentence for each table or index that is not what `schema` makes.

    Structures are compared and not their texts, which depend on the versions of the
    libraries that write them.
    """
    wanted, found = _made_by(schema), _structure(connection)
    for name in sorted(wanted.keys() | found.keys()):
        if name not in found:
            yield f"the table or index {name} is missing"
        elif found[name] != wanted.get(name):
            yield f"the table or index {name} is not as it was made"


@lru_cache(maxsize=8)
def _made_by(schema: Schema) -> Mapping[str, Any]:
    with (
        contextlib.closing(Database(None, schema=schema)) as database,
        database.reading() as empty,
    ):
        return _structure(empty)


# The tables that a virtual table keeps for itself are the engine's.
_TABLES: Final = """
    SELECT name, type, wr, strict FROM pragma_table_list
    WHERE schema = 'main' AND type IN ('table', 'virtual')
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
"""
_INDEXES: Final = """
    SELECT i.name, i."unique", i.origin, i.partial, m.sql IS NULL
    FROM pragma_index_list(?) i LEFT JOIN sqlite_schema m ON m.name = i.name
"""


def _structure(connection: sqlite3.Connection) -> dict[str, Any]:
    """Return what each table and index is made of, by its name."""
    found: dict[str, Any] = {}
    for name, *kind in connection.execute(_TABLES).fetchall():
        found[name] = (
            kind,
            _all(connection, "SELECT * FROM pragma_table_xinfo(?)", name),
            _all(connection, "SELECT * FROM pragma_foreign_key_list(?)", name),
        )
        for index, *about in _all(connection, _INDEXES, name):
            columns = _all(connection, "SELECT * FROM pragma_index_xinfo(?)", index)
            found[index] = (name, about, columns)
    return found


def _all(connection: sqlite3.Connection, query: str, name: str) -> list[Any]:
    return connection.execute(query, (name,)).fetchall()
