"""Copy a store while it is written, and make one from a copy; both are verified."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault
from hsum._kernel.files import translating_os
from hsum._kernel.lock import exclusive
from hythe._storage import Storage
from hythe.care.doctor import require_well
from hythe.care.model import Backup

if TYPE_CHECKING:
    from hsum._kernel.sqlite import Database

__all__ = ["backup", "restore"]


def backup(database: Database, target: Path) -> Backup:
    """Write one consistent copy to a new file, and verify it from end to end.

    Raises:
        Fault: `INVALID_ARGUMENT` where `target` exists; `INTEGRITY_FAILED` for a
            store that is damaged: no copy is left then.
    """
    database.copy_to(target)
    try:
        return _verified(target)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def restore(source: Path, target: Path) -> Backup:
    """Make a store at a path that has none from a verified copy.

    Raises:
        Fault: `NOT_FOUND`, `INVALID_ARGUMENT` where `target` exists, and what a
            damaged copy gives.
    """
    if not os.path.isfile(source):
        raise Fault(
            "NOT_FOUND",
            f"there is no file {source}",
            hint="Check the path; `hythe backup PATH` makes one.",
        )
    _verified(source)
    with exclusive(target.with_name(f"{target.name}.lock")):
        _refuse_existing(target)
        with contextlib.closing(Storage(source, read_only=True)) as storage:
            storage.database.copy_to(target)
        try:
            return _verified(target)
        except BaseException:
            target.unlink(missing_ok=True)
            raise


def _refuse_existing(target: Path) -> None:
    with translating_os(target):
        if target.exists():
            raise Fault(
                "INVALID_ARGUMENT",
                f"{target} exists already",
                hint="Restore to another path, or move the old store away.",
                details={"path": str(target)},
            )
        # Side files that an old store left would be read into the new one.
        for suffix in ("-wal", "-shm"):
            target.with_name(target.name + suffix).unlink(missing_ok=True)


def _verified(path: Path) -> Backup:
    with contextlib.closing(Storage(path, read_only=True)) as storage:
        with storage.reading() as (conn, store):
            found = require_well(conn, store, path.name)
        return Backup(path, path.stat().st_size, found.scopes, found.checkpoints)
