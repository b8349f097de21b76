"""The tables of an index: what its SQLite file holds.

A document's history is a row of `version` for each run of generations in which it
stood the same.  What is live now has no `to_generation`.  Ids of rows never leave the
index; UUIDs and hashes do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hsum._kernel.sqlite import Schema

if TYPE_CHECKING:
    from collections.abc import Collection

    import sqlite_utils

__all__ = ["BLOCK_BITS", "BLOCK_BYTES", "SCHEMA"]

# Raw bytes of one block: what a hit in a big file inflates at least.
BLOCK_BYTES = 65_536
# A block's id is `revision << BLOCK_BITS | ordinal`: its place needs no second index.
BLOCK_BITS = 20

# The name in the file's header: "hsum".
_APPLICATION_ID = 0x6873756D
# Compressed source files are a few kB: of each, half a page is wasted.
_PAGE_BYTES = 4_096


def _first(db: sqlite_utils.Database) -> None:
    for make in (_facts, _identities, _bodies, _history, _scanning):
        make(db)


def _facts(db: sqlite_utils.Database) -> None:
    """`meta` holds JSON by name; `head` is the one row that publishes a generation."""
    _table(db, "meta", {"name": str, "value": str}, pk="name")
    _table(
        db,
        "head",
        {
            "id": int,
            "generation": int,
            "build": int,
            "directory": str,
            "files": str,
            "lexical_version": int,
            "dead": int,
        },
    )
    _table(
        db,
        "project",
        {"id": int, "uuid": str, "name": str, "include": str, "exclude": str},
    )
    _index(db, "project", "name")


def _identities(db: sqlite_utils.Database) -> None:
    """A source keeps its id when its path changes; `record` is empty for a file.

    `gone` is null, or `forgotten`: then nothing of the source is ever shown again.
    """
    source = {"id": int, "uuid": str, "path": bytes, "gone": str}
    _table(db, "source", source, nullable={"gone"})
    _index(db, "source", "path")
    _index(db, "source", "uuid")
    _table(db, "document", {"id": int, "uuid": str, "source": int, "record": str})
    _index(db, "document", "source", "record")
    _index(db, "document", "uuid")


def _bodies(db: sqlite_utils.Database) -> None:
    """`gone` is null, or why the bytes of a revision are: pruned or forgotten."""
    _table(
        db,
        "revision",
        {"id": int, "sha256": bytes, "size": int, "encoding": str, "gone": str},
        nullable={"gone"},
    )
    _index(db, "revision", "sha256")
    _table(db, "block", {"id": int, "sha256": bytes, "body": bytes})
    _table(
        db,
        "cut",
        {"id": int, "revision": int, "language": str, "version": int, "body": bytes},
    )
    _index(db, "cut", "revision", "language", "version")


def _history(db: sqlite_utils.Database) -> None:
    """A version covers `passages` passages of its cut, from `first` on."""
    _table(
        db,
        "version",
        {
            "id": int,
            "document": int,
            "path": bytes,
            "revision": int,
            "cut": int,
            "first": int,
            "passages": int,
            "from_generation": int,
            "to_generation": int,
        },
        nullable={"to_generation"},
    )
    _index(db, "version", "document", "revision", unique=False)
    _index(db, "version", "path", unique=False)
    db.execute(
        "CREATE UNIQUE INDEX version_live ON version (document)"
        " WHERE to_generation IS NULL"
    )
    _table(
        db,
        "generation",
        {
            "number": int,
            "committed_at": int,
            "added": int,
            "changed": int,
            "renamed": int,
            "dropped": int,
            "documents": int,
            "passages": int,
            "bytes": int,
            "digest": str,
        },
        pk="number",
    )


def _scanning(db: sqlite_utils.Database) -> None:
    """What the last scan saw, folder by folder, and what it left out."""
    _table(db, "seen", {"folder": bytes, "body": bytes}, pk="folder")
    _table(db, "skip", {"path": bytes, "reason": str, "detail": str}, pk="path")
    _table(db, "forgotten", {"path": bytes}, pk="path")


def _table(
    db: sqlite_utils.Database,
    name: str,
    columns: dict[str, Any],
    *,
    pk: str = "id",
    nullable: Collection[str] = (),
) -> None:
    required = [column for column in columns if column not in nullable and column != pk]
    db.table(name).create(columns, pk=pk, not_null=required, strict=True)


def _index(
    db: sqlite_utils.Database, table: str, *columns: str, unique: bool = True
) -> None:
    db.table(table).create_index(columns, unique=unique)


SCHEMA = Schema(_APPLICATION_ID, (_first,), _PAGE_BYTES)
