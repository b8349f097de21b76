"""The working tree as it is now: its text files, and nothing outside the root."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

from hsum.index.reading import Read, Reader
from hsum.index.scan import scan
from hsum.model.ingest import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["WorkingTree"]


class WorkingTree:
    """Files below one root; what was cited is read once.

    Args:
        root: the folder.
        allowed: tells which paths exist for the caller.
    """

    def __init__(
        self, root: bytes, allowed: Callable[[bytes], bool] = lambda _path: True
    ) -> None:
        self.root = root
        self._allowed = allowed
        self._reader = Reader(root)
        self._cited: dict[str, bytes | None] = {}
        self._paths: tuple[str, ...] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._reader.__exit__(None, None, None)

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes; None when it is missing, a link, or outside."""
        if path not in self._cited:
            self._cited[path] = self._load(path)
        return self._cited[path]

    def resolve(self, written: str, folder: str) -> str | None:
        """Return a cited path from the root, tried from the root, then from `folder`."""
        for path in candidates(written, folder):
            if self.read(path) is not None:
                return path
        return None

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Give every text file that would be indexed, by path."""
        for path in self.paths():
            data = self._load(path)
            if data is not None:
                yield path, data

    def paths(self) -> tuple[str, ...]:
        """Return the paths of the files that would be indexed."""
        if self._paths is None:
            changed = scan(self.root, Options()).changed
            self._paths = tuple(os.fsdecode(file.path) for file in changed)
        return self._paths

    def _load(self, path: str) -> bytes | None:
        name = os.fsencode(path)
        # What stands between backticks may be no name of a file.
        if b"\0" in name or not self._allowed(name):
            return None
        got = self._reader.read(name, Options().max_file_bytes)
        return got.data if isinstance(got, Read) else None


def candidates(written: str, folder: str) -> Iterator[str]:
    """Give the paths from the root that a citation in `folder` may mean."""
    for base in dict.fromkeys(("", folder)):
        path = os.path.normpath(os.path.join(base, written))
        if path != "." and not path.startswith(("../", "/")) and path != "..":
            yield path
