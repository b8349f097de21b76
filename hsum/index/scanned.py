"""Record what a scan saw: signatures, what is left out, the root and the options."""

from __future__ import annotations

import json
from collections import Counter
from os import fsdecode
from typing import TYPE_CHECKING

import attrs

from hsum.index.seen import sealed

if TYPE_CHECKING:
    import sqlite3

    from hsum.index.gather import Gathered
    from hsum.index.survey import Survey

__all__ = ["move", "note"]


def note(connection: sqlite3.Connection, found: Survey, gathered: Gathered) -> None:
    """Bring the tables of the scan up to date; rows that stay the same are not written."""
    _folders(connection, found, gathered)
    _skips(connection, found, gathered)
    reasons = Counter(skip.reason for skip in (*found.scan.skips, *gathered.skips))
    _meta(connection, "skipped", dict(reasons))
    _meta(connection, "root", fsdecode(found.root))
    _meta(connection, "options", attrs.asdict(found.options))
    _meta(connection, "commit", found.commit)


def _folders(connection: sqlite3.Connection, found: Survey, gathered: Gathered) -> None:
    for folder, record in list(found.scan.records(gathered.outcomes)):
        if record is None:
            connection.execute("DELETE FROM seen WHERE folder = ?", (folder,))
        else:
            connection.execute(
                "INSERT OR REPLACE INTO seen VALUES (?, ?)", (folder, sealed(record))
            )


def _skips(connection: sqlite3.Connection, found: Survey, gathered: Gathered) -> None:
    now = {
        skip.path: (skip.reason, skip.detail)
        for skip in (*found.scan.skips, *gathered.skips)
    }
    rows = connection.execute("SELECT path, reason, detail FROM skip")
    before = {path: (reason, detail) for path, reason, detail in rows}
    connection.executemany(
        "DELETE FROM skip WHERE path = ?",
        ((path,) for path in before if path not in now),
    )
    connection.executemany(
        "INSERT OR REPLACE INTO skip VALUES (?, ?, ?)",
        ((path, *why) for path, why in now.items() if before.get(path) != why),
    )


def _meta(connection: sqlite3.Connection, name: str, value: object) -> None:
    text = json.dumps(value, sort_keys=True)
    row = connection.execute(
        "SELECT value FROM meta WHERE name = ?", (name,)
    ).fetchone()
    if row is None or row[0] != text:
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, text))


def move(connection: sqlite3.Connection, root: str) -> None:
    """Record another root; the scan that follows finds out what differs."""
    _meta(connection, "root", root)
