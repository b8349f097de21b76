"""Files that only their owner may read or change."""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
from collections.abc import Callable
from pathlib import Path

from hsum._kernel.escape import visible_path
from hsum._kernel.faults import Fault
from hsum._kernel.files import translating_os

__all__ = ["check_private_file", "check_private_folder", "read_private"]

Kind = Callable[[int], bool]

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_private_folder(folder: Path) -> None:
    """Refuse a folder that is a symlink, another user's, or open to others.

    One that is not there is fine.

    Raises:
        Fault: `PERMISSION_DENIED`, with the command that mends it.
    """
    _check_path(folder, "700", stat.S_ISDIR)


def check_private_file(path: Path) -> None:
    """Refuse a file that is a symlink, another user's, or open to others."""
    _check_path(path, "600", stat.S_ISREG)


def _check_path(path: Path, mode: str, is_kind: Kind) -> None:
    with translating_os(path), contextlib.suppress(FileNotFoundError):
        _check(path, os.lstat(path), mode, is_kind)


def _check(path: Path, found: os.stat_result, mode: str, is_kind: Kind) -> None:
    where = shlex.quote(os.fspath(path))
    if not is_kind(found.st_mode):
        what = "a symbolic link" if stat.S_ISLNK(found.st_mode) else "not of its kind"
        raise _refusal(path, f"is {what}", f"Move it away: mv {where} {where}.old")
    if found.st_uid != os.geteuid():
        fix = f"Take it over: sudo chown {os.geteuid()} {where}"
        raise _refusal(path, f"belongs to user {found.st_uid}", fix)
    if found.st_mode & _OTHERS:
        shown = f"{stat.S_IMODE(found.st_mode):04o}"
        fix = f"Close it: chmod {mode} {where}"
        raise _refusal(path, f"is open to other users (mode {shown})", fix)


def _refusal(path: Path, why: str, fix: str) -> Fault:
    shown = visible_path(os.fspath(path))
    return Fault(
        "PERMISSION_DENIED",
        f"{shown} {why}",
        hint=visible_path(fix),
        details={"path": shown},
    )


def read_private(path: Path) -> bytes | None:
    """Return the bytes of a private file, or None when it is not there.

    The file that is checked is the file that is read: a link put in its place
    between the two is not followed.
    """
    check_private_folder(path.parent)
    check_private_file(path)
    with translating_os(path), contextlib.suppress(FileNotFoundError):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            _check(path, os.fstat(file.fileno()), "600", stat.S_ISREG)
            return file.read()
    return None
