"""SQLite as both packages use it: WAL, one snapshot to read, one queue to write.

A `Database` may be shared by threads and survives a fork. A database that is not
made yet reads as an empty one; the first write makes it, whole, by a rename.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from hsum._kernel.faults import Fault
from hsum._kernel.files import (
    refuse_network_filesystem,
    translating_os,
)
from hsum._kernel.lock import exclusive
from hsum._kernel.sqlite_faults import translating_sqlite
from hsum._kernel.sqlite_files import (
    BUSY_MS,
    Passing,
    check_library,
    identity_of,
    is_whole_without_log,
    is_writable,
    keep_copy,
    open_file,
    publish,
    sweep,
    uri_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import sqlite_utils

    Migration = Callable[[sqlite_utils.Database], None]

__all__ = ["Database", "Durability", "Schema", "translating_sqlite"]

Durability = Literal["full", "normal"]

_IDLE_READERS = 8
_WAL_KEPT_BYTES = 16 * 1024 * 1024
_WAL_GROWN_BYTES = 1024 * 1024


class Schema(NamedTuple):
    """What a database file is.

    Attributes:
        application_id: marks the file as ours (SQLite's header field).
        migrations: migration n takes version n to n + 1; the first makes all.
        page_size: bytes of a page, fixed when the file is made.
    """

    application_id: int
    migrations: tuple[Migration, ...]
    page_size: int = 4_096

    @property
    def version(self) -> int:
        """The version this library writes."""
        return len(self.migrations)


class Database:
    """One SQLite file, or one in memory where `path` is None.

    Args:
        path: the file; made by the first write, never by a read.
        schema: what the file must be.
        lock: a file that writers queue on, or None where the caller holds a lock.
        read_only: refuse to write; needs no write permission on the directory.
        durability: "full" flushes at each commit; "normal" may lose the last commits
            at a power cut, and is never inconsistent.
    """

    def __init__(
        self,
        path: Path | str | None,
        *,
        schema: Schema,
        lock: Path | str | None = None,
        read_only: bool = False,
        durability: Durability = "full",
    ) -> None:
        check_library()
        if durability not in ("full", "normal"):
            raise Fault("INVALID_ARGUMENT", "durability is 'full' or 'normal'")
        self.path = None if path is None else Path(path)
        self.schema = schema
        self.read_only = read_only
        self.durability = durability
        self._lock_path = lock
        self._closed = False
        self._seen = False
        self._inherited: list[sqlite3.Connection] = []
        self._begin_life()

    def _begin_life(self) -> None:
        """Set up what belongs to one process."""
        self._pid = os.getpid()
        self._mutex = threading.RLock()
        self._write_mutex = threading.RLock()
        self._idle: list[sqlite3.Connection] = []
        self._writer: sqlite3.Connection | None = None
        self._patience_ms = BUSY_MS
        self._log_left = 0
        self._file: tuple[int, int] | None = None
        if self.path is None and not hasattr(self, "_memory"):
            self._memory = self._empty()

    # --- what callers use -------------------------------------------------------

    def exists(self) -> bool:
        """Tell whether the database has been made."""
        self._check_open()
        return self.path is None or self._found(self.path) is not None

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give a connection in one read transaction: one snapshot, whatever is written.

        Raises:
            Fault: `CLOSED`, `STORE_DAMAGED`, `SCHEMA_TOO_NEW`, `PERMISSION_DENIED`.
        """
        self._check_open()
        if self.path is None:
            with self._mutex, translating_sqlite():
                yield self._memory
            return
        with translating_sqlite(self.path):
            identity = self._found(self.path)
            if identity is None:
                with contextlib.closing(self._empty()) as connection:
                    yield connection
                return
            connection = self._take_reader(self.path, identity)
            try:
                connection.execute("BEGIN")
                connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
                yield connection
            finally:
                self._give_back(connection)

    @contextlib.contextmanager
    def writing(self, *, timeout_ms: int = BUSY_MS) -> Iterator[sqlite3.Connection]:
        """Give a connection in one immediate transaction; commit, or roll all back.

        The file is made and migrated first where needed. Threads and processes
        queue, so that no write fails because of another's.

        Raises:
            Fault: `WRITER_BUSY` after `timeout_ms`, `DISK_FULL`, `UNSUPPORTED_STORAGE`,
                and as for reading.
        """
        self._check_open()
        if self.read_only:
            raise Fault("PERMISSION_DENIED", "this handle was opened read-only")
        if self.path is None:
            with self._mutex, translating_sqlite():
                yield from _transaction(self._memory)
            return
        if self._writer is None:
            refuse_network_filesystem(self.path)
        with self._turn(timeout_ms), translating_sqlite(self.path):
            identity = self._found(self.path)
            if identity is None:
                yield from self._first_write(self.path)
                return
            writer = self._take_writer(self.path, identity, timeout_ms)
            try:
                yield from _transaction(writer, self._migrate)
            except BaseException:
                # What was rolled back must not keep the room it may have lacked.
                self._contain_log(writer, self._log_left + _WAL_GROWN_BYTES)
                raise
            self._contain_log(writer, _WAL_KEPT_BYTES)

    def copy_to(self, target: Path | str) -> None:
        """Write one consistent copy to a new file, whatever is written meanwhile.

        Raises:
            Fault: `INVALID_ARGUMENT` when `target` exists, `DISK_FULL` and others of
                the OS; no half of a copy is left.
        """
        target = Path(target)
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        with self.reading() as source, translating_os(target):
            if target.exists():
                raise Fault(
                    "INVALID_ARGUMENT",
                    f"{target} exists already",
                    details={"path": str(target)},
                )
            try:
                os.close(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
                with contextlib.closing(
                    open_file(uri_of(temporary, immutable=False))
                ) as copy:
                    source.backup(copy)
                    # A copy of one in memory is not in this mode yet.
                    copy.execute("PRAGMA journal_mode=WAL")
                publish(temporary, target)
            finally:
                for suffix in ("", "-wal", "-shm", "-journal"):
                    Path(f"{temporary}{suffix}").unlink(missing_ok=True)

    def give_back_space(self) -> bool:
        """Return free pages to the disk, and keep none of what they held in the log.

        Tells whether the log is empty: a reader that still needs it keeps it as it is.
        """
        self._check_open()
        identity = None if self.path is None else self._found(self.path)
        if self.path is None or identity is None:
            return True
        with self._turn(BUSY_MS), translating_sqlite(self.path):
            writer = self._take_writer(self.path, identity, BUSY_MS)
            # `execute` would step it once, and free one page.
            writer.executescript("PRAGMA incremental_vacuum")
            _empty_log(writer)
            left = os.stat(f"{self.path}-wal").st_size
            # Starting it anew has written one page: a header, a frame's header, the page.
            return left <= 32 + 24 + self.schema.page_size

    def _log_bytes(self) -> int:
        try:
            return os.stat(f"{self.path}-wal").st_size
        except OSError:
            return 0

    def _contain_log(self, writer: sqlite3.Connection, most: int) -> None:
        """Cut a log that one large write has filled; that it cannot be is no failure."""
        self._log_left = self._log_bytes()
        if self._log_left > most:
            with contextlib.suppress(sqlite3.Error):
                _empty_log(writer)
            self._log_left = self._log_bytes()

    def close(self) -> None:
        """Close all idle connections; closing twice is fine."""
        with self._mutex:
            self._closed = True
            if self._pid == os.getpid():
                self._drop_connections()
                if self.path is None:
                    self._memory.close()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def _found(self, path: Path) -> tuple[int, int] | None:
        """Return which file it is, None for none yet; refuse one that was taken away.

        It would read as an empty one, and the next write would begin another.
        """
        identity = identity_of(path)
        if self._seen and identity is None:
            raise Fault(
                "STORE_DAMAGED",
                f"{path.name} was moved or deleted while it was open",
                hint="Open it where it is now, or restore it from a backup.",
            )
        self._seen = identity is not None
        return identity

    # --- connections ------------------------------------------------------------

    def _check_open(self) -> None:
        if self._closed:
            raise Fault("CLOSED", "this handle was closed")
        if self._pid != os.getpid():
            # A connection carried over a fork corrupts the file; it is kept,
            # unused, because closing it would drop its parent's locks.
            self._inherited += self._idle
            self._inherited += [self._writer] if self._writer else []
            self._begin_life()

    def _take_reader(self, path: Path, identity: tuple[int, int]) -> sqlite3.Connection:
        with self._mutex:
            self._follow(identity)
            if self._idle:
                return self._idle.pop()
        return self._connect(path, writer=False)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            connection.close()
            return
        with self._mutex:
            fresh = self._file is not None and not self._closed
            lasting = not isinstance(connection, Passing)
            if fresh and lasting and len(self._idle) < _IDLE_READERS:
                self._idle.append(connection)
                return
        connection.close()

    def _follow(self, identity: tuple[int, int]) -> None:
        """Drop connections to a file that another one has replaced."""
        if identity != self._file:
            self._drop_connections()
            self._file = identity

    def _drop_connections(self) -> None:
        for connection in [*self._idle, *([self._writer] if self._writer else [])]:
            with contextlib.suppress(sqlite3.Error):
                connection.close()
        self._idle, self._writer, self._file = [], None, None

    @contextlib.contextmanager
    def _turn(self, timeout_ms: int) -> Iterator[None]:
        """Wait for this writer's turn among threads and processes."""
        if not self._write_mutex.acquire(timeout=timeout_ms / 1_000):
            raise Fault("WRITER_BUSY", "another thread is writing")
        try:
            with self._queue(timeout_ms):
                yield
        finally:
            self._write_mutex.release()

    def _queue(self, timeout_ms: int) -> contextlib.AbstractContextManager[None]:
        if self._lock_path is None:
            return contextlib.nullcontext()
        return exclusive(self._lock_path, timeout_ms=timeout_ms)

    def _take_writer(
        self, path: Path, identity: tuple[int, int], timeout_ms: int
    ) -> sqlite3.Connection:
        with self._mutex:
            self._follow(identity)
            if self._writer is None:
                self._writer = self._connect(path, writer=True)
                self._patience_ms = BUSY_MS
            if self._patience_ms != timeout_ms:
                self._writer.execute(f"PRAGMA busy_timeout={timeout_ms:d}")
                self._patience_ms = timeout_ms
            return self._writer

    def _connect(self, path: Path, *, writer: bool) -> sqlite3.Connection:
        if not is_writable(path):
            return self._checked(path, writer=writer, immutable=True)
        try:
            return self._checked(path, writer=writer)
        except sqlite3.OperationalError as exc:
            if writer or not is_whole_without_log(path, exc):
                raise
        return self._checked(path, writer=False, immutable=True)

    def _checked(
        self, path: Path, *, writer: bool, immutable: bool = False
    ) -> sqlite3.Connection:
        connection = open_file(uri_of(path, immutable=immutable))
        try:
            self._check_file(connection)
            self._configure(connection, writer=writer)
            self._check_schema(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _configure(self, connection: sqlite3.Connection, *, writer: bool) -> None:
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        if writer:
            connection.execute(f"PRAGMA synchronous={self.durability}")
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute(f"PRAGMA journal_size_limit={_WAL_KEPT_BYTES}")
        else:
            connection.execute("PRAGMA query_only=ON")

    # --- making and migrating ---------------------------------------------------

    def _check_file(self, connection: sqlite3.Connection) -> None:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if application != self.schema.application_id:
            raise Fault(
                "STORE_DAMAGED",
                f"{self.path} is a SQLite database, but not one of ours",
                hint="Check the path.",
            )
        version = _version(connection)
        if version > self.schema.version:
            raise Fault(
                "SCHEMA_TOO_NEW",
                f"the file has schema {version}; this version reads up to "
                f"{self.schema.version}",
                details={"found": version, "known": self.schema.version},
            )

    def _check_schema(self, connection: sqlite3.Connection) -> None:
        """Have the schema parsed: its damage may be a message that is no text."""
        try:
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        except UnicodeDecodeError as exc:
            raise Fault("STORE_DAMAGED", f"{self.path}: its schema is damaged") from exc

    def _first_write(self, path: Path) -> Iterator[sqlite3.Connection]:
        """Make the file beside its place, with its first transaction, and rename it.

        No one sees half of it, and a refused first write leaves none.
        """
        temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
        try:
            with translating_os(path):
                sweep(path)
                os.close(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            with contextlib.closing(
                open_file(uri_of(temporary, immutable=False))
            ) as writer:
                writer.execute(f"PRAGMA page_size={self.schema.page_size:d}")
                writer.execute("PRAGMA auto_vacuum=INCREMENTAL")
                writer.execute("PRAGMA journal_mode=WAL")
                writer.execute("PRAGMA synchronous=FULL")
                writer.execute("PRAGMA foreign_keys=ON")
                yield from _transaction(writer, self._migrate)
                # Closing would do it as well, and not say that it found no room.
                writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            with translating_os(path):
                publish(temporary, path)
            self._seen = True
        finally:
            sweep(path)

    def _empty(self) -> sqlite3.Connection:
        """Return an empty database of this schema in memory."""
        connection = open_file(":memory:")
        connection.execute(f"PRAGMA page_size={self.schema.page_size:d}")
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        connection.execute("PRAGMA foreign_keys=ON")
        for _ in _transaction(connection, self._migrate):
            pass
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Bring the schema up to date inside the open transaction."""
        version = _version(connection)
        if version >= self.schema.version:
            return
        import sqlite_utils

        if version and self.path is not None:
            keep_copy(self.path, version)
        database = sqlite_utils.Database(connection, execute_plugins=False)
        # It would try with a table, and take a full disk for a SQLite that cannot.
        database._supports_strict = True  # noqa: SLF001
        for migration in self.schema.migrations[version:]:
            migration(database)
        connection.execute(f"PRAGMA application_id={self.schema.application_id:d}")
        connection.execute(f"PRAGMA user_version={self.schema.version:d}")


def _transaction(
    connection: sqlite3.Connection,
    prepare: Callable[[sqlite3.Connection], None] | None = None,
) -> Iterator[sqlite3.Connection]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if prepare is not None:
            prepare(connection)
        yield connection
        commit(connection)
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise


def _empty_log(writer: sqlite3.Connection) -> None:
    """Checkpoint, and start the log anew: a commit then cuts it to what it holds."""
    writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    writer.execute("PRAGMA journal_size_limit=0").fetchall()
    try:
        writer.execute(f"PRAGMA user_version={_version(writer):d}")
    finally:
        writer.execute(f"PRAGMA journal_size_limit={_WAL_KEPT_BYTES}").fetchall()


def commit(connection: sqlite3.Connection) -> None:
    """Commit the open transaction."""
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
