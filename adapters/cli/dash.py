"""`-` where a file is named: a standard stream, or a refusal."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from adapters._wire.verbs import Verb
from adapters.cli.sources import MOST_OF_CALL, called, chunks
from hsum import Fault

__all__ = ["as_file", "read_or_written", "refuse"]

# A row has what one call brought, and JSON within JSON may spell a byte in seven.
MOST_OF_LINE = 8 * MOST_OF_CALL
# It says only what the file is.
MOST_OF_FIRST_LINE = 65_536
_DATABASE = b"SQLite format 3\0"

# Whole databases are verified as files, so that no stream can be one.
_FILES = {"backup": ("path",), "restore": ("backup", "path")}


def refuse(verb: Verb, options: dict[str, Any]) -> None:
    """Refuse `-` for a file that cannot be a stream.

    Raises:
        Fault: `INVALID_ARGUMENT`.
    """
    for name in ("store", "lock", *_FILES.get(str(verb.command), ())):
        as_file(name, options.get(name))


def as_file(name: str, value: Any) -> Any:
    """Return the name of a file, which no stream can be.

    Raises:
        Fault: `INVALID_ARGUMENT` for `-`.
    """
    if value == "-":
        raise Fault(
            "INVALID_ARGUMENT",
            f"{name.upper()} must be a file, not the stream that `-` stands for",
            hint="Name a file; `./-` is one of this name.",
            details={"path": f"$.{name}"},
        )
    return value


@contextmanager
def read_or_written(
    verb: Verb, options: dict[str, Any], *, as_json: bool
) -> Iterator[bool]:
    """Put a file in the place of a stream: of what it has, or for what stdout gets.

    An export is written whole before any of it is shown, and an import reads its file
    twice, which `-`, a FIFO and a device do not allow. Gives whether stdout is taken.

    Raises:
        Fault: `INVALID_ARGUMENT` where a report as JSON would go there as well, and
            where stdin is closed; `TOO_LARGE` for a line that does not end.
    """
    imports = verb.command == "import" and _is_stream(options["path"])
    exports = verb.command == "export" and options["path"] == "-"
    if exports and as_json:
        raise Fault(
            "INVALID_ARGUMENT",
            "stdout takes the exported lines or the document of --json, not both",
            hint="Name a file to export to, or leave --json out.",
        )
    if not (imports or exports):
        yield False
        return
    with tempfile.TemporaryDirectory(prefix="hythe-") as folder:
        file = Path(folder, "stdout")
        if imports:
            file = file.with_name(Path(called(options["path"])).name)
            _copy(options["path"], file)
        options["path"] = str(file)
        yield exports
        if exports:
            _show(file)


def _is_stream(path: str) -> bool:
    if path == "-":
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # the import says what is wrong with it
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def _copy(name: str, target: Path) -> None:
    """Copy a stream, but nothing of a line that is longer than an export can have.

    The store that an import may bring instead is a database, and has no lines.
    """
    head, number, size = b"", 1, 0
    with target.open("wb") as made:
        for chunk in chunks(name):
            made.write(chunk)
            head = (head + chunk)[: len(_DATABASE)]
            if ends := chunk.count(b"\n"):
                number, size = number + ends, -1 - chunk.rfind(b"\n")
            size += len(chunk)
            most = MOST_OF_FIRST_LINE if number == 1 else MOST_OF_LINE
            if size > most and head != _DATABASE:
                raise _endless(name, number, most)


def _endless(name: str, number: int, most: int) -> Fault:
    return Fault(
        "TOO_LARGE",
        f"line {number:,} of {called(name)} has more than {most:,} bytes",
        hint="Name what `hythe export` wrote; nothing was imported.",
        details={"line": number, "limit": most},
    )


def _show(file: Path) -> None:
    sys.stdout.flush()
    with file.open("rb") as written:
        shutil.copyfileobj(written, sys.stdout.buffer)
    sys.stdout.buffer.flush()
