"""The digest over the few rows that no hash of content covers."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

__all__ = ["intact", "seal"]

_ROWS = (
    "SELECT name, value FROM meta WHERE name <> 'seal' ORDER BY name",
    "SELECT * FROM project ORDER BY id",
    "SELECT * FROM head",
)


def seal(connection: sqlite3.Connection) -> None:
    """Record the digest of root, options, projects and head, if it is another."""
    if not intact(connection):
        connection.execute(
            "INSERT OR REPLACE INTO meta VALUES ('seal', ?)",
            (json.dumps(_digest(connection)),),
        )


def intact(connection: sqlite3.Connection) -> bool:
    """Tell whether those rows are the ones that were last written."""
    row = connection.execute("SELECT value FROM meta WHERE name = 'seal'").fetchone()
    return row is not None and bool(row[0] == json.dumps(_digest(connection)))


def _digest(connection: sqlite3.Connection) -> str:
    rows = [connection.execute(query).fetchall() for query in _ROWS]
    return sha256(json.dumps(rows).encode()).hexdigest()
