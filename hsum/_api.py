"""The index that people hold: each method takes one snapshot and calls one function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from hsum._care import Care
from hsum._kernel.escape import visible_path
from hsum._kernel.faults import Fault, boundary, guarded
from hsum._kernel.files import as_path
from hsum.errors import family, fault
from hsum.index.catalogue import DEFAULT_PROJECT
from hsum.index.store import LOCK_TIMEOUT_MS, Store
from hsum.model import (
    Citation,
    Document,
    Evidence,
    Generation,
    Hits,
    IngestReport,
    Progress,
    Skip,
)

if TYPE_CHECKING:
    from types import TracebackType

    from hsum.index.projects import Projects
    from hsum.model.care import BackupReport
    from hsum.model.check import CheckReport

__all__ = ["Index", "in_memory", "open_index", "restore"]

Clock = Callable[[], Any]
Ids = Callable[[], Any]


def open_index(
    path: str | os.PathLike[str],
    *,
    create: bool = True,
    read_only: bool = False,
    clock: Clock | None = None,
    ids: Ids | None = None,
) -> Index:
    """Open the index in a directory, which the first write makes.

    Args:
        path: the directory.
        create: False refuses a directory that has no index yet.
        read_only: refuse every writing verb.
        clock: gives the time, as UTC microseconds or an aware datetime.
        ids: gives UUIDs; with an injected clock, two runs give equal indexes.

    Raises:
        HsumError: `INDEX_NOT_FOUND`, and `INVALID_ARGUMENT` for a path that is a file.
    """
    folder = _folder(path)
    store = Store(folder, read_only=read_only, clock=clock, ids=ids)
    if not (create or store.exists()):
        raise fault("INDEX_NOT_FOUND", f"there is no index in {folder}")
    return Index(store)


open_index = guarded(family, open_index)


def _folder(path: str | os.PathLike[str]) -> Path:
    folder = as_path(path)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise fault(
            "INVALID_ARGUMENT",
            f"{visible_path(str(folder))} is not a directory",
            path="$.path",
        )
    return folder


def in_memory(*, clock: Clock | None = None, ids: Ids | None = None) -> Index:
    """Make an index that is gone when it is closed, for tests and notebooks.

    Its database is in memory, its lexical index in a private temporary directory.
    """
    return Index(Store(None, clock=clock, ids=ids))


in_memory = guarded(family, in_memory)


def restore(
    backup: str | os.PathLike[str], path: str | os.PathLike[str]
) -> BackupReport:
    """Make an index in a new directory from the file that `Index.backup` wrote.

    Args:
        backup: the file.
        path: a directory that holds no index.

    Raises:
        HsumError: `INDEX_NOT_FOUND`, `INVALID_ARGUMENT` when there is an index
            already, `STORE_DAMAGED`, `INTEGRITY_FAILED`; then nothing is made.
    """
    from hsum.care.backup import restore

    return restore(as_path(backup, "$.backup"), as_path(path))


restore = guarded(family, restore)


@boundary(family)
class Index(Care):
    """Search one root and cite exact bytes of what was ingested.

    A handle may be shared by threads and survives a fork.  Each call reads the newest
    generation at its start and keeps it to its end.  Make one with `hsum.open`,
    `hsum.open_managed` or `hsum.in_memory`.
    """

    # --- writing ------------------------------------------------------------------

    def ingest(
        self,
        root: str | os.PathLike[str] | None = None,
        *,
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        max_file_bytes: int | None = None,
        allow: Sequence[str] = (),
        allow_sensitive: bool | None = None,
        no_ignore: bool | None = None,
        rebind: bool = False,
        dry_run: bool = False,
        rehash: bool = False,
        lock_timeout_ms: int = LOCK_TIMEOUT_MS,
        progress: Callable[[Progress], object] | None = None,
    ) -> IngestReport:
        """Bring the index up to the tree: one new generation, or none if unchanged.

        Args:
            root: the directory; None for the recorded one.
            include: gitignore patterns without negation; only what matches is
                indexed, whatever the ignore rules say. Held until given again, as are
                `exclude`, `max_file_bytes`, `allow_sensitive` and `no_ignore`.
            exclude: patterns of what is left out.
            max_file_bytes: larger files are skipped; 2 MiB at first.
            allow: `mass-delete`, `broad-root` or `large`, to do what is guarded.
            allow_sensitive: index what looks like a secret, too.
            no_ignore: disregard the ignore files.
            rebind: move the index to another root; all ids stay.
            dry_run: report what would change and write nothing at all.
            rehash: read every file, also those whose metadata did not change.
            lock_timeout_ms: how long to wait for another writer.
            progress: called with a `Progress`; what it raises stops the ingest, which
                then writes nothing, and passes through.

        Raises:
            HsumError: `ROOT_MISMATCH`, `ROOT_MISSING`, `CONFIRMATION_REQUIRED`,
                `WRITER_BUSY`, `DISK_FULL` and others, with the last generation intact.
        """
        from hsum.index.ingest import ingest
        from hsum.index.survey import Request, given

        options = given(
            include=include,
            exclude=exclude,
            max_file_bytes=max_file_bytes,
            allow_sensitive=allow_sensitive,
            no_ignore=no_ignore,
        )
        if progress is not None and not callable(progress):
            raise fault(
                "INVALID_ARGUMENT", "progress must be callable", path="$.progress"
            )
        request = Request(
            root=root,
            options=options,
            allow=_words(allow, "allow"),
            rebind=rebind,
            dry_run=dry_run,
            rehash=rehash,
            lock_timeout_ms=lock_timeout_ms,
            progress=progress,
        )
        report = ingest(self._store, request)
        if rebind and not dry_run:
            self._end_old_bindings()
        return report

    def _end_old_bindings(self) -> None:
        """Revoke what still binds this index to a root it has left."""
        from hsum.trust import trust_file

        with self._store.reading() as snapshot:
            root = os.fsdecode(snapshot.root or b"")
        here = os.fspath(self._store.folder)
        old = {
            bound
            for bound in trust_file.load()
            if bound.data_path == here and bound.root != root
        }
        if old:
            trust_file.update(
                lambda known: (tuple(one for one in known if one not in old), None)
            )

    # --- reading ------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        project: str = DEFAULT_PROJECT,
        limit: int = 10,
        mode: Literal["auto", "lexical"] = "auto",
        timeout_ms: int = 3_000,
        path: str | None = None,
        cursor: str | None = None,
        explain: bool = False,
    ) -> Hits:
        """Find passages by identifiers, quoted phrases and words, best first.

        Every text is a query; none is a query language.

        Args:
            query: at most 4,096 bytes; "..." quotes a phrase.
            project: search only its documents.
            limit: 1 to 100 hits a page.
            mode: both are the same now.
            timeout_ms: 1 to 60,000; then the answer is what was found so far.
            path: a gitignore pattern without negation.
            cursor: that of the page before.
            explain: fill the signals of `Hit.ranks`.

        Raises:
            HsumError: `QUERY_*` with the column, `NO_GENERATION`, `PROJECT_UNKNOWN`,
                `STALE_CURSOR`, `LEXICAL_UNAVAILABLE`.
        """
        from hsum.retrieve.search import search

        return search(
            self._store,
            query,
            project=project,
            limit=limit,
            mode=mode,
            timeout_ms=timeout_ms,
            path=path,
            cursor=cursor,
            explain=explain,
        )

    def get(
        self,
        citation: Citation | str,
        *,
        around: int = 0,
        max_bytes: int = 16_384,
        verify: bool = False,
    ) -> Evidence:
        """Return the exact bytes that a citation names, hashed on the way.

        Args:
            citation: the value, or its URI.
            around: whole neighbouring passages to add, left and right in turn.
            max_bytes: a longer span is cut at a character, and `truncated`.
            verify: read the working tree: fills `span_state`, and hashes the source.

        Raises:
            HsumError: `EVIDENCE_NOT_FOUND`, `EVIDENCE_PRUNED`, `EVIDENCE_FORGOTTEN`,
                `INTEGRITY_FAILED`, `CITATION_MALFORMED`.
        """
        from hsum.retrieve.get import get

        return get(
            self._store,
            _citation(citation),
            around=around,
            max_bytes=max_bytes,
            verify=verify,
        )

    def check(self, text: str) -> CheckReport:
        """Find every citation in a text and say whether it stands.

        Raises:
            HsumError: `NO_GENERATION`, `ROOT_MISSING`, `INVALID_ARGUMENT`.
        """
        from hsum.check.stored import check_text

        return check_text(self._store, text)

    def documents(self, generation: int | None = None) -> tuple[Document, ...]:
        """Return the documents of a generation by path; of the newest for None.

        Raises:
            HsumError: `NO_GENERATION` also for one that does not exist.
        """
        from hsum.index.documents import documents

        with self._store.reading() as snapshot:
            return documents(snapshot, generation)

    def generations(self) -> tuple[Generation, ...]:
        """Return all generations, oldest first."""
        with self._store.reading() as snapshot:
            return snapshot.generations()

    def skipped(self) -> tuple[Skip, ...]:
        """Return what the last scan left out, by path."""
        with self._store.reading() as snapshot:
            return snapshot.skips()

    @property
    def projects(self) -> Projects:
        """The projects of the index: `add`, `list`, `remove`."""
        from hsum.index.projects import Projects

        return Projects(self._store)

    # --- life ---------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the files; closing twice is fine, later calls are `CLOSED`."""
        self._store.close()

    # --- as a container -----------------------------------------------------------

    def __getitem__(self, citation: Citation | str) -> Evidence:
        return self.get(citation)

    def __contains__(self, citation: object) -> bool:
        try:
            cited = _citation(citation)
            with self._store.reading() as snapshot:
                snapshot.resolve(cited)
        except Fault as refusal:
            if refusal.code in _ABSENT:
                return False
            raise
        return True

    def __len__(self) -> int:
        with self._store.reading() as snapshot:
            return snapshot.totals().documents

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        where = "in memory" if self._store.in_memory else self._store.folder
        try:
            with self._store.reading() as snapshot:
                head, totals = snapshot.head, snapshot.totals()
        except Fault as refusal:
            return f"<hsum.Index {where}: {refusal.code}>"
        if head is None:
            return f"<hsum.Index {where}: nothing ingested yet>"
        return (
            f"<hsum.Index {where}: generation {head.generation}, "
            f"{totals.documents:,} documents>"
        )


_ABSENT = frozenset(
    {
        "CITATION_MALFORMED",
        "EVIDENCE_FORGOTTEN",
        "EVIDENCE_NOT_FOUND",
        "EVIDENCE_PRUNED",
        "INVALID_ARGUMENT",
    }
)


def _citation(given: object) -> Citation:
    return given if isinstance(given, Citation) else Citation.parse(given)  # type: ignore[arg-type]


def _words(given: Iterable[str], name: str) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Iterable):
        raise fault("INVALID_ARGUMENT", f"{name} must be a list of words")
    words = tuple(given)
    if not all(isinstance(word, str) for word in words):
        raise fault("INVALID_ARGUMENT", f"{name} holds something that is not text")
    return words
