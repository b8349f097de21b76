"""Looking after an index: what an operator does with it."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import TYPE_CHECKING

from hsum._kernel.faults import boundary
from hsum._kernel.files import as_file
from hsum.errors import family, fault

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence
    from datetime import timedelta

    from hsum.index.store import Store
    from hsum.model import DoctorReport, IngestReport, Status
    from hsum.model.care import BackupReport, ForgetReport, PruneReport

__all__ = ["Care"]


@boundary(family)
class Care:
    """The care of an index; `Index` adds filling and asking."""

    def __init__(self, store: Store) -> None:
        self._store = store

    if TYPE_CHECKING:

        @abstractmethod
        def ingest(self, *, allow: Sequence[str] = ...) -> IngestReport: ...

    def status(self) -> Status:
        """Tell how the index is and what should be done about it."""
        from hsum.care.status import status

        return status(self._store)

    def doctor(self, *, repair: bool = False) -> DoctorReport:
        """Check every stored block, passage, generation and lexical file.

        Args:
            repair: rebuild the lexical index if it is at fault; nothing else is derived.
        """
        from hsum.care.doctor import doctor

        return doctor(self._store, repair=repair)

    def backup(self, path: str | os.PathLike[str]) -> BackupReport:
        """Copy the index to one new file while others go on, and verify the copy.

        The lexical index is not part of it: `hsum.restore` builds it again.

        Raises:
            HsumError: `INVALID_ARGUMENT` when the file exists, `INTEGRITY_FAILED` when
                what was copied is damaged; then there is no copy.
        """
        from hsum.care.backup import backup

        return backup(self._store, as_file(path))

    def prune(
        self,
        *,
        keep_generations: int | None = None,
        older_than: str | timedelta | None = None,
        dry_run: bool = False,
    ) -> PruneReport:
        """Remove the bytes that only past generations hold.

        Their citations are `EVIDENCE_PRUNED` from then on; ids and hashes stay.

        Args:
            keep_generations: how many of the newest to keep, at least 1.
            older_than: or: keep what is younger than `12h`, `30d`, `8w`.
            dry_run: report what would go; write nothing.
        """
        from hsum.care.prune import prune

        return prune(
            self._store,
            keep_generations=keep_generations,
            older_than=older_than,
            dry_run=dry_run,
        )

    def forget(self, path: str, *, dry_run: bool = False) -> ForgetReport:
        """Remove the bytes of a file or folder for good, and never index it again.

        Its citations are `EVIDENCE_FORGOTTEN` from then on.  Bytes that another path
        has, too, stay there: the report names it.

        Args:
            path: relative to the root, as documents show it.
            dry_run: report what would go; write nothing.

        Raises:
            HsumError: `EVIDENCE_NOT_FOUND` when nothing was ever indexed there.
        """
        from hsum.care.forget import forget

        return forget(self._store, path, dry_run=dry_run)

    def watch(
        self,
        *,
        stop: threading.Event | None = None,
        settle_ms: int = 400,
        rescan_s: float = 300.0,
        allow: Sequence[str] = (),
    ) -> Iterator[IngestReport]:
        """Ingest now and whenever something below the root changes; yield each report.

        Events are hints: a scan decides.  Needs the extra `watch`.

        Args:
            stop: ends the watch when it is set.
            settle_ms: how long the tree must be quiet.
            rescan_s: scan at least so often, for events that were lost.
            allow: as for `ingest`; what is guarded is refused only once the tree has
                come to rest.

        Raises:
            HsumError: `NO_GENERATION` before the first ingest, `INVALID_ARGUMENT`
                without the extra; the iterator raises what ingesting does, but waits
                while another writes.
        """
        from hsum.care.watch import watch

        return watch(
            lambda: self.ingest(allow=allow),
            self._root(),
            self._store.folder,
            stop=stop,
            settle_ms=settle_ms,
            rescan_s=rescan_s,
        )

    def _root(self) -> str:
        with self._store.reading() as snapshot:
            if snapshot.root is None:
                raise fault("NO_GENERATION", "nothing has been ingested yet")
            return os.fsdecode(snapshot.root)
