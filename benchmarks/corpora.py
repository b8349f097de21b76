"""Where the files to index come from: real projects, fetched by name, never committed."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

__all__ = ["Corpus", "Here", "sdist"]

HERE = Path(__file__).parent


@attrs.frozen
class Corpus:
    """A tree of files. `no_ignore` where its own ignore rules would hide it."""

    name: str
    root: Path
    no_ignore: bool = False

    @contextmanager
    def copied(self, *, most: int | None = None) -> Iterator[Path]:
        """Give a private tree of the same files, which may be changed.

        Files are linked where they can be; a change must replace them.
        """
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
            top = Path(folder) / "tree"
            for source in itertools.islice(_files(self.root), most):
                target = top / source.relative_to(self.root)
                target.parent.mkdir(parents=True, exist_ok=True)
                _link(source, target)
            yield top


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                yield path


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@attrs.frozen
class Here:
    """What this run may use: the chosen corpus, data sets, and a cache of downloads."""

    size: str
    cache: Path
    data: Path | None = None
    large: Path | None = None
    smoke: bool = False

    @property
    def times(self) -> int:
        """How often each thing is measured."""
        return 1 if self.smoke else 5

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
            return Corpus("medium", Path(sysconfig.get_path("stdlib")), no_ignore=True)
        if self.large is None or not self.large.is_dir():
            raise FileNotFoundError("give the large corpus with --large FOLDER")
        return Corpus("large", self.large, no_ignore=True)


def sdist(name: str, release: str, cache: Path) -> Path:
    """Return the unpacked source distribution of a release, fetched once."""
    found = _unpacked(name, release, cache)
    if found is None:
        cache.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--no-binary", ":all:", "--no-build-isolation", "--dest"]
        subprocess.run([*command, str(cache), f"{name}=={release}"], check=True)
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
