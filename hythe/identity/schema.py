"""The tables of agents and credentials.

Recorded once, never changed: `agent_registration`, `credential`, `credential_audit`.
Derived: `agent` and `agent_capability` (the newest registrations), `credential_tally`
(how many rows there are). Whether a credential is revoked and whether an agent is
enrolled is read from the audit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hythe.observe.tables import STAMP, create_table

if TYPE_CHECKING:
    from sqlite_utils import Database

__all__ = ["DERIVED", "create_tables"]

DERIVED = ("agent", "agent_capability", "credential_tally")


def create_tables(db: Database) -> None:
    """Create the tables in an empty store, inside the caller's transaction."""
    _create_recorded(db)
    for statement in _DERIVED_TABLES:
        db.execute(statement)


def _create_recorded(db: Database) -> None:
    create_table(
        db,
        "agent_registration",
        {
            "agent": str,
            "sequence": int,
            "capabilities": bytes,
            "description": bytes,
            **STAMP,
        },
        ("store", "agent", "sequence"),
        optional={"description"},
    )
    create_table(
        db,
        "credential",
        {
            "sequence": int,
            "id": str,
            "agent": str,
            "secret_hash": str,
            "scopes": bytes,
            "not_before": int,
            "expires_at": int,
            "rotated_from": str,
            **STAMP,
        },
        ("store", "sequence"),
        optional={"not_before", "expires_at", "rotated_from"},
    )
    create_table(
        db,
        "credential_audit",
        {
            "sequence": int,
            "action": str,
            "agent": str,
            "credential": str,
            "reason": bytes,
            **STAMP,
        },
        ("store", "sequence"),
        optional={"credential", "reason"},
    )
    db.table("credential").create_index(["store", "id"], unique=True)
    db.table("credential").create_index(["store", "agent", "sequence"])
    db.table("credential_audit").create_index(["store", "agent", "sequence"])
    db.table("credential_audit").create_index(["store", "credential", "action"])


# Small rows that are read along their key: sqlite-utils has no WITHOUT ROWID.
_DERIVED_TABLES = (
    """create table agent (
        store integer not null, agent text not null, sequence integer not null,
        primary key (store, agent)) strict, without rowid""",
    """create table agent_capability (
        store integer not null, capability text not null, agent text not null,
        primary key (store, capability, agent)) strict, without rowid""",
    "create index agent_capability_of on agent_capability (store, agent)",
    # So that a last row cannot go missing unseen.
    """create table credential_tally (
        store integer not null, credentials integer not null, entries integer not null,
        primary key (store)) strict, without rowid""",
)
