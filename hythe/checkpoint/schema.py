"""The tables of scopes and checkpoints.

Recorded once, never changed: `scope`, `checkpoint`, `state`, `checkpoint_key`,
`legacy`. Derived, kept in the transaction that writes the others, and rebuilt from
them by doctor:

- `standing`: newest revision, pointer, totals and marks of a scope; a mark is the
  revision that last changed a section of its view;
- `version`: every version ever written, by place;
- `settlement`: every decision of every reconcile;
- `retirement`: the heads that a reconcile retired;
- `lineage`: the revisions of the accepted lineage;
- `accepted`: the newest version of each id on it, decisions among them;
- `line`: each childless checkpoint off the accepted lineage, and where it leaves it;
- `tip_value`: the newest version of each id on such a line.

Revision 0 stands for none. Revisions are small integers within a scope.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hythe.observe.tables import STAMP, create_table

if TYPE_CHECKING:
    from sqlite_utils import Database

__all__ = ["DERIVED", "create_tables"]

DERIVED = (
    "standing",
    "version",
    "settlement",
    "retirement",
    "lineage",
    "accepted",
    "line",
    "tip_value",
)


def create_tables(db: Database) -> None:
    """Create the tables in an empty store, inside the caller's transaction."""
    _create_recorded(db)
    for statement in _DERIVED_TABLES:
        db.execute(statement)


# An imported scope brings its pointer along: revisions up to `imported` do not move
# it, and `imported_pointer` is where they leave it.
_SCOPE = {
    "scope": int,
    "project": int,
    "task": int,
    "imported": int,
    "imported_pointer": int,
    **STAMP,
}
_CHECKPOINT = {
    "scope": int,
    "revision": int,
    "parent": int,
    "id": str,
    "operation": str,
    "outcome": str,
    "author": str,
    "proven": int,
    "recorded_at": int,
    "content_hash": str,
    "seal": str,
    "state": str,
    "new_ids": bytes,
    "body": bytes,
}
_STATE = {"digest": str, "body": bytes}
_KEY = {"scope": int, "key": str, "fingerprint": str, "revision": int, "digest": str}
_LEGACY = {
    "scope": int,
    "kind": str,
    "id": str,
    "ordinal": int,
    "body": bytes,
    **STAMP,
}


def _create_recorded(db: Database) -> None:
    create_table(db, "scope", _SCOPE, ("store", "scope"))
    db.table("scope").create_index(["store", "project", "task"], unique=True)
    create_table(db, "checkpoint", _CHECKPOINT, ("store", "scope", "revision"))
    db.table("checkpoint").create_index(["store", "id"], unique=True)
    db.table("checkpoint").create_index(["store", "scope", "content_hash"])
    create_table(db, "state", _STATE, ("store", "digest"))
    create_table(db, "checkpoint_key", _KEY, ("store", "scope", "key"))
    create_table(db, "legacy", _LEGACY, ("store", "scope", "kind", "id"))


_TOTALS = "live retired facts loops decisions unresolved resolved first_retired"
_MARKS = "facts_at loops_at decisions_at divergent_at"

# Small rows that are read along their key: sqlite-utils has no WITHOUT ROWID.
_DERIVED_TABLES = (
    f"""create table standing (
        store integer not null, scope integer not null,
        revisions integer not null default 0, pointer integer not null default 0,
        {
        ", ".join(
            f"{name} integer not null default 0"
            for name in f"{_TOTALS} {_MARKS}".split()
        )
    },
        primary key (store, scope)) strict, without rowid""",
    """create table version (
        store integer not null, scope integer not null, revision integer not null,
        kind text not null, ordinal integer not null, id text not null,
        shown integer not null, accepted_from integer not null,
        primary key (store, scope, revision, kind, ordinal)) strict, without rowid""",
    "create index version_of_id on version (store, scope, kind, id, revision)",
    """create table settlement (
        store integer not null, scope integer not null,
        kind text not null, id text not null, revision integer not null,
        settled_by integer not null, decision text not null,
        primary key (store, scope, kind, id, revision, settled_by)
        ) strict, without rowid""",
    "create index settlement_by on settlement (store, scope, settled_by)",
    """create table retirement (
        store integer not null, scope integer not null, revision integer not null,
        retired_by integer not null,
        primary key (store, scope, revision)) strict, without rowid""",
    """create table lineage (
        store integer not null, scope integer not null, revision integer not null,
        primary key (store, scope, revision)) strict, without rowid""",
    """create table accepted (
        store integer not null, scope integer not null,
        kind text not null, id text not null,
        revision integer not null, ordinal integer not null,
        shown integer not null, accepted_from integer not null,
        primary key (store, scope, kind, id)) strict, without rowid""",
    """create index accepted_in_order
        on accepted (store, scope, kind, shown, revision, ordinal)""",
    """create table line (
        store integer not null, scope integer not null, line integer not null,
        tip integer not null, meets integer not null, retired integer not null,
        after_retired integer not null,
        primary key (store, scope, line)) strict, without rowid""",
    "create unique index line_of_tip on line (store, scope, tip)",
    "create index line_live on line (store, scope, tip) where retired = 0",
    "create index line_meets on line (store, scope, meets)",
    """create table tip_value (
        store integer not null, scope integer not null, line integer not null,
        kind text not null, id text not null,
        revision integer not null, ordinal integer not null,
        settled integer not null,
        primary key (store, scope, line, kind, id)) strict, without rowid""",
    "create index tip_value_of_version on tip_value (store, scope, kind, id, revision)",
    """create index tip_value_in_order
        on tip_value (store, scope, settled, revision, kind, ordinal)""",
)
