"""The files of lexical directories: inherited, hashed, and copied where read-only."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault
from hsum._kernel.files import fsync, make_private_dir, translating_os

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = [
    "MUTABLE",
    "damaged_files",
    "files_of",
    "fsync_file",
    "inherit",
    "lockable",
    "sha256",
    "smallest",
]

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


def smallest(
    directory: Path, hashes: Mapping[str, str], most_bytes: int
) -> dict[str, str]:
    """Return the hashes of the smallest files that `most_bytes` are enough for."""
    sizes = {}
    for name in hashes:
        with contextlib.suppress(OSError):
            sizes[name] = os.stat(directory / name).st_size
    ordered = sorted(sizes, key=lambda name: sizes[name])
    totals = itertools.accumulate(sizes[name] for name in ordered)
    within = itertools.takewhile(lambda total: total <= most_bytes, totals)
    return {name: hashes[name] for name, _ in zip(ordered, within, strict=False)}


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
