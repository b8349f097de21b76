"""One generation and build, opened: its lexical index, and what was read for it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import attrs

from hsum._kernel.cancellation import check_cancelled
from hsum._kernel.faults import Fault
from hsum.errors import fault
from hsum.index import seen
from hsum.index.catalogue import checked
from hsum.index.expressions import Term, Within
from hsum.index.ignore import Globs
from hsum.index.lexical import LEXICAL_VERSION, Reader, Writer
from hsum.index.lexical_files import damaged_files
from hsum.index.schema import BLOCK_BYTES
from hsum.trust.places import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hsum.index.catalogue import Head, Snapshot, Version
    from hsum.index.passages import Passage
    from hsum.index.seen import Signature, Verdict
    from hsum.index.store import Store
    from hsum.model import Project

    Signatures = Mapping[bytes, tuple[Signature, Verdict]]

__all__ = ["Opened", "Scope", "Shelf"]

K = TypeVar("K")
V = TypeVar("V")

_VERSIONS_KEPT: Final = 50_000
_CUTS_KEPT: Final = 4_000
_BLOCKS_KEPT: Final = 512
_PROOFS_KEPT: Final = 100_000
_FOLDERS_KEPT: Final = 1_000
_SCOPES_KEPT: Final = 16
_TOKENS_KEPT: Final = 10_000
_COMMON: Final = 10_000


@attrs.frozen
class Scope:
    """What a search sees; `versions` is None when that is everything."""

    versions: frozenset[int] | None
    documents: int
    passages: int
    mostly_prose: bool


class Opened:
    """What does not change while a generation and its build are the head.

    Threads may share it: whatever is kept can be read again.
    """

    def __init__(self, head: Head, reader: Reader) -> None:
        self.head = head
        self.reader = reader
        self._versions: dict[int, Version] = {}
        self._paths: dict[int, str] = {}
        self._cuts: dict[int, Sequence[Passage]] = {}
        self._blocks: dict[tuple[int, int], bytes] = {}
        self._scopes: dict[object, Scope] = {}
        self._folders: dict[bytes, tuple[bytes, Signatures]] = {}
        self._proofs: dict[tuple[str, str, int], frozenset[tuple[int, int]]] = {}
        self._common: dict[tuple[str, str], bool] = {}
        self._sound = False

    def vouch(self) -> None:
        """Check once that the lexical files are those that were written.

        tantivy does not notice a flipped byte, and finds less, or nonsense. Files
        that were swept meanwhile are not looked at: the reader has them open.

        Raises:
            Fault: `LEXICAL_UNAVAILABLE` when they are not.
        """
        directory = self.reader.directory
        if self._sound or not directory.is_dir():
            return
        suspects = damaged_files(directory, self.head.files)
        damaged = [name for name in suspects if (directory / name).exists()]
        if damaged:
            raise fault(
                "LEXICAL_UNAVAILABLE",
                f"the lexical index is damaged: {', '.join(damaged)}",
            )
        self._sound = True

    def is_common(self, field: str, token: str) -> bool:
        """Tell whether a token stands in so many passages that it tells little."""
        if self.reader.alive <= _COMMON:
            return False
        known = self._common.get((field, token))
        if known is None:
            self._common = _roomy(self._common, _TOKENS_KEPT)
            known = self.reader.frequency(field, token) > _COMMON
            self._common[field, token] = known
        return known

    def versions(
        self, snapshot: Snapshot, keys: Iterable[int]
    ) -> Mapping[int, Version]:
        """Return live versions by key."""
        kept = self._versions = _roomy(self._versions, _VERSIONS_KEPT)
        missing = [key for key in keys if key not in kept]
        if missing:
            found = snapshot.versions(missing)
            if len(found) < len(set(missing)):
                raise fault("STORE_DAMAGED", "a version names rows that are not there")
            kept.update(found)
        return kept

    def paths(self, snapshot: Snapshot, keys: Iterable[int]) -> Mapping[int, str]:
        """Return the paths of live versions by key, as `os.fsdecode` gives them."""
        kept = self._paths = _roomy(self._paths, _VERSIONS_KEPT)
        missing = [key for key in keys if key not in kept]
        if missing:
            found = self.versions(snapshot, missing)
            kept.update((key, os.fsdecode(found[key].path)) for key in missing)
        return kept

    def passages(self, snapshot: Snapshot, version: Version) -> Sequence[Passage]:
        """Return the passages of a version's revision."""
        found = self._cuts.get(version.cut)
        if found is None:
            found = snapshot.passages(version)
            self._cuts = _roomy(self._cuts, _CUTS_KEPT)
            self._cuts[version.cut] = found
        return checked(version, found)

    def read(self, snapshot: Snapshot, version: Version, start: int, end: int) -> bytes:
        """Return the half-open span of a version's revision, checked by hash."""
        first, last = start // BLOCK_BYTES, max(start, end - 1) // BLOCK_BYTES
        data = b"".join(
            self._block(snapshot, version, at) for at in range(first, last + 1)
        )
        return data[start - first * BLOCK_BYTES : end - first * BLOCK_BYTES]

    def _block(self, snapshot: Snapshot, version: Version, at: int) -> bytes:
        key = (version.revision, at)
        found = self._blocks.get(key)
        if found is None:
            start = at * BLOCK_BYTES
            found = snapshot.read(
                version, start, min(version.size, start + BLOCK_BYTES)
            )
            self._blocks = _roomy(self._blocks, _BLOCKS_KEPT)
            self._blocks[key] = found
        return found

    def signatures(self, snapshot: Snapshot, folder: bytes) -> Signatures:
        """Return the stat signatures in a folder at the last scan, by name."""
        stored = snapshot.folder(folder)
        if stored is None:
            return {}
        kept, found = self._folders.get(folder, (None, {}))
        if kept != stored:
            # A scan that finds nothing new commits no generation, yet notes times.
            record = seen.unsealed(stored)
            unpacked = seen.unpack(record) if record is not None else None
            found = unpacked.entries if unpacked is not None else {}
            self._folders = _roomy(self._folders, _FOLDERS_KEPT)
            self._folders[folder] = (stored, found)
        return found

    @property
    def proofs(self) -> dict[tuple[str, str, int], frozenset[tuple[int, int]]]:
        """What was proved: the runs that hold a needle, by its kind, text and place."""
        self._proofs = _roomy(self._proofs, _PROOFS_KEPT)
        return self._proofs

    def scope(
        self, snapshot: Snapshot, project: Project, paths: tuple[str, ...]
    ) -> Scope:
        """Return what a search in a project, below some globs, sees."""
        key = (project.include, project.exclude, paths)
        found = self._scopes.get(key)
        if found is None:
            found = self._scoped(snapshot, project, paths)
            self._scopes = _roomy(self._scopes, _SCOPES_KEPT)
            self._scopes[key] = found
        return found

    def _scoped(
        self, snapshot: Snapshot, project: Project, paths: tuple[str, ...]
    ) -> Scope:
        if not (project.include or project.exclude or paths):
            totals = snapshot.totals()
            prose = self.reader.count(Term("kind", "prose"))
            return Scope(
                None, totals.documents, totals.passages, 2 * prose > totals.passages
            )
        within, without, asked = map(Globs, (project.include, project.exclude, paths))
        visible = [
            (key, passages)
            for key, path, passages in snapshot.paths()
            if (not within or within.matches(path))
            and not (without and without.matches(path))
            and (not asked or asked.matches(path))
        ]
        versions = frozenset(key for key, _ in visible)
        count = sum(passages for _, passages in visible)
        prose = self.reader.count(Within(Term("kind", "prose"), tuple(versions)))
        return Scope(versions, len(versions), count, 2 * prose > count)


def _roomy(kept: dict[K, V], most: int) -> dict[K, V]:
    """Return what is kept, or a new one: other threads may still read the old."""
    return kept if len(kept) < most else {}


class Shelf:
    """Keep the newest generation of a store open between searches."""

    def __init__(self) -> None:
        self._opened: Opened | None = None

    def opened(self, store: Store, snapshot: Snapshot, *, deadline: float) -> Opened:
        """Return the head of a snapshot, opened.

        Where its lexical directory is missing or damaged, a private one is built from
        the stored bytes, until the deadline.

        Raises:
            Fault: `NO_GENERATION`; `LEXICAL_UNAVAILABLE`, also when the directory is
                gone because another generation is the head by now.
        """
        head = snapshot.require_head()
        kept = self._opened
        if kept is None or kept.head != head:
            kept = self._opened = Opened(head, _reader(store, snapshot, deadline))
        return kept

    def distrust(self, snapshot: Snapshot, *, deadline: float) -> None:
        """Replace the lexical index in use, which failed, by a private one."""
        if self._opened is not None and self._opened.head == snapshot.head:
            self._opened = Opened(self._opened.head, _built(snapshot, deadline))


def _reader(store: Store, snapshot: Snapshot, deadline: float) -> Reader:
    head = snapshot.require_head()
    if head.lexical_version != LEXICAL_VERSION:
        return _built(snapshot, deadline)
    own = str(snapshot.index_id)
    try:
        return Reader(
            store.lexical_of(head),
            cache=lambda: cache_folder() / "lexical" / own,
            hashes=head.files,
        )
    except Fault as exc:
        if exc.code != "LEXICAL_UNAVAILABLE" or _has_moved_on(store, head):
            raise
        return _built(snapshot, deadline)


def _has_moved_on(store: Store, head: Head) -> bool:
    with store.reading() as newest:
        return newest.head != head


def _built(snapshot: Snapshot, deadline: float) -> Reader:
    # An open searcher outlives its directory.
    import tempfile

    from hsum.index.generations import version_entries

    with tempfile.TemporaryDirectory(
        prefix="hsum-", ignore_cleanup_errors=True
    ) as folder:
        writer = Writer(Path(folder) / "lexical")
        try:
            for version in list(snapshot.live()):
                _check_time(deadline)
                writer.extend(version_entries(snapshot, version))
            writer.commit()
        except BaseException:
            writer.abort()
            raise
        return Reader(writer.directory)


def _check_time(deadline: float) -> None:
    check_cancelled()
    if time.monotonic() > deadline:
        raise fault(
            "LEXICAL_UNAVAILABLE",
            "the lexical index is missing or damaged, and a private one was not built"
            " within the time allowed",
        )
