"""Remove what was indexed from a path, for good."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

import attrs

from hsum._kernel.faults import Fault
from hsum.care import bodies
from hsum.index.catalogue import Snapshot
from hsum.index.generations import (
    drafting,
    next_directory,
    publish,
    rebuild,
    sweep,
)
from hsum.index.plan import decide
from hsum.model.care import ForgetReport
from hsum.trust.places import cache_folder

if TYPE_CHECKING:
    import sqlite3

    from hsum.index.generations import Draft
    from hsum.index.store import Store

__all__ = ["forget"]

# As long as a search may take at most.
_READERS_S = 60.0


@attrs.frozen
class _Target:
    """What a path stands for: sources by row, where they are and ever were, bytes."""

    sources: tuple[int, ...]
    current: tuple[bytes, ...]
    paths: tuple[bytes, ...]
    revisions: tuple[int, ...]
    held: tuple[bytes, ...]


def forget(store: Store, path: str, *, dry_run: bool = False) -> ForgetReport:
    """Remove the bytes of a file or of all files below a folder, and never take it again.

    Ids, hashes and paths stay as tombstones: citations are `EVIDENCE_FORGOTTEN`.
    Bytes that another document has, too, stay with it.

    Args:
        store: the index.
        path: relative to the root, as documents show it.
        dry_run: report what would go; write nothing.

    Raises:
        Fault: `EVIDENCE_NOT_FOUND` when nothing was ever indexed there; `WRITER_BUSY`
            when a reader kept the log for a minute: the evidence is forgotten, but
            forget it again to empty the log.
    """
    with store.reading() as snapshot:
        wanted = _below(path, snapshot.root)
    with store.database.reading() as connection:
        report = _report(connection, _target(connection, wanted), dry_run=True)
    if dry_run:
        return report
    with store.writer():
        with store.reading() as snapshot:
            head = snapshot.require_head()
        with (
            drafting(store, next_directory(head), base=head) as draft,
            store.writing() as connection,
        ):
            target = _target(connection, wanted)
            report = _report(connection, target, dry_run=False)
            generation = _dropped(store, connection, draft, target) or head.generation
            bodies.remove(connection, target.revisions, "forgotten")
            _bar(connection, wanted, target)
        # What the lexical index knew of the bytes goes with a build from what is left.
        rebuilt = rebuild(store, lambda _done, _total: None)
        sweep(store, rebuilt, keep_previous=False)
        _scrub(store)
    return attrs.evolve(report, generation=generation)


def _below(path: str | os.PathLike[str], root: bytes | None) -> bytes:
    """Return a path as it is stored: relative to the root, in one spelling."""
    try:
        name = os.fsencode(path)
    except TypeError as exc:
        raise Fault("INVALID_ARGUMENT", "path is the path of a file or folder") from exc
    except UnicodeEncodeError as exc:
        raise Fault("TEXT_INVALID", "path has a character no path has") from exc
    if root is not None and os.path.isabs(name):
        name = os.path.relpath(name, root)
    return os.path.normpath(name)


def _scrub(store: Store) -> None:
    """Remove what copies, the caches of readers and the log still hold."""
    with store.reading() as snapshot:
        index_id = str(snapshot.index_id)
    shutil.rmtree(cache_folder() / "lexical" / index_id, ignore_errors=True)
    for copy in store.folder.glob("index.sqlite.before-schema-*"):
        copy.unlink(missing_ok=True)
    deadline = time.monotonic() + _READERS_S
    while not store.database.give_back_space():
        if time.monotonic() > deadline:
            raise Fault(
                "WRITER_BUSY",
                "the evidence is forgotten, but a reader keeps the log that holds it",
                hint="End the reader, and forget the path again.",
            )
        time.sleep(0.05)


def _target(connection: sqlite3.Connection, path: bytes) -> _Target:
    found = connection.execute(
        "SELECT DISTINCT document.source FROM document"
        " JOIN version ON version.document = document.id"
        " WHERE version.path = ? OR (version.path > ? AND version.path < ?)",
        # "0" comes next after "/": this is all that is below the folder.
        (path, path + b"/", path + b"0"),
    )
    sources = tuple(sorted(source for (source,) in found))
    if not sources:
        shown = os.fsdecode(path)
        raise Fault(
            "EVIDENCE_NOT_FOUND",
            f"nothing was ever indexed at {shown!r}",
            hint="`hsum documents` lists the paths; they are relative to the root.",
        )
    own, others = _standing(connection, set(sources))
    revisions = {revision for _, revision in own}
    held = {revision for _, revision in others}
    query = "SELECT path FROM source WHERE id = ?"
    return _Target(
        sources,
        tuple(connection.execute(query, (source,)).fetchone()[0] for source in sources),
        tuple(sorted({name for name, _ in own})),
        tuple(sorted(revisions - held)),
        tuple(sorted({name for name, revision in others if revision in revisions})),
    )


Rows = list[tuple[bytes, int]]


def _standing(connection: sqlite3.Connection, sources: set[int]) -> tuple[Rows, Rows]:
    """Return path and revision of every version of some sources, and of all others."""
    rows = connection.execute(
        "SELECT source, version.path, revision FROM version"
        " JOIN document ON document.id = version.document"
        " JOIN source ON source.id = document.source WHERE source.gone IS NULL"
    )
    own: Rows = []
    others: Rows = []
    for source, path, revision in rows:
        (own if source in sources else others).append((path, revision))
    return own, others


def _report(
    connection: sqlite3.Connection, target: _Target, *, dry_run: bool
) -> ForgetReport:
    return ForgetReport(
        paths=tuple(map(os.fsdecode, target.paths)),
        revisions=len(target.revisions),
        bytes=bodies.sizes(connection, target.revisions),
        held=tuple(map(os.fsdecode, target.held)),
        dry_run=dry_run,
    )


def _dropped(
    store: Store, connection: sqlite3.Connection, draft: Draft, target: _Target
) -> int | None:
    """Commit a generation without the documents; None if none of them is live."""
    lives = Snapshot(connection).lives(target.current)
    if not lives:
        return None
    plan = decide(lives, (), tuple(lives), ())
    number, _ = publish(store, connection, draft, plan)
    return number


def _bar(connection: sqlite3.Connection, path: bytes, target: _Target) -> None:
    connection.executemany(
        "UPDATE source SET gone = 'forgotten' WHERE id = ?",
        ((source,) for source in target.sources),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO forgotten VALUES (?)",
        ((barred,) for barred in {path, *target.current}),
    )
