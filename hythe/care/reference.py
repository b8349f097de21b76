"""Import of a store of the reference HYTHE 0.1.x."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from pathlib import Path

    from hythe.observe.stamp import Stamp

__all__ = ["import_reference", "is_reference"]


def is_reference(head: bytes) -> bool:
    """Tell by its first bytes whether a file is a SQLite database."""
    return head == b"SQLite format 3\0"


def import_reference(
    conn: sqlite3.Connection, stamp: Stamp, path: Path
) -> tuple[int, Mapping[str, int]]:
    """Import all that a reference store holds."""
    raise Fault("INVALID_ARGUMENT", f"{path} {conn} {stamp}")
