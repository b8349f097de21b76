"""Where the files to index come from: real projects, fetched by name, never committed."""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

__all__ = ["Corpus", "Here", "drawn", "sdist"]

HERE = Path(__file__).parent


@attrs.frozen
class Corpus:
    """A tree of files. `no_ignore` where its own ignore rules would hide it."""

    name: str
    root: Path
    no_ignore: bool = False

    def files(self) -> list[Path]:
        """Return the files below the root, `.git` left out."""
        return list(_files(self.root))

    @contextmanager
    def copied(self, *, most: int | None = None) -> Iterator[Path]:
        """Give a private tree of the same files, or of `most` of them.

        It may be changed. Files are linked where they can be; a change must replace
        them.
        """
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
            top = Path(folder) / "tree"
            names = [path.relative_to(self.root) for path in self.files()]
            _link_all(self.root, top, names if most is None else drawn(names, most))
            yield top


def drawn(names: Iterable[Path], most: int) -> list[Path]:
    """Return so many of the names, from all over the tree, alike on every machine.

    Fewer are part of more: what stands in a small tree stands in a larger one.
    """
    return sorted(names, key=_digest)[:most]


def _digest(name: Path) -> bytes:
    return hashlib.sha256(os.fsencode(name)).digest()


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                yield path


def _link_all(root: Path, top: Path, names: Iterable[Path]) -> None:
    for name in names:
        target = top / name
        target.parent.mkdir(parents=True, exist_ok=True)
        _link(root / name, target)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@functools.cache
def _medium() -> Path:
    """Return one tree of the standard library and of this environment's packages.

    They may lie far apart, and a root is one folder. The tree goes with the process.
    """
    top = Path(tempfile.mkdtemp(prefix="benchmark-medium-"))
    atexit.register(shutil.rmtree, top, ignore_errors=True)
    for kind in ("stdlib", "purelib"):
        root = Path(sysconfig.get_path(kind))
        names = (path.relative_to(root) for path in _files(root))
        _link_all(root, top / kind, (name for name in names if not _package(name)))
    return top


def _package(name: Path) -> bool:
    """Say whether a name below the standard library is another environment's."""
    return name.parts[0] in ("site-packages", "dist-packages")


@attrs.frozen
class Here:
    """What this run may use: the chosen corpus, data sets, and a cache of downloads."""

    size: str
    cache: Path
    data: Path | None = None
    large: Path | None = None
    smoke: bool = False
    needles: int | None = None

    @property
    def times(self) -> int:
        """How often each thing is measured."""
        return 1 if self.smoke else 5

    @property
    def few_times(self) -> int:
        """How often it is measured what takes minutes where the corpus is not small."""
        return min(self.times, 2) if self.size in ("medium", "large") else self.times

    def corpus(self, size: str | None = None) -> Corpus:
        """Return the corpus of a size; the chosen one for None.

        Raises:
            FileNotFoundError: The large corpus is not on this machine.
        """
        size = size or self.size
        if size == "smoke":
            return Corpus("smoke", HERE.parent / "hsum")
        if size == "small":
            return Corpus("small", sdist("pytest", "8.0.0", self.cache))
        if size == "medium":
            return Corpus("medium", _medium(), no_ignore=True)
        if self.large is None or not self.large.is_dir():
            raise FileNotFoundError("give the large corpus with --large FOLDER")
        return Corpus("large", self.large, no_ignore=True)


def sdist(name: str, release: str, cache: Path) -> Path:
    """Return the unpacked source distribution of a release, fetched once."""
    found = _unpacked(name, release, cache)
    if found is None:
        cache.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        # pip asks the source for its name, with what builds it fetched for that alone.
        command += ["--no-binary", name, "--dest", str(cache), f"{name}=={release}"]
        subprocess.run(command, check=True)
        for archive in cache.glob("*.tar.gz"):
            with tarfile.open(archive) as packed:
                packed.extractall(cache, filter="data")
            archive.unlink()
        found = _unpacked(name, release, cache)
    if found is None:
        raise FileNotFoundError(f"{name}-{release} was not fetched into {cache}")
    return found


def _unpacked(name: str, release: str, cache: Path) -> Path | None:
    wanted = f"{name}-{release}".lower()
    if not cache.is_dir():
        return None
    folders = (path for path in cache.iterdir() if path.is_dir())
    return next((path for path in folders if path.name.lower() == wanted), None)
