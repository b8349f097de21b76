"""Copy an index while it is in use, and make one from a copy."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from hsum._kernel.faults import Fault
from hsum._kernel.sqlite import Database
from hsum.care.doctor import problems_of
from hsum.index.catalogue import Snapshot
from hsum.index.generations import rebuild
from hsum.index.schema import SCHEMA
from hsum.index.store import Store
from hsum.model.care import BackupReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hsum.model import Problem

__all__ = ["backup", "restore"]


def backup(store: Store, target: Path) -> BackupReport:
    """Write one consistent copy to a new file and read it from end to end."""
    store.database.copy_to(target)
    try:
        return _verified(target)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def restore(source: Path, folder: Path) -> BackupReport:
    """Make an index in a directory that holds none; the lexical index is built anew."""
    if not os.path.isfile(source) or not os.path.getsize(source):
        raise Fault(
            "INDEX_NOT_FOUND",
            f"there is no backup in {source}",
            hint="Check the path; `hsum backup PATH` makes one.",
        )
    report = _verified(source)
    with _new(folder) as store, store.writer():
        _copy(source, folder / "index.sqlite")
        if report.generation is not None:
            rebuild(store, lambda _done, _total: None)
    size = os.path.getsize(folder / "index.sqlite")
    return attrs.evolve(report, path=os.fspath(folder), bytes=size)


@contextlib.contextmanager
def _new(folder: Path) -> Iterator[Store]:
    """Give the store of a directory; leave nothing of it behind if the block raises."""
    store = Store(folder)
    if store.exists():
        raise Fault("INVALID_ARGUMENT", f"{folder} holds an index already")
    empty = not os.path.exists(folder)
    try:
        yield store
    except BaseException:
        store.close()
        for left in (
            [folder] if empty else [*folder.glob("index.sqlite*"), store.lexical]
        ):
            _remove(left)
        raise
    store.close()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    database = Database(source, schema=SCHEMA, read_only=True)
    try:
        database.copy_to(target)
    finally:
        database.close()


def _verified(path: Path) -> BackupReport:
    database = Database(path, schema=SCHEMA, read_only=True)
    try:
        _refuse(path, problems_of(database))
        with database.reading() as connection:
            return _report(path, Snapshot(connection))
    finally:
        database.close()


def _refuse(path: Path, problems: tuple[Problem, ...]) -> None:
    if problems:
        worst = problems[0]
        raise Fault(
            worst.code,
            worst.message
            if path.name in worst.message
            else f"{path.name}: {worst.message}",
            details={"problems": [problem.message for problem in problems[:20]]},
        )


def _report(path: Path, snapshot: Snapshot) -> BackupReport:
    head = snapshot.head
    return BackupReport(
        path=os.fspath(path),
        index_id=snapshot.index_id,
        generation=head.generation if head else None,
        revisions=snapshot.kept_revisions(),
        bytes=path.stat().st_size,
    )
