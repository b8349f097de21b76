"""Read a file of another store: whole and well-formed, or nothing of it."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from hsum._kernel.faults import Fault
from hsum._kernel.files import translating_os
from hythe.care.export import FORMAT, KINDS
from hythe.care.merge import Merge
from hythe.care.model import Imported
from hythe.care.reference import import_reference, is_reference
from hythe.observe.checks import MAX_CALL_BYTES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import IO

    from hythe._storage import Storage
    from hythe.observe.stamp import Stamp

    Reader = Callable[
        [sqlite3.Connection, Stamp], tuple[int, Mapping[str, int], Mapping[str, int]]
    ]

__all__ = ["LONGEST_FIRST_LINE", "LONGEST_LINE", "import_file"]

# A row has what one call brought, and JSON within JSON may spell a byte in seven.
LONGEST_LINE = 8 * MAX_CALL_BYTES
# It says only what the file is.
LONGEST_FIRST_LINE = 65_536

_CONFLICT_MARKERS = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")


class _UndoneError(Exception):
    """Rolls a dry run back."""


def import_file(
    storage: Storage, author: str, path: Path, *, proven: bool, dry_run: bool
) -> Imported:
    """Import an export or a reference store, in one transaction.

    Raises:
        Fault: `INVALID_ARGUMENT` naming a line, `INTEGRITY_FAILED`,
            `IMPORT_CONFLICT`; nothing is changed then.
    """
    with translating_os(path), path.open("rb") as handle:
        if is_reference(handle.read(16)):
            read: Reader = functools.partial(import_reference, path=path)
        else:
            manifest = _checked(handle, path)
            read = functools.partial(_merged, handle=handle, manifest=manifest)
        return _run(storage, author, read, proven=proven, dry_run=dry_run)


def _run(
    storage: Storage, author: str, read: Reader, *, proven: bool, dry_run: bool
) -> Imported:
    try:
        with storage.writing(author, proven=proven) as (conn, stamp):
            done = Imported(*read(conn, stamp), dry_run=dry_run)
            _undo(dry_run=dry_run)
    except _UndoneError:
        pass
    return done


def _undo(*, dry_run: bool) -> None:
    if dry_run:
        raise _UndoneError


def _merged(
    conn: sqlite3.Connection, stamp: Stamp, handle: IO[bytes], manifest: Manifest
) -> tuple[int, Mapping[str, int], Mapping[str, int]]:
    merge = Merge(conn, stamp)
    read = hashlib.sha256()
    for number, line in _lines(handle):
        if number > manifest.rows + 1:
            break
        read.update(line)
        ((kind, row),) = json.loads(line).items()
        if kind in KINDS:
            merge.add(kind, row, number)
    if read.hexdigest() != manifest.sha256:
        raise Fault("INTEGRITY_FAILED", "the file changed while it was read")
    merge.finish()
    return manifest.rows, merge.added, {}


# --- the file ---------------------------------------------------------------------


class Manifest(NamedTuple):
    """What the last line says of all the others."""

    rows: int
    sha256: str


def _checked(handle: IO[bytes], path: Path) -> Manifest:
    """Read the file from end to end, and return its manifest."""
    read = hashlib.sha256()
    counts = dict.fromkeys(KINDS, 0)
    manifest: dict[str, Any] | None = None
    number = 0
    for number, line in _lines(handle):
        kind, row = _parsed(line, number)
        if manifest is not None:
            raise _bad(number, "stands after the manifest")
        if (number == 1) != (kind == "export"):
            raise _bad(number, "is no export of a store" if number == 1 else "is odd")
        if kind == "manifest":
            manifest = row
            continue
        read.update(line)
        counts[kind] = counts.get(kind, 0) + 1
    if manifest is None:
        raise _bad(number + 1, f"is missing: {path.name} ends before its manifest")
    counts.pop("export")
    if manifest.get("sha256") != read.hexdigest() or manifest.get("counts") != counts:
        raise Fault(
            "INTEGRITY_FAILED",
            f"{path.name} is not as it was written: its manifest is of other lines",
            details={"line": number},
        )
    return Manifest(sum(counts.values()), read.hexdigest())


def _lines(handle: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    handle.seek(0)
    for number in itertools.count(1):
        most = LONGEST_FIRST_LINE if number == 1 else LONGEST_LINE
        line = handle.readline(most + 1)
        if not line:
            return
        if len(line) > most:
            raise Fault(
                "TOO_LARGE",
                f"line {number:,} has more than {most:,} bytes",
                details={"line": number, "limit": most},
            )
        yield number, line


def _parsed(line: bytes, number: int) -> tuple[str, dict[str, Any]]:
    """Return kind and row of one line.

    Raises:
        Fault: `INVALID_ARGUMENT`, with the number of the line.
    """
    if line.startswith(_CONFLICT_MARKERS):
        raise _bad(number, "is a conflict marker")
    if not line.endswith(b"\n"):
        raise _bad(number, "has no newline: the file is cut off")
    try:
        data = json.loads(line)
        ((kind, row),) = data.items()
    except (ValueError, AttributeError, RecursionError):
        raise _bad(number, "is no row of an export") from None
    if kind not in KINDS and kind not in ("export", "manifest"):
        raise _bad(number, f"has the unknown kind {kind!r:.80}")
    if not isinstance(row, dict):
        raise _bad(number, "is no row of an export")
    if kind == "export" and row.get("format") != FORMAT:
        raise _bad(number, f"has the unknown format {row.get('format')!r:.80}")
    return kind, row


def _bad(number: int, why: str) -> Fault:
    return Fault(
        "INVALID_ARGUMENT",
        f"line {number:,} {why}",
        hint="Export again, or undo the change to that line; nothing was imported.",
        details={"line": number},
    )
