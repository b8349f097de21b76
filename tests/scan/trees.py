"""Trees to scan, and what git says of them."""

from __future__ import annotations

import os
import stat
import subprocess
import time
from typing import TYPE_CHECKING

from hsum.index.scan import Outcome, Previous, Scan, Signature, scan
from hsum.index.seen import INDEXED, UNSETTLED, unpack
from hsum.model import Options

if TYPE_CHECKING:
    from collections.abc import Mapping

ALL = Options(allow_sensitive=True)


def write(root: bytes, files: dict[bytes, bytes]) -> None:
    """Write files by their path below `root`."""
    for path, data in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(data)


def git(folder: bytes, *command: str) -> bytes:
    """Run git as a user would, apart from the user's own settings."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    done = subprocess.run(
        ["git", *identity, "-c", "protocol.file.allow=always", *command],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return done.stdout


def listed_by_git(folder: bytes, prefix: bytes = b"") -> set[bytes]:
    """Return the regular files of `git ls-files`, nested repositories included."""
    found = set()
    options = ("-co", "--exclude-standard", "-z")
    for path in git(folder, "ls-files", *options).split(b"\0"):
        full = os.path.join(folder, path.rstrip(b"/"))
        if not path or not os.path.lexists(full):
            continue
        mode = os.lstat(full).st_mode
        if stat.S_ISDIR(mode):
            found |= listed_by_git(full, prefix + path.rstrip(b"/") + b"/")
        elif stat.S_ISREG(mode):
            found.add(prefix + path)
    return found


def candidates(folder: bytes, options: Options = ALL) -> set[bytes]:
    """Return the files that a first scan wants to read."""
    return {file.path for file in scan(folder, options).changed}


def reasons(found: Scan) -> dict[bytes, str]:
    """Return why each path that is skipped is."""
    return {skip.path: skip.reason for skip in found.skips}


def remembered(found: Scan, previous: Previous | None = None) -> Previous:
    """Return what the next scan is given when every file was indexed."""
    folders = dict(previous.folders) if previous else {}
    outcomes = {file.path: Outcome(file.signature) for file in found.changed}
    for path, record in found.records(outcomes):
        if record is None:
            del folders[path]
        else:
            folders[path] = record
    return Previous(folders)


def indexed(previous: Previous) -> set[bytes]:
    """Return the files that the records hold as indexed."""
    return {
        folder + name
        for folder, record in previous.folders.items()
        for name, (_, verdict) in _entries(record).items()
        if verdict & ~UNSETTLED == INDEXED and not name.endswith(b"/")
    }


def _entries(record: bytes) -> Mapping[bytes, tuple[Signature, int]]:
    folder = unpack(record)
    return folder.entries if folder is not None else {}


def age(root: bytes, seconds: int = 100) -> None:
    """Set the times of the tree back, as if it had been written long ago.

    The change time cannot be set: a short sleep lets it fall behind the clock's tick.
    """
    then = time.time_ns() - seconds * 1_000_000_000 + 1
    for folder, _, names in os.walk(root):
        for name in names:
            full = os.path.join(folder, name)
            os.utime(full, ns=(then, then), follow_symlinks=False)
    time.sleep(0.03)
