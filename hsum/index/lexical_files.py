"""The files of lexical directories: inherited, hashed, and copied where read-only."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import shutil
import time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault
from hsum._kernel.files import fsync, make_private_dir, translating_os

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

__all__ = [
    "MUTABLE",
    "damaged_files",
    "damaged_small_files",
    "files_of",
    "fsync_file",
    "inherit",
    "lockable",
    "sha256",
    "stamps",
]

# File systems may stamp times in whole seconds, even ones on FAT.
_RACY_NS = 2_000_000_000

MUTABLE = ("meta.json", ".managed.json")
"""Files that tantivy rewrites; all others are written once."""


def inherit(base: Path, directory: Path) -> frozenset[str]:
    """Give `directory` what `base` holds, linked where possible; return the names."""
    with translating_os(base):
        paths = list(files_of(base))
        for path in paths:
            _link(path, directory / path.name)
    if not any(path.name == "meta.json" for path in paths):
        raise Fault("LEXICAL_UNAVAILABLE", f"{base.name} is not a lexical index")
    return frozenset(path.name for path in paths)


def _link(source: Path, target: Path) -> None:
    # tantivy rewrites these two; a link would rewrite them for the base as well.
    if source.name not in MUTABLE:
        with contextlib.suppress(OSError):
            os.link(source, target)
            return
    shutil.copyfile(source, target)


def files_of(directory: Path) -> Iterator[Path]:
    """Yield the files of a directory but its locks and temporary ones, by name."""
    for path in sorted(directory.iterdir()):
        if not path.name.endswith(".lock") and not path.name.startswith(".tmp"):
            yield path


def fsync_file(path: Path) -> None:
    """Flush a file that another library wrote."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def damaged_files(directory: Path, hashes: Mapping[str, str]) -> list[str]:
    """Return the names of files that are missing or are not what was written.

    tantivy itself notices truncation, but not a flipped byte inside a segment.
    """
    return [
        name for name, wanted in hashes.items() if not _is(directory / name, wanted)
    ]


def damaged_small_files(
    directory: Path, hashes: Mapping[str, str], most_bytes: int
) -> list[str]:
    """Return those of the smallest files, up to `most_bytes`, that are damaged.

    One that stands as it was when it was read is not read again, unless its times are
    too new to tell. A missing one is not among them.
    """
    found = {}
    for name in hashes:
        with contextlib.suppress(OSError):
            found[name] = os.stat(directory / name)
    ordered = sorted(found, key=lambda name: found[name].st_size)
    totals = itertools.accumulate(found[name].st_size for name in ordered)
    within = itertools.takewhile(lambda total: total <= most_bytes, totals)
    return [
        name
        for name, _ in zip(ordered, within, strict=False)
        if not _is_still(directory / name, hashes[name], found[name])
    ]


def stamps(directory: Path, names: Iterable[str]) -> tuple[tuple[int, ...], ...] | None:
    """Return what tells that files have not been written since; None where too new.

    Raises:
        OSError: One is missing.
    """
    found = [os.stat(directory / name) for name in names]
    newest = max((_newest(status) for status in found), default=0)
    if newest > time.time_ns() - _RACY_NS:
        return None
    return tuple((_newest(one), one.st_size, one.st_ino) for one in found)


def _newest(status: os.stat_result) -> int:
    return max(status.st_mtime_ns, status.st_ctime_ns)


def _is_still(path: Path, wanted: str, found: os.stat_result) -> bool:
    newest = _newest(found)
    if newest > time.time_ns() - _RACY_NS:
        return _is(path, wanted)
    return _was(path, wanted, newest, found.st_size, found.st_ino)


@lru_cache(maxsize=256)
def _was(path: Path, wanted: str, *status: int) -> bool:  # noqa: ARG001
    return _is(path, wanted)


def _is(path: Path, wanted: str) -> bool:
    try:
        return sha256(path) == wanted
    except OSError:
        return False


@contextlib.contextmanager
def lockable(directory: Path, cache: Callable[[], Path] | None) -> Iterator[Path]:
    """Give the directory, or a copy of it where no lock file can be made in it."""
    if os.access(directory, os.W_OK):
        yield directory
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="hsum-") as private:
        copy = (Path(private) if cache is None else cache()) / directory.name
        if not (copy / "meta.json").is_file():
            _copy(directory, copy)
        yield copy


def _copy(directory: Path, copy: Path) -> None:
    """Copy whole or not at all; copies of other generations make room."""
    make_private_dir(copy.parent)
    for old in copy.parent.iterdir():
        if not old.name.startswith("."):  # one that is being made
            shutil.rmtree(old, ignore_errors=True)
    half = copy.with_name(f".{copy.name}.{os.getpid()}")
    half.mkdir(mode=0o700)
    for path in files_of(directory):
        shutil.copyfile(path, half / path.name)
    try:
        half.rename(copy)
    except OSError:  # another process was quicker
        shutil.rmtree(half, ignore_errors=True)
