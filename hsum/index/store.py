"""Where an index lives: a database, lexical directories beside it, a writer's lock."""

from __future__ import annotations

import contextlib
import json
import os
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from hsum._kernel.clock import as_clock
from hsum._kernel.faults import Fault
from hsum._kernel.files import (
    make_private_dir,
    refuse_network_filesystem,
    refuse_non_utf8,
    tighten,
)
from hsum._kernel.ids import as_ids
from hsum._kernel.lock import exclusive
from hsum._kernel.sqlite import Database
from hsum.index.catalogue import DEFAULT_PROJECT, Snapshot
from hsum.index.damage import explained_by_damage
from hsum.index.schema import SCHEMA
from hsum.index.seal import seal

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from typing import Any

    from hsum._kernel.ids import Ids
    from hsum.index.catalogue import Head

__all__ = ["Store"]

LOCK_TIMEOUT_MS = 5_000


class Store:
    """The files of one index.

    Args:
        folder: its directory, made by the first write; None keeps the database in
            memory and the lexical index in a private temporary directory.
        read_only: refuse to write.
        private: let no other user read the lexical files, whatever the umask.
        clock: gives UTC microseconds or aware datetimes.
        ids: gives UUIDs.
    """

    def __init__(
        self,
        folder: Path | None,
        *,
        read_only: bool = False,
        private: bool = False,
        clock: Callable[[], Any] | None = None,
        ids: Callable[[], Any] | None = None,
    ) -> None:
        self.clock = as_clock(clock)
        self.ids = as_ids(ids)
        self.in_memory = folder is None
        self.folder = _temporary(self) if folder is None else folder
        self.read_only = read_only
        self.private = private
        self.database = Database(
            None if folder is None else folder / "index.sqlite",
            schema=SCHEMA,
            read_only=read_only,
        )

    def __repr__(self) -> str:
        return f"<Store {'in memory' if self.in_memory else self.folder}>"

    def exists(self) -> bool:
        """Tell whether the first write has made it."""
        return self.database.exists()

    @contextlib.contextmanager
    def reading(self) -> Iterator[Snapshot]:
        """Give one snapshot, whatever is written meanwhile."""
        self.refuse_emptied()
        with (
            self.database.reading() as connection,
            explained_by_damage(connection),
        ):
            yield Snapshot(connection)

    @contextlib.contextmanager
    def writer(self, timeout_ms: int = LOCK_TIMEOUT_MS) -> Iterator[None]:
        """Hold the index's writer lock, making its directory first where needed.

        Raises:
            Fault: `WRITER_BUSY`, `PERMISSION_DENIED`, `UNSUPPORTED_STORAGE`, and
                `INVALID_ARGUMENT` for a path that is not UTF-8.
        """
        if self.read_only:
            raise Fault("PERMISSION_DENIED", "this handle was opened read-only")
        self.database.exists()  # refuses a closed handle
        self.refuse_emptied()
        refuse_non_utf8(self.folder)  # tantivy takes no other paths
        refuse_network_filesystem(self.folder)
        make_private_dir(self.folder)
        with exclusive(self.folder / "writer.lock", timeout_ms=timeout_ms):
            try:
                yield
            finally:
                if self.private:
                    tighten(self.folder)

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection of one write transaction; the lock must be held.

        The first one gives the index its id and its project `default`.
        """
        with (
            self.database.writing() as connection,
            explained_by_damage(connection),
        ):
            _establish(connection, self.ids)
            yield connection
            seal(connection)

    def refuse_emptied(self) -> None:
        """Take an empty file for a lost index, not for one that was never made.

        Raises:
            Fault: `STORE_DAMAGED`: ours comes into being whole, with a transaction.
        """
        path = self.database.path
        with contextlib.suppress(OSError):
            if path is not None and not os.stat(path).st_size:
                raise Fault("STORE_DAMAGED", f"{path.name} has been emptied")

    @property
    def lexical(self) -> Path:
        """The directory of the lexical directories."""
        return self.folder / "lexical"

    def lexical_of(self, head: Head) -> Path:
        """Return the lexical directory that a generation published."""
        return self.lexical / head.directory

    def close(self) -> None:
        """Let go of the files; closing twice is fine."""
        self.database.close()
        if self.in_memory:
            self._remove()

    _remove: Callable[[], object] = staticmethod(lambda: None)


def _establish(connection: sqlite3.Connection, ids: Ids) -> None:
    if connection.execute("SELECT 1 FROM project LIMIT 1").fetchone():
        return
    connection.execute("INSERT INTO meta VALUES ('index_id', ?)", (json.dumps(ids()),))
    connection.execute(
        "INSERT INTO project VALUES (1, ?, ?, '[]', '[]')", (ids(), DEFAULT_PROJECT)
    )


def _temporary(store: Store) -> Path:
    import tempfile  # with shutil 10 ms, which opening a directory should not wait for

    folder = Path(tempfile.mkdtemp(prefix="hsum-"))
    store._remove = weakref.finalize(store, _remove_own, folder, os.getpid())  # noqa: SLF001
    return folder


def _remove_own(folder: Path, pid: int) -> None:
    # A fork inherits the finalizer, but not the directory.
    if os.getpid() == pid:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
