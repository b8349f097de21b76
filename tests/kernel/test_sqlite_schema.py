"""A file's tables are held against those that its schema makes."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hsum._kernel.sqlite import Database, Schema
from hsum._kernel.sqlite_schema import schema_problems

if TYPE_CHECKING:
    from sqlite_utils import Database as Tables


def _make(database: Tables) -> None:
    database.execute(
        "create table note (id integer primary key, text text not null, parent integer"
        " references note(id)) strict"
    )
    database.execute("create unique index note_text on note(text)")
    database.execute("create virtual table words using fts5(text, content='')")


SCHEMA = Schema(0x7465_7374, (_make,))
INSERT = "insert into note(text) values ('x')"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Make a file of that schema."""
    database = Database(tmp_path / "notes.db", schema=SCHEMA)
    with database.writing() as connection:
        connection.execute(INSERT)
    database.close()
    return tmp_path / "notes.db"


def _problems(path: Path, *changes: str) -> list[str]:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("pragma writable_schema = on")
        for change in changes:
            writer.execute(change)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return list(schema_problems(connection, SCHEMA))


def test_a_file_as_it_was_made_has_no_problems(path: Path) -> None:
    """Statistics, which SQLite keeps for itself, are none either."""
    assert [] == _problems(path, "analyze")


def test_the_text_of_a_definition_may_differ(path: Path) -> None:
    """Another version of a library may have written the same table otherwise."""
    spaced = "update sqlite_schema set sql = replace(sql, ' note ', '  \"note\"  ')"

    assert [] == _problems(path, spaced)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("sql = replace(sql, 'text text', 'teXt text')", "note"),
        ("sql = replace(sql, 'text text', 'text blob')", "note"),
        ("sql = replace(sql, ' not null', '         ')", "note"),
        ("sql = replace(sql, ') strict', ')       ')", "note"),
        ("sql = replace(sql, 'references note(id)', '                   ')", "note"),
        ("sql = replace(sql, 'UNIQUE INDEX', 'INDEX')", "note_text"),
        ("sql = replace(sql, 'fts5(text', 'fts5(texT')", "words"),
    ],
)
def test_a_changed_definition_is_named(path: Path, change: str, named: str) -> None:
    """Also one that SQLite goes on working with."""
    problems = _problems(path, f"update sqlite_schema set {change}")

    assert f"the table or index {named} is not as it was made" in problems


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("drop index note_text", "the table or index note_text is missing"),
        ("drop table words", "the table or index words is missing"),
        (
            "create table other (id)",
            "the table or index other is not as it was made",
        ),
    ],
)
def test_what_is_missing_or_added_is_named(
    path: Path, change: str, problem: str
) -> None:
    """By its name."""
    assert [problem] == _problems(path, change)
