"""Tell how an index is, what is wrong, and what to do about it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import attrs

from hsum._kernel.catalogue import entry_of
from hsum._kernel.escape import visible_path
from hsum._kernel.faults import Fault
from hsum.index import guards
from hsum.index.git import GitFailed, enclosing
from hsum.index.ingest import ingest
from hsum.index.lexical import Reader
from hsum.index.survey import Request, checked_out
from hsum.model import Problem, Skip, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hsum.index.catalogue import Snapshot
    from hsum.index.store import Store

__all__ = ["status"]


def status(store: Store) -> Status:
    """Return the state of an index; of one not yet made, an empty one.

    Holds the index against the tree to tell whether it is behind; writes nothing.
    """
    with store.reading() as snapshot:
        found = _counts(store, snapshot)
        problems = list(_lexical(store, snapshot))
        commit = snapshot.commit
    if found.generation is not None:
        problems += _tree(store, os.fsencode(found.source_root or ""), commit)
    return attrs.evolve(found, problems=tuple(problems))


def _counts(store: Store, snapshot: Snapshot) -> Status:
    head, totals = snapshot.head, snapshot.totals()
    generations = snapshot.generations()
    root = snapshot.root
    return Status(
        index_id=snapshot.index_id,
        data_path=None if store.in_memory else os.fspath(store.folder),
        source_root=None if root is None else os.fsdecode(root),
        generation=head.generation if head else None,
        build=head.build if head else None,
        documents=totals.documents,
        passages=totals.passages,
        bytes=totals.bytes,
        disk_bytes=_disk_bytes(store),
        last_ingest=generations[-1].committed_at if generations else None,
        options=snapshot.options,
        projects=snapshot.projects(),
        skipped=snapshot.skipped(),
    )


def _disk_bytes(store: Store) -> int:
    """Add up the files of an index, hard links once."""
    sizes = {}
    for folder, _, names in os.walk(store.folder):
        for name in names:
            try:
                found = os.lstat(os.path.join(folder, name))
            except OSError:
                continue
            sizes[found.st_dev, found.st_ino] = found.st_size
    return sum(sizes.values())


def _lexical(store: Store, snapshot: Snapshot) -> Iterator[Problem]:
    if snapshot.head is None:
        return
    try:
        Reader(store.lexical_of(snapshot.head), hashes=snapshot.head.files)
    except Fault as fault:
        yield Problem(fault.code, fault.message, fault.hint)


def _tree(store: Store, root: bytes, commit: str | None) -> Iterator[Problem]:
    request = Request(dry_run=True, allow=guards.ALL)
    try:
        report = ingest(store, request)
    except Fault as fault:
        yield Problem(fault.code, fault.message, fault.hint)
        return
    behind = _commits(root, commit)
    if not report.unchanged or behind:
        yield _stale(len(report.changes), behind)
    if report.failed:
        yield Problem(
            "FILE_FAILED", _failed(report.failed), entry_of("FILE_FAILED").fix
        )


def _failed(skips: Sequence[Skip]) -> str:
    """Name some: what keeps its last good revision is not among the skipped files."""
    named = "; ".join(
        f"{visible_path(skip.path)}: {skip.detail or skip.reason}" for skip in skips[:3]
    )
    files = "1 file" if len(skips) == 1 else f"{len(skips):,} files"
    return f"{files} could not be read: {named}{'; ...' * (len(skips) > 3)}"


def _stale(documents: int, commits: int) -> Problem:
    parts = [f"{documents:,} documents differ from the tree"] if documents else []
    parts += [f"{commits:,} commits came after the last ingest"] if commits else []
    return Problem("STALE", " and ".join(parts), "Run `hsum ingest`.")


def _commits(root: bytes, commit: str | None) -> int:
    """Count the commits since the last ingest; a rewritten history counts as one."""
    now = checked_out(root)
    repository = enclosing(root)
    if repository is None or commit is None or now in (None, commit):
        return 0
    try:
        return repository.commits_since(commit) or 1
    except GitFailed:
        return 1
