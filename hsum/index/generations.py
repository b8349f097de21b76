"""Publish generations: SQLite and the lexical index move together, or not at all.

Each generation and build has a lexical directory of its own, hard-linked from the one
before.  It is committed first; the SQLite commit that names it in `head` publishes
both.  What a killed writer left behind is swept by the next, under the lock.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from functools import lru_cache
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault
from hsum._kernel.files import make_private_dir, translating_os
from hsum.index import history
from hsum.index.catalogue import Head, Snapshot, Totals
from hsum.index.chain import GENESIS, chained
from hsum.index.lexical import (
    LEXICAL_VERSION,
    LexicalDocument,
    Reader,
    Writer,
    dead_passages,
)
from hsum.index.lexical_files import stamps
from hsum.index.writing import lexical_entries

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from hsum.index.catalogue import Version
    from hsum.index.plan import Plan
    from hsum.index.store import Store

__all__ = [
    "drafting",
    "ensure_lexical",
    "next_directory",
    "publish",
    "rebuild",
    "sweep",
]

_NAME = re.compile(r"g(\d+)-(\d+)")
# A rebuild is due when more than one in this many passages is dead.
_DEAD_SHARE = 5


def next_directory(head: Head | None) -> str:
    """Return the name of the next generation's lexical directory."""
    return directory_name(head.generation + 1 if head else 1, 1)


def directory_name(generation: int, build: int) -> str:
    """Return the name of a lexical directory."""
    return f"g{generation}-{build}"


def sweep(store: Store, head: Head | None, *, keep_previous: bool = True) -> None:
    """Remove every lexical directory but the head's and the one before it.

    The one before serves a reader who is just opening it.  The writer lock must be
    held.
    """
    if not store.lexical.is_dir():
        return
    places = {path: _place(path) for path in store.lexical.iterdir()}
    current = (head.generation, head.build) if head else (0, 0)
    older = [at for at in places.values() if at and at < current]
    kept = {current, max(older, default=current) if keep_previous else current}
    for path, at in places.items():
        if at not in kept:
            shutil.rmtree(path, ignore_errors=True)


def _place(path: Path) -> tuple[int, int] | None:
    found = _NAME.fullmatch(path.name)
    return (int(found[1]), int(found[2])) if found else None


# --- the lexical index as derived data ------------------------------------------------


def ensure_lexical(store: Store, progress: Callable[[int, int], None]) -> bool:
    """Rebuild the lexical index if it is missing, damaged, outdated or mostly dead.

    The writer lock must be held.  Tells whether it was rebuilt.
    """
    with store.reading() as snapshot:
        head, living = snapshot.head, snapshot.totals().passages
    if head is None or _serves(store, head, living):
        return False
    rebuild(store, progress)
    return True


def _serves(store: Store, head: Head, living: int) -> bool:
    if head.lexical_version != LEXICAL_VERSION or head.dead * _DEAD_SHARE > living:
        return False
    try:
        return _passages(store.lexical_of(head), head.files) == living
    except (Fault, OSError):
        return False


def _passages(directory: Path, hashes: Mapping[str, str]) -> int:
    """Open a lexical index, unless it stands as it did when that was last done."""
    stamped = stamps(directory, hashes)
    if stamped is None:
        return Reader(directory, hashes=hashes).alive
    return _passages_known(directory, stamped, tuple(hashes.items()))


@lru_cache(maxsize=64)
def _passages_known(
    directory: Path,
    stamped: tuple[tuple[int, ...], ...],  # noqa: ARG001
    hashes: tuple[tuple[str, str], ...],
) -> int:
    return Reader(directory, hashes=dict(hashes)).alive


def rebuild(store: Store, progress: Callable[[int, int], None]) -> Head:
    """Build the lexical index of the head again, from SQLite alone.

    Keeps the generation and raises the build.  The writer lock must be held.
    """
    with store.writing() as connection:
        snapshot = Snapshot(connection)
        head = snapshot.require_head()
        sweep(store, head)
        name = directory_name(head.generation, head.build + 1)
        with drafting(store, name, base=None) as draft:
            total = snapshot.totals().passages
            done = 0
            for version in list(snapshot.live()):
                draft.writer.extend(version_entries(snapshot, version))
                done += version.passages
                progress(done, total)
            files = draft.commit()
            rebuilt = Head(
                head.generation, head.build + 1, name, files, LEXICAL_VERSION, 0
            )
            _write_head(connection, rebuilt)
    sweep(store, rebuilt)
    return rebuilt


def version_entries(snapshot: Snapshot, version: Version) -> Iterator[LexicalDocument]:
    """Yield the lexical documents of a stored version."""
    return lexical_entries(
        version.key,
        version.path,
        snapshot.whole(version),
        version.encoding,
        snapshot.passages(version),
        version.first,
        version.first + version.passages,
    )


class Draft:
    """A lexical directory in the making: made when first used, gone unless committed."""

    def __init__(self, store: Store, name: str, base: Head | None) -> None:
        self.name = name
        self._store = store
        self._directory = store.lexical / name
        self._base = base
        self._base_directory = store.lexical_of(base) if base else None
        self._writer: Writer | None = None

    @property
    def writer(self) -> Writer:
        """The writer; made at the first use."""
        if self._writer is None:
            make_private_dir(self._store.lexical)
            shutil.rmtree(self._directory, ignore_errors=True)
            self._writer = Writer(self._directory, base=self._base_directory)
        return self._writer

    def commit(self) -> dict[str, str]:
        """Make the directory durable; return the SHA-256 of each file by its name."""
        files = self.writer.commit(self._base.files if self._base else None)
        if self._store.private:
            with translating_os(self._directory):
                for path in self._directory.iterdir():
                    path.chmod(0o600)
        return files

    def abort(self) -> None:
        """Remove the directory, if it was made."""
        if self._writer is not None:
            self._writer.abort()


@contextlib.contextmanager
def drafting(store: Store, name: str, *, base: Head | None) -> Iterator[Draft]:
    """Give a draft of a lexical directory; remove it if the block raises."""
    draft = Draft(store, name, base)
    try:
        yield draft
    except BaseException:
        # An interrupt may arrive just after the commit that published it.
        if not _published(store, name):
            draft.abort()
        raise


def _published(store: Store, name: str) -> bool:
    try:
        with store.reading() as snapshot:
            return snapshot.head is not None and snapshot.head.directory == name
    except Fault:
        return False


# --- rows -----------------------------------------------------------------------------


def publish(
    store: Store, connection: sqlite3.Connection, draft: Draft, plan: Plan
) -> tuple[int, Totals]:
    """Write a plan as the next generation; return its number and totals.

    The lexical directory is committed first.  The commit of `connection`'s transaction,
    which is the caller's, publishes both.
    """
    for live in plan.ended:
        draft.writer.delete(live.key)
    files = draft.commit()
    dead = dead_passages(store.lexical / draft.name)
    before = Snapshot(connection)
    number = before.head.generation + 1 if before.head else 1
    history.write(connection, plan, number, store.ids)
    totals = _write_generation(connection, before, plan, number, store.clock())
    _write_head(connection, Head(number, 1, draft.name, files, LEXICAL_VERSION, dead))
    return number, totals


def _write_generation(
    connection: sqlite3.Connection,
    before: Snapshot,
    plan: Plan,
    number: int,
    now: int,
) -> Totals:
    old = before.totals()
    totals = Totals(
        old.documents + plan.documents,
        old.passages + plan.passages,
        old.bytes + plan.bytes,
    )
    ended = ((live.uuid, live.rev) for live in plan.ended)
    begun = history.begun(connection, plan)
    facts = (now, *plan.counts().values(), *totals)
    previous = before.last_digest() or GENESIS
    digest = chained(previous, number, begun, sorted(ended), facts)
    connection.execute(
        f"INSERT INTO generation VALUES ({', '.join('?' * 10)})",
        (number, *facts, digest),
    )
    return totals


def _write_head(connection: sqlite3.Connection, head: Head) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO head VALUES (1, ?, ?, ?, ?, ?, ?)",
        head._replace(files=json.dumps(head.files, sort_keys=True)),  # type: ignore[arg-type]
    )
