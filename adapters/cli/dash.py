"""`-` where a file is named: a standard stream, or a refusal."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from adapters._wire.verbs import Verb
from hsum import Fault

__all__ = ["as_file", "read_or_written", "refuse"]

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
    """Put a file in the place of `-`: of what stdin has, or for what stdout gets.

    An export is written whole before any of it is shown. Gives whether stdout is taken.

    Raises:
        Fault: `INVALID_ARGUMENT` where a report as JSON would go there as well.
    """
    if verb.command not in ("export", "import") or options["path"] != "-":
        yield False
        return
    exports = verb.command == "export"
    if exports and as_json:
        raise Fault(
            "INVALID_ARGUMENT",
            "stdout takes the exported lines or the document of --json, not both",
            hint="Name a file to export to, or leave --json out.",
        )
    with tempfile.TemporaryDirectory(prefix="hythe-") as folder:
        file = Path(folder, "stdout" if exports else "stdin")
        if not exports:
            with file.open("wb") as made:
                shutil.copyfileobj(sys.stdin.buffer, made)
        options["path"] = str(file)
        yield exports
        if exports:
            _show(file)


def _show(file: Path) -> None:
    sys.stdout.flush()
    with file.open("rb") as written:
        shutil.copyfileobj(written, sys.stdout.buffer)
    sys.stdout.buffer.flush()
