"""Stored values that cannot be read any more."""

from __future__ import annotations

import contextlib
import zlib
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault
from hsum._kernel.sqlite_faults import is_strange
from hsum._kernel.sqlite_schema import schema_problems
from hsum.index.schema import SCHEMA

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

__all__ = ["explained_by_damage", "reading_stored"]


@contextlib.contextmanager
def reading_stored(what: str) -> Iterator[None]:
    """Turn the failure to make sense of a stored value into `STORE_DAMAGED`.

    For the line that decodes it, and no more: elsewhere these are our own mistakes.
    """
    try:
        yield
    except (ValueError, LookupError, TypeError, OverflowError, zlib.error) as exc:
        raise Fault("STORE_DAMAGED", f"{what} is not what was written") from exc


@contextlib.contextmanager
def explained_by_damage(connection: sqlite3.Connection) -> Iterator[None]:
    """Ask SQLite about its file where something goes wrong that never should.

    A damaged row may give any value of any type, and a damaged schema any error.  Where
    the file is sound, the mistake is ours, and passes through.
    """
    try:
        yield
    except Exception as exc:
        if not is_strange(exc):
            raise
        problem = next(_file_problems(connection), None)
        if problem is None:
            raise
        raise Fault("STORE_DAMAGED", f"index.sqlite: {problem}") from exc


def _file_problems(connection: sqlite3.Connection) -> Iterator[str]:
    (line,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if line != "ok":
        yield line
    yield from schema_problems(connection, SCHEMA)
