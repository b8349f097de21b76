"""The one file of a store: its tables, its clock and ids, who writes."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hsum._kernel.clock import as_clock
from hsum._kernel.faults import Fault
from hsum._kernel.ids import as_ids
from hsum._kernel.sqlite import Database, Durability, Schema
from hythe.observe.rows import row_digest
from hythe.observe.stamp import Stamp

if TYPE_CHECKING:
    import sqlite_utils

__all__ = ["SCHEMA", "Storage"]

_STORE = 1


def _create_all(db: sqlite_utils.Database) -> None:
    import hythe.checkpoint.schema as checkpoint
    import hythe.identity.schema as identity
    import hythe.mail.schema as mail
    import hythe.observe.schema as observe
    from hythe.observe import tombstones

    columns = {"store": int, "id": str, "digest": str}
    db.table("store").create(columns, pk="store", not_null=set(columns), strict=True)
    for part in (observe, checkpoint, mail, identity, tombstones):
        part.create_tables(db)


SCHEMA = Schema(application_id=0x48595448, migrations=(_create_all,))


class Storage:
    """A store's database with the clock and the ids that its writes use."""

    def __init__(
        self,
        path: Path | None,
        *,
        read_only: bool = False,
        durability: Durability = "full",
        evidence: Callable[[str], Any] | None = None,
        clock: Callable[[], Any] | None = None,
        ids: Callable[[], Any] | None = None,
    ) -> None:
        if evidence is not None and not callable(evidence):
            raise Fault("INVALID_ARGUMENT", "evidence must be callable")
        self.clock = as_clock(clock)
        self.ids = as_ids(ids)
        self.evidence = evidence
        self._named = False
        self.database = Database(
            path,
            schema=SCHEMA,
            lock=None if path is None else path.with_name(f"{path.name}.lock"),
            read_only=read_only,
            durability=durability,
        )

    @contextlib.contextmanager
    def reading(self) -> Iterator[tuple[sqlite3.Connection, int]]:
        """Give one snapshot, and the number that the keys of the store begin with."""
        with self.database.reading() as conn:
            yield conn, _STORE

    @contextlib.contextmanager
    def writing(
        self, author: str, *, proven: bool = False
    ) -> Iterator[tuple[sqlite3.Connection, Stamp]]:
        """Give one writing transaction, and what its rows say about their writing."""
        with self.database.writing() as conn:
            if not self._named:
                self._name_store(conn)
            yield conn, Stamp(_STORE, author, proven, self.clock(), self.ids)
        self._named = True

    def _name_store(self, conn: sqlite3.Connection) -> None:
        if conn.execute("select 1 from store").fetchone() is None:
            name = self.ids()
            conn.execute(
                "insert into store(store, id, digest) values (?, ?, ?)",
                (_STORE, name, row_digest("store", id=name)),
            )

    def close(self) -> None:
        """Close the connections; closing twice is fine."""
        self.database.close()
