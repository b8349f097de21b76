"""Give back the space of evidence that only past generations hold."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from hsum._kernel.clock import micros
from hsum._kernel.faults import Fault
from hsum.care import bodies
from hsum.index.catalogue import Snapshot
from hsum.model.care import PruneReport

if TYPE_CHECKING:
    import sqlite3

    from hsum.index.store import Store

__all__ = ["prune"]

_SPAN = re.compile(r"(\d+)\s*([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_MICROSECOND = timedelta(microseconds=1)


def prune(
    store: Store,
    *,
    keep_generations: int | None = None,
    older_than: str | timedelta | None = None,
    dry_run: bool = False,
) -> PruneReport:
    """Remove the bytes that no kept generation holds.

    Args:
        store: the index.
        keep_generations: how many of the newest to keep, at least 1.
        older_than: keep those younger than this: `30d`, `12h`, a timedelta; the
            newest is always kept.
        dry_run: report what would go; write nothing.

    Raises:
        Fault: `INVALID_ARGUMENT` unless exactly one of the two is given;
            `NO_GENERATION`.
    """
    if (keep_generations is None) == (older_than is None):
        raise Fault("INVALID_ARGUMENT", "give either keep_generations or older_than")
    age = None if older_than is None else _micros(older_than)
    _check_count(keep_generations)
    if dry_run:
        with store.database.reading() as connection:
            return _removed(store, connection, keep_generations, age, dry_run=True)
    with store.reading() as snapshot:
        snapshot.require_head()
    with store.writer():
        with store.writing() as connection:
            report = _removed(store, connection, keep_generations, age, dry_run=False)
        store.database.give_back_space()
    return report


def _removed(
    store: Store,
    connection: sqlite3.Connection,
    keep: int | None,
    age: int | None,
    *,
    dry_run: bool,
) -> PruneReport:
    first = _first_kept(Snapshot(connection), keep, age, store.clock())
    rows = connection.execute(
        "SELECT id FROM revision WHERE gone IS NULL AND id NOT IN"
        " (SELECT revision FROM version"
        "  WHERE to_generation IS NULL OR to_generation > ?)",
        (first,),
    )
    revisions = [revision for (revision,) in rows]
    report = PruneReport(
        first, len(revisions), bodies.sizes(connection, revisions), dry_run
    )
    if not dry_run:
        bodies.remove(connection, revisions, "pruned")
    return report


def _first_kept(snapshot: Snapshot, keep: int | None, age: int | None, now: int) -> int:
    newest = snapshot.require_head().generation
    if keep is not None:
        return max(1, newest - keep + 1)
    young = (
        found.number
        for found in snapshot.generations()
        if micros(found.committed_at) >= now - (age or 0)
    )
    return min(young, default=newest)


def _check_count(keep: int | None) -> None:
    whole = isinstance(keep, int | None) and not isinstance(keep, bool)
    if not whole or (keep is not None and keep < 1):
        raise Fault("INVALID_ARGUMENT", "keep_generations is a number of at least 1")


def _micros(span: str | timedelta) -> int:
    if isinstance(span, timedelta) and span >= timedelta(0):
        return span // _MICROSECOND
    found = _SPAN.fullmatch(span.strip()) if isinstance(span, str) else None
    if found is None:
        raise Fault(
            "INVALID_ARGUMENT",
            f"{span!r} is no age",
            hint="Write a number and a unit: 12h, 30d, 8w.",
        )
    return int(found[1]) * _SECONDS[found[2]] * 1_000_000
