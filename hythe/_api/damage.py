"""Failures that only a damaged row explains."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault
from hsum._kernel.sqlite_faults import is_strange

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

__all__ = ["explained_by_damage"]


@contextlib.contextmanager
def explained_by_damage(conn: sqlite3.Connection, store: int) -> Iterator[None]:
    """Examine the store where something goes wrong that never should.

    A damaged row may hold any value of any type. Where the store is sound, the
    mistake is ours or the caller's, and passes through.

    Raises:
        Fault: `STORE_DAMAGED`.
    """
    try:
        yield
    except Exception as exc:
        if not is_strange(exc):
            raise
        from hythe.care.doctor import examine

        problems = examine(conn, store).problems
        if not problems:
            raise
        raise Fault("STORE_DAMAGED", f"the store is damaged: {problems[0]}") from exc
