"""The full-text tables: derived, written beside the rows they stand for.

`all_words` holds entities and all observations, `live_words` leaves the superseded
ones out, so that a long history neither slows a search of what holds now nor counts
in its scores. A row's id is twice its number, plus one for an entity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from hythe.observe.words import document

if TYPE_CHECKING:
    import sqlite3

__all__ = [
    "add_entity",
    "add_observation",
    "forget_entity",
    "forget_observation",
    "supersede_observation",
]


class Named(Protocol):
    """What of an entity is searched."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str | None: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def definition(self) -> str | None: ...


def add_entity(conn: sqlite3.Connection, number: int, entity: Named) -> None:
    """Make an entity findable."""
    for table in ("all_words", "live_words"):
        _add(conn, table, 2 * number + 1, *_entity_words(entity))


def forget_entity(conn: sqlite3.Connection, number: int, entity: Named) -> None:
    """Take an entity out, as it was when it was added."""
    for table in ("all_words", "live_words"):
        _remove(conn, table, 2 * number + 1, *_entity_words(entity))


def _entity_words(entity: Named) -> tuple[str, str]:
    names = " ".join([entity.name, *entity.aliases])
    about = f"{entity.kind or ''} {entity.definition or ''}"
    return document(names), document(about)


def add_observation(
    conn: sqlite3.Connection, number: int, name: str, text: str, *, live: bool = True
) -> None:
    """Make an observation findable, by its entity's name and its text."""
    for table in _tables(live=live):
        _add(conn, table, 2 * number, document(name), document(text))


def forget_observation(
    conn: sqlite3.Connection, number: int, name: str, text: str, *, live: bool
) -> None:
    """Take an observation out, with its text as it was when it was added."""
    for table in _tables(live=live):
        _remove(conn, table, 2 * number, document(name), document(text))


def supersede_observation(
    conn: sqlite3.Connection, number: int, name: str, text: str
) -> None:
    """Take an observation out of the live ones."""
    _remove(conn, "live_words", 2 * number, document(name), document(text))


def _tables(*, live: bool) -> tuple[str, ...]:
    return ("all_words", "live_words") if live else ("all_words",)


def _add(conn: sqlite3.Connection, table: str, row: int, name: str, body: str) -> None:
    conn.execute(
        f"insert into {table}(rowid, name, body) values (?, ?, ?)", (row, name, body)
    )


def _remove(
    conn: sqlite3.Connection, table: str, row: int, name: str, body: str
) -> None:
    # A contentless table forgets a row only when told what the row said.
    conn.execute(
        f"insert into {table}({table}, rowid, name, body) values ('delete', ?, ?, ?)",
        (row, name, body),
    )
