"""Remove the stored bytes of revisions; their rows and hashes stay as tombstones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from hsum.index.schema import BLOCK_BITS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

__all__ = ["remove", "sizes"]


def remove(
    connection: sqlite3.Connection,
    revisions: Iterable[int],
    why: Literal["pruned", "forgotten"],
) -> None:
    """Delete the blocks of revisions by their rows, and say why they are gone.

    What is forgotten loses its cuts, too: they hold the names of its symbols.
    """
    for revision in revisions:
        first = revision << BLOCK_BITS
        connection.execute(
            "DELETE FROM block WHERE id BETWEEN ? AND ?",
            (first, first + (1 << BLOCK_BITS) - 1),
        )
        if why == "forgotten":
            connection.execute("DELETE FROM cut WHERE revision = ?", (revision,))
        connection.execute("UPDATE revision SET gone = ? WHERE id = ?", (why, revision))


def sizes(connection: sqlite3.Connection, revisions: Iterable[int]) -> int:
    """Add up the raw bytes of revisions."""
    listed = json.dumps(list(revisions))
    (total,) = connection.execute(
        "SELECT coalesce(sum(size), 0) FROM revision"
        " WHERE id IN (SELECT value FROM json_each(?))",
        (listed,),
    ).fetchone()
    return int(total)
