"""What SQLite raises, as faults."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, final

from hsum._kernel.faults import STRANGE, Fault

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["is_strange", "tells_damage", "translating_sqlite"]

_CODES = {
    sqlite3.SQLITE_BUSY: "WRITER_BUSY",
    sqlite3.SQLITE_LOCKED: "WRITER_BUSY",
    sqlite3.SQLITE_FULL: "DISK_FULL",
    sqlite3.SQLITE_TOOBIG: "TOO_LARGE",
    sqlite3.SQLITE_READONLY: "PERMISSION_DENIED",
    sqlite3.SQLITE_CANTOPEN: "PERMISSION_DENIED",
    sqlite3.SQLITE_PERM: "PERMISSION_DENIED",
    sqlite3.SQLITE_AUTH: "PERMISSION_DENIED",
    sqlite3.SQLITE_INTERRUPT: "CANCELLED",
    sqlite3.SQLITE_CORRUPT: "STORE_DAMAGED",
    sqlite3.SQLITE_NOTADB: "STORE_DAMAGED",
    sqlite3.SQLITE_IOERR: "STORE_DAMAGED",
    # Counters and fresh ids keep rows apart: one of them is not what it was.
    sqlite3.SQLITE_CONSTRAINT: "STORE_DAMAGED",
}
# Extended codes of a write that found no room: SQLite reports them as I/O errors.
_NO_ROOM = frozenset(
    {
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_TRUNCATE,
        sqlite3.SQLITE_IOERR_FSYNC,
    }
)

_MARKS = ("malformed", "no such table", "no such column", "Could not decode to UTF-8")


@final
class translating_sqlite:  # noqa: N801 - used as a statement
    """Turn what sqlite3 raises into faults; mistakes in our own SQL pass through."""

    __slots__ = ("_path",)

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        if isinstance(error, sqlite3.Error):
            fault = _fault_of(error, self._path)
            if fault is not None:
                raise fault from error


def is_strange(exc: Exception) -> bool:
    """Tell whether only damage, or a mistake of ours, makes code that reads rows raise it."""
    if isinstance(exc, sqlite3.Error):
        return _fault_of(exc, None) is None
    return isinstance(exc, STRANGE)


def tells_damage(exc: sqlite3.Error) -> bool:
    """Tell whether an error is about what is stored, and not about room or rights."""
    fault = _fault_of(exc, None)
    return fault is None or fault.code == "STORE_DAMAGED"


def _fault_of(exc: sqlite3.Error, path: Path | None) -> Fault | None:
    extended = getattr(exc, "sqlite_errorcode", None)
    where = f"{path.name}: " if path is not None else ""
    if extended in _NO_ROOM:
        return Fault("DISK_FULL", f"{where}the disk would not take the write ({exc})")
    code = _CODES.get((extended or 0) & 0xFF)
    if code is None and isinstance(exc, sqlite3.DatabaseError) and extended is None:
        code = "CLOSED" if "closed" in str(exc) else None
    if code is None and _looks_damaged(exc):
        code = "STORE_DAMAGED"
    return None if code is None else Fault(code, f"{where}{exc}")


def _looks_damaged(exc: sqlite3.Error) -> bool:
    """Damage in the schema page or in a text surfaces as a plain error."""
    text = str(exc)
    return any(mark in text for mark in _MARKS)
