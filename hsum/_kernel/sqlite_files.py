"""The files of a database: opened, told apart, published whole, copied."""

from __future__ import annotations

import contextlib
import glob
import os
import sqlite3
import urllib.parse
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault
from hsum._kernel.files import fsync_dir, replace, translating_os

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "BUSY_MS",
    "Passing",
    "check_library",
    "identity_of",
    "is_whole_without_log",
    "is_writable",
    "keep_copy",
    "open_file",
    "publish",
    "sweep",
    "uri_of",
]

BUSY_MS = 15_000
_MINIMUM = (3, 37, 0)
_NO_ROOM_FOR_SHM = (
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_CANTOPEN,
)


class Passing(sqlite3.Connection):
    """One that sees nothing of what is written after it was opened: for one use."""


def check_library() -> None:
    """Refuse a SQLite that is too old."""
    if sqlite3.sqlite_version_info < _MINIMUM:
        needed = ".".join(map(str, _MINIMUM))
        raise Fault(
            "UNSUPPORTED_STORAGE",
            f"SQLite {sqlite3.sqlite_version} is too old; {needed} or later is needed",
            hint="Use a Python that is built with a newer SQLite.",
        )


def open_file(target: str) -> sqlite3.Connection:
    return sqlite3.connect(
        target,
        isolation_level=None,
        check_same_thread=False,
        uri=target.startswith("file:"),
        cached_statements=256,
        timeout=BUSY_MS / 1_000,
        factory=Passing if "?immutable=1" in target else sqlite3.Connection,
    )


def uri_of(path: Path, *, immutable: bool) -> str:
    quoted = urllib.parse.quote(os.fsencode(path.absolute()))
    return f"file:{quoted}?" + ("immutable=1" if immutable else "mode=rw")


def is_writable(path: Path) -> bool:
    """Tell whether WAL's side files can be made; refuse to guess past unread ones."""
    if os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        return True
    wal = path.with_name(path.name + "-wal")
    if wal.exists() and wal.stat().st_size:
        raise Fault(
            "PERMISSION_DENIED",
            f"{path.name} has unread changes in its -wal file and may not be written",
            hint="Let its owner open and close it once, or copy the folder and open that.",
        )
    return False


def is_whole_without_log(path: Path, exc: sqlite3.Error) -> bool:
    """Tell whether all that failed is making `-shm`, and the log holds nothing.

    On a full disk there is no room for it; the file can be read as it stands then.
    """
    if exc.sqlite_errorcode not in _NO_ROOM_FOR_SHM:
        return False
    wal = path.with_name(path.name + "-wal")
    return not wal.exists() or not wal.stat().st_size


def identity_of(path: Path) -> tuple[int, int] | None:
    """Return device and inode; None for no file, or an empty one."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as exc:
        with translating_os(path):
            raise exc from None
        raise
    return (found.st_dev, found.st_ino) if found.st_size else None


def sweep(path: Path) -> None:
    """Remove what a first write has left beside the file; the writer's turn is held."""
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.new*"):
        leftover.unlink(missing_ok=True)


def publish(temporary: Path, path: Path) -> None:
    """Rename a whole database into a place where none is.

    The log of one that was removed from there would be read as its own.
    """
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    replace(temporary, path)
    try:
        fsync_dir(path.parent)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def keep_copy(path: Path, version: int) -> None:
    """Copy the file as it was before a migration."""
    copy = path.with_name(f"{path.name}.before-schema-{version + 1}")
    temporary = copy.with_name(copy.name + ".tmp")
    with (
        contextlib.closing(
            sqlite3.connect(uri_of(path, immutable=False), uri=True)
        ) as a,
        contextlib.closing(sqlite3.connect(temporary)) as b,
    ):
        a.backup(b)
    temporary.chmod(0o600)
    replace(temporary, copy)
