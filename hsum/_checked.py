"""Check files: choose the index that knows their citations, if the user has one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from hsum._context import context
from hsum._kernel.faults import Fault, guarded
from hsum._kernel.files import as_file, as_path
from hsum._kernel.text import check_text
from hsum.check.checker import Cited
from hsum.check.files import Loose, check_paths, root_of
from hsum.check.indexed import SnapshotCitations
from hsum.errors import family, fault
from hsum.index.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hsum.model.check import CheckReport
    from hsum.model.evidence import Place

__all__ = ["check_files"]


def check_files(
    paths: Iterable[str | os.PathLike[str]],
    *,
    lock: str | os.PathLike[str] | bool | None = None,
    fix: bool = False,
    since: str | None = None,
    index: str | None = None,
    text: str | None = None,
) -> CheckReport:
    """Find every citation in files, or below folders, and say whether it stands.

    A `citations.lock` in the checked folder, or the nearest above it, is believed
    first, then the index; with a lock file that has them all, no index is needed.

    Args:
        paths: files and folders.
        lock: write a lock file: True for `citations.lock` in the checked folder, or
            a file's name.
        fix: rewrite the citations whose bytes have exactly one new place.
        since: report only what citing or cited files changed since this git commit.
        index: a managed index's name, or a directory with a `/` in it. None for
            that of the environment, or the one bound to the checked files' folder;
            a URI is also looked up in the index that its id names.
        text: a text to check as well, as if it stood in the working directory; it
            is neither locked nor fixed.

    Raises:
        HsumError: `INVALID_ARGUMENT` for a missing file, a damaged lock file, an
            unknown commit; `INDEX_NOT_FOUND` for an index that was named.
    """
    given = [as_path(path, "$.paths") for path in _listed(paths)]
    if not (lock is None or isinstance(lock, bool)):
        lock = as_file(lock, "$.lock")
    loose = None if text is None else _loose(text, given, written=bool(lock or fix))
    with contextlib.ExitStack() as stack:
        known = _Indexes(
            stack, index, given if loose is None else [*given, loose.folder]
        )
        return check_paths(
            given,
            root=known.root,
            index=known,
            lock=lock,
            fix=fix,
            since=since,
            loose=loose,
        )


def _loose(text: str, given: list[Path], *, written: bool) -> Loose:
    if written and not given:
        raise fault(
            "INVALID_ARGUMENT",
            "a text that stands in no file is neither locked nor fixed",
            hint="Write it to a file, and check that.",
        )
    return Loose(check_text(text, "$.text"), as_path("."))


def _listed(
    paths: Iterable[str | os.PathLike[str]],
) -> Iterable[str | os.PathLike[str]]:
    if isinstance(paths, Iterable) and not isinstance(paths, (str, bytes)):
        return paths
    return [paths]


class _Indexes:
    """The chosen index, and those that the citations themselves name."""

    def __init__(
        self, stack: contextlib.ExitStack, index: str | None, given: list[Path]
    ) -> None:
        self._stack = stack
        self._opened: dict[str, SnapshotCitations] = {}
        self.root: Path | None = None
        self._chosen = self._choose(index, given)

    def _choose(self, index: str | None, given: list[Path]) -> SnapshotCitations | None:
        try:
            chosen = context(index=index, directory=root_of(given))
        except Fault:
            if index is not None:
                raise
            return None
        if chosen.index_id is None or chosen.source_root is None:
            return None
        root = Path(chosen.source_root)
        inside = all(path.is_relative_to(root) for path in given)
        if not (index or (inside and root.is_dir())):
            return None
        # Who names an index means its tree, wherever the text stands.
        self.root = root if root.is_dir() else None
        return self._open(chosen.data_path, chosen.index_id)

    def _open(self, folder: str, index_id: str) -> SnapshotCitations:
        if index_id not in self._opened:
            self._opened[index_id] = self._stack.enter_context(_citations(folder))
        return self._opened[index_id]

    def head(self, path: str) -> bytes | None:
        """Return the bytes of a path as the chosen index has them."""
        return None if self._chosen is None else self._chosen.head(path)

    def cited(self, uri: str) -> Cited | str:
        """Return what a URI cites, from the index that it names."""
        try:
            named = context(citation=uri)
        except Fault as fault:
            return f"{fault.message} ({fault.code})"
        if named.index_id is not None:
            return self._open(named.data_path, named.index_id).cited(uri)
        return "no index of this user has this citation"

    def cite(self, place: Place, data: bytes) -> str | None:
        """Return a URI for a place, from the first index that has its file so."""
        known = (self._chosen, *self._opened.values())
        given = (one.cite(place, data) for one in known if one is not None)
        return next(filter(None, given), None)


@contextlib.contextmanager
def _citations(folder: str) -> Iterator[SnapshotCitations]:
    with (
        contextlib.closing(Store(Path(folder), read_only=True)) as store,
        store.reading() as snapshot,
    ):
        yield SnapshotCitations(snapshot)


check_files = guarded(family, check_files)
