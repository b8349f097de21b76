"""The full-text tables: derived, written beside the rows they stand for.

`all_words` holds entities and all observations, `live_words` leaves the superseded
ones out, so that a long history neither slows a search of what holds now nor counts
in its scores. A row's id is twice its number, plus one for an entity.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple, Protocol

import attrs

from hythe.observe.words import document

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

__all__ = [
    "TABLES",
    "Row",
    "Words",
    "add_entity",
    "add_observation",
    "forget_entity",
    "forget_observation",
    "of_entity",
    "of_observation",
    "supersede_observation",
    "tables",
]

TABLES = ("all_words", "live_words")


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


class Row(NamedTuple):
    """What a table is told of one entity or observation."""

    id: int
    name: str
    body: str


def of_entity(number: int, entity: Named) -> Row:
    """Return the row of an entity."""
    names = " ".join([entity.name, *entity.aliases])
    about = f"{entity.kind or ''} {entity.definition or ''}"
    return Row(2 * number + 1, document(names), document(about))


def of_observation(number: int, name: str, text: str) -> Row:
    """Return the row of an observation: its entity's name and its text."""
    return Row(2 * number, document(name), document(text))


def tables(*, live: bool) -> tuple[str, ...]:
    """Return the tables that an observation stands in."""
    return TABLES if live else ("all_words",)


def add_entity(conn: sqlite3.Connection, number: int, entity: Named) -> None:
    """Make an entity findable."""
    for table in TABLES:
        _add(conn, table, of_entity(number, entity))


def forget_entity(conn: sqlite3.Connection, number: int, entity: Named) -> None:
    """Take an entity out, as it was when it was added."""
    for table in TABLES:
        _remove(conn, table, of_entity(number, entity))


def add_observation(
    conn: sqlite3.Connection, number: int, name: str, text: str, *, live: bool = True
) -> None:
    """Make an observation findable."""
    for table in tables(live=live):
        _add(conn, table, of_observation(number, name, text))


def forget_observation(
    conn: sqlite3.Connection, number: int, name: str, text: str, *, live: bool
) -> None:
    """Take an observation out, with its text as it was when it was added."""
    for table in tables(live=live):
        _remove(conn, table, of_observation(number, name, text))


def supersede_observation(
    conn: sqlite3.Connection, number: int, name: str, text: str
) -> None:
    """Take an observation out of the live ones."""
    _remove(conn, "live_words", of_observation(number, name, text))


def _add(conn: sqlite3.Connection, table: str, row: Row) -> None:
    conn.execute(f"insert into {table}(rowid, name, body) values (?, ?, ?)", row)


def _remove(conn: sqlite3.Connection, table: str, row: Row) -> None:
    # A contentless table forgets a row only when told what the row said.
    conn.execute(
        f"insert into {table}({table}, rowid, name, body) values ('delete', ?, ?, ?)",
        row,
    )


# --- doctor -------------------------------------------------------------------------


@attrs.define
class Words:
    """What a table must hold: each word at its place, and how long each row is.

    Of places and rows only sums of their hashes are kept. A table that is held against
    them is read whole, words of rows that are gone too, and has each word looked up, as
    a search would.
    """

    _terms: set[str] = attrs.field(factory=set)
    _places: int = 0
    _sizes: int = 0
    _totals: list[int] = attrs.field(factory=lambda: [0, 0, 0])

    def add(self, row: Row) -> None:
        """Take one row in."""
        sizes = []
        for column in ("name", "body"):
            words = getattr(row, column).split()
            sizes.append(len(words))
            self._terms.update(words)
            places = ((word, row.id, column, at) for at, word in enumerate(words))
            self._places += sum(map(hash, places))
        self._sizes += hash((row.id, _packed(sizes)))
        self._totals = [
            one + more for one, more in zip(self._totals, (1, *sizes), strict=True)
        ]

    def stand_in(self, conn: sqlite3.Connection, table: str) -> bool:
        """Tell whether a table holds these words and no others.

        FTS5 keeps a row's length in `docsize`, and the sums of them all in the first
        block of `data` (sqlite.org/fts5.html, section 9).

        Raises:
            sqlite3.DatabaseError: It cannot even be read.
        """
        # Looking for places has FTS5 write out what it holds back until a commit.
        places = set(self._found(conn, table))
        sizes = conn.execute(f"select id, sz from {table}_docsize")
        (totals,) = conn.execute(
            f"select block from {table}_data where id = 1"
        ).fetchone()
        return (
            places == {self._places}
            and self._sizes == sum(map(hash, sizes))
            and (totals or _packed([0, 0, 0])) == _packed(self._totals)
        )

    def _found(self, conn: sqlite3.Connection, table: str) -> Iterator[int]:
        """Yield the places read from first to last, and looked up word by word."""
        with _vocabulary(conn, table) as places:
            every = f"select term, doc, col, offset from {places}"
            yield sum(map(hash, conn.execute(every)))
            alone = f"{every} where term = ?"
            yield sum(
                sum(map(hash, conn.execute(alone, (term,)))) for term in self._terms
            )


@contextlib.contextmanager
def _vocabulary(conn: sqlite3.Connection, table: str) -> Iterator[str]:
    """Give a temporary table of all places where words stand; nothing is written."""
    (guarded,) = conn.execute("pragma query_only").fetchone()
    name = f"temp.{table}_places"
    conn.execute("pragma query_only = off")
    try:
        conn.execute(
            f"create virtual table {name} using fts5vocab(main, {table}, instance)"
        )
        try:
            yield name
        finally:
            conn.execute(f"drop table {name}")
    finally:
        conn.execute(f"pragma query_only = {guarded}")


def _packed(numbers: Iterable[int]) -> bytes:
    """Return numbers as SQLite packs them: seven bits a byte, the highest first."""
    return b"".join(map(_packed_one, numbers))


def _packed_one(number: int) -> bytes:
    low, rest = bytes([number & 0x7F]), number >> 7
    while rest:
        low, rest = bytes([rest & 0x7F | 0x80]) + low, rest >> 7
    return low
