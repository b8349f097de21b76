"""The tables of entities, observations and relations.

Recorded once, never changed: `entity`, `entity_name`, `observation`, `supersession`,
`relation`, `author_key`. Derived, kept in the transaction that writes the others,
and rebuilt from them when need be: `entity_tally`, `live_observation` and the two
full-text tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hythe.observe.tables import STAMP, create_table

if TYPE_CHECKING:
    from sqlite_utils import Database

__all__ = ["DERIVED", "create_tables"]

DERIVED = ("entity_tally", "live_observation", "live_words", "all_words")


def create_tables(db: Database) -> None:
    """Create the tables in an empty store, inside the caller's transaction."""
    _create_entities(db)
    _create_observations(db)
    _create_relations(db)
    _create_keys(db)
    for statement in _SMALL_TABLES:
        db.execute(statement)
    for table in ("live_words", "all_words"):
        # Contentless: the text stays in one place. `ascii` takes every other
        # character as part of a word; the words were cut before (see `words`).
        db.execute(
            f"create virtual table {table} using fts5"
            "(name, body, content='', tokenize='ascii')"
        )


def _create_entities(db: Database) -> None:
    create_table(
        db,
        "entity",
        {
            "number": int,
            "id": str,
            "name": str,
            "kind": str,
            "definition": bytes,
            "definition_hash": str,
            **STAMP,
        },
        ("store", "number"),
        optional={"kind", "definition", "definition_hash"},
    )
    db.table("entity").create_index(["store", "id"], unique=True)
    # Names and aliases share one space of NFC forms: `key`.
    create_table(
        db,
        "entity_name",
        {"key": str, "entity": int, "name": str, **STAMP},
        ("store", "key"),
    )
    db.table("entity_name").create_index(["store", "entity"])


def _create_observations(db: Database) -> None:
    create_table(
        db,
        "observation",
        {
            "entity": int,
            "sequence": int,
            "number": int,
            "id": str,
            "text": bytes,
            "text_hash": str,
            "kind": str,
            "evidence": bytes,
            "metadata": bytes,
            "supersedes_hash": str,
            **STAMP,
        },
        ("store", "entity", "sequence"),
        optional={"kind"},
    )
    db.table("observation").create_index(["store", "id"], unique=True)
    db.table("observation").create_index(["store", "number"], unique=True)


def _create_relations(db: Database) -> None:
    create_table(
        db,
        "relation",
        {
            "number": int,
            "id": str,
            "source": int,
            "type": str,
            "target": int,
            "evidence": bytes,
            "evidence_hash": str,
            **STAMP,
        },
        ("store", "number"),
    )
    db.table("relation").create_index(["store", "id"], unique=True)
    db.table("relation").create_index(
        ["store", "source", "type", "target", "evidence_hash"], unique=True
    )
    db.table("relation").create_index(["store", "source", "number"])
    db.table("relation").create_index(["store", "target", "number"])


def _create_keys(db: Database) -> None:
    create_table(
        db,
        "author_key",
        {"key": str, "operation": str, "fingerprint": str, "result": str, **STAMP},
        ("store", "author", "key"),
    )


# Small rows that are read along their key: sqlite-utils has no WITHOUT ROWID.
_SMALL_TABLES = (
    """create table supersession (
        store integer not null, entity integer not null,
        older integer not null, newer integer not null,
        primary key (store, entity, older, newer)) strict, without rowid""",
    "create index supersession_by on supersession (store, entity, newer, older)",
    """create table live_observation (
        store integer not null, entity integer not null, sequence integer not null,
        primary key (store, entity, sequence)) strict, without rowid""",
    """create table entity_tally (
        store integer not null, entity integer not null,
        observations integer not null, live integer not null,
        relations integer not null,
        primary key (store, entity)) strict, without rowid""",
)
