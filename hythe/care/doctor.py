"""Verify a store: the file, every row's digest, every seal, everything derived."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from typing import final

import attrs

from hsum._kernel.faults import STRANGE, Fault
from hsum._kernel.sqlite_faults import tells_damage
from hsum._kernel.sqlite_log import log_problems
from hsum._kernel.sqlite_schema import schema_problems
from hythe._storage import SCHEMA
from hythe.checkpoint import proof, scopes
from hythe.identity import agents, audit, credentials
from hythe.mail import rows as mail
from hythe.observe import doctor as observe
from hythe.observe import tombstones
from hythe.observe.rows import row_digest

__all__ = ["Diagnosis", "examine", "require_well", "row_problems"]

_MOST = 1_000
_PARTS: tuple[Callable[[sqlite3.Connection, int], Iterator[str]], ...] = (
    observe.problems,
    proof.problems,
    mail.problems,
    agents.problems,
    credentials.problems,
    audit.problems,
    tombstones.problems,
)


@final
@attrs.frozen
class Diagnosis:
    """What doctor found; `problems` is empty when all is well.

    `checkpoints` and `scopes` count what was verified.
    """

    problems: tuple[str, ...]
    scopes: int = 0
    checkpoints: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def __repr__(self) -> str:
        counts = f"{self.scopes} scopes, {self.checkpoints} checkpoints"
        state = f"{len(self.problems)} problems" if self.problems else "well"
        return f"<Diagnosis {state}: {counts}>"


def examine(
    conn: sqlite3.Connection, store: int, *, head: str | None = None
) -> Diagnosis:
    """Verify everything in a store, in one snapshot.

    Args:
        conn: a reading connection.
        store: the number that the keys of the store begin with.
        head: a seal that was kept elsewhere and must still be here.
    """
    found = tuple(itertools.islice(_problems(conn, store, head), _MOST))
    return Diagnosis(found, *_counts(conn, store))


def require_well(conn: sqlite3.Connection, store: int, name: str) -> Diagnosis:
    """Return what was verified of a store in which nothing is wrong.

    Raises:
        Fault: `INTEGRITY_FAILED`.
    """
    found = examine(conn, store)
    if found.problems:
        raise Fault(
            "INTEGRITY_FAILED",
            f"{name}: {found.problems[0]}",
            details={"problems": list(found.problems[:20])},
        )
    return found


def row_problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each row that is wrong; the file itself is not read."""
    for part in _PARTS:
        yield from _guarded(part, conn, store)


def _problems(conn: sqlite3.Connection, store: int, head: str | None) -> Iterator[str]:
    for part in (_file_problems, _store_problems):
        yield from _guarded(part, conn, store)
    yield from row_problems(conn, store)
    if head is not None and not _has_seal(conn, store, head):
        yield f"no checkpoint has the seal {head}"


def _guarded(
    part: Callable[[sqlite3.Connection, int], Iterator[str]],
    conn: sqlite3.Connection,
    store: int,
) -> Iterator[str]:
    """Go on with the next part where one cannot even be read."""
    try:
        yield from part(conn, store)
    except Fault as fault:
        yield fault.message
    except sqlite3.DatabaseError as error:
        if not tells_damage(error):
            raise
        yield f"the file: {error}"
    except STRANGE as error:
        yield f"rows of {part.__module__} cannot be read: {error!r}"


def _file_problems(conn: sqlite3.Connection, _: int) -> Iterator[str]:
    for (line,) in conn.execute("pragma integrity_check"):
        if line != "ok":
            yield f"the file: {line}"
    for problem in (*log_problems(conn), *schema_problems(conn, SCHEMA)):
        yield f"the file: {problem}"
    for table, *_ in conn.execute("pragma foreign_key_check"):
        yield f"the file: a row of {table} refers to nothing"


def _store_problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    rows = conn.execute("select store, id, digest from store").fetchall()
    for number, name, guard in rows:
        if number != store or guard != row_digest("store", id=name):
            yield "the name of the store is not as it was written"
    used = list(_used_tables(conn))
    if not rows and used:
        yield "the name of the store is missing"
    for table in used:
        # Two ranges of the key, where one comparison would read every row.
        row = conn.execute(
            f"select 1 from {table} where store < ?1 "
            f"union all select 1 from {table} where store > ?1",
            (store,),
        ).fetchone()
        if row is not None:
            yield f"rows of {table} belong to no store"


def _used_tables(conn: sqlite3.Connection) -> Iterator[str]:
    """Give each table that has rows of a store."""
    for (table,) in conn.execute(
        "select s.name from sqlite_schema s, pragma_table_info(s.name) c "
        "where s.type = 'table' and s.name <> 'store' and c.name = 'store'"
    ).fetchall():
        if conn.execute(f"select 1 from {table}").fetchone() is not None:
            yield table


def _counts(conn: sqlite3.Connection, store: int) -> tuple[int, int]:
    (checkpoints,) = conn.execute(
        "select count(*) from checkpoint where store = ?", (store,)
    ).fetchone()
    return len(scopes.list_scopes(conn, store)), int(checkpoints)


def _has_seal(conn: sqlite3.Connection, store: int, head: str) -> bool:
    row = conn.execute(
        "select 1 from checkpoint where store = ? and seal = ?", (store, head)
    ).fetchone()
    return row is not None
