"""Legacy values: imported facts and loops that no checkpoint wrote.

One ends when its id has a version on the accepted lineage, or when a reconcile on
that lineage rejects it; its row stays.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from hsum._kernel.canonical import canonical, digest
from hythe.checkpoint.content import Data
from hythe.checkpoint.scopes import At
from hythe.checkpoint.view import Key
from hythe.observe.rows import damaged, row_digest
from hythe.observe.stamp import Stamp

__all__ = [
    "Legacy",
    "count_legacy",
    "insert_legacy",
    "legacy_digest",
    "legacy_of",
    "list_legacy",
    "problems",
]


class Legacy(NamedTuple):
    """One imported value; ordinals count from 0 within its scope."""

    kind: str
    id: str
    ordinal: int
    value: Data


_FIELDS = "g.kind, g.id, g.ordinal, g.body, g.author, g.proven, g.recorded_at, g.digest"
_OPEN = """
    from legacy g where g.store = ?1 and g.scope = ?2
    and not exists (select 1 from accepted a where a.store = g.store
        and a.scope = g.scope and a.kind = g.kind and a.id = g.id)
    and not exists (select 1 from settlement s join lineage l on l.store = s.store
        and l.scope = s.scope and l.revision = s.settled_by
        where s.store = g.store and s.scope = g.scope and s.kind = g.kind
        and s.id = g.id and s.revision = 0)
"""


def legacy_of(
    conn: sqlite3.Connection, at: At, key: Key, *, is_open: bool = False
) -> Legacy | None:
    """Return the legacy value of this key; with `is_open` only one not ended yet."""
    source = _OPEN if is_open else "from legacy g where g.store = ?1 and g.scope = ?2"
    row = conn.execute(
        f"select {_FIELDS} {source} and g.kind = ?3 and g.id = ?4", (*at, *key)
    ).fetchone()
    return None if row is None else _read(at, row)


def list_legacy(
    conn: sqlite3.Connection, at: At, *, limit: int, after: int = -1
) -> list[Legacy]:
    """Return the legacy values that have not ended, in order of their ordinals."""
    rows = conn.execute(
        f"select {_FIELDS} {_OPEN} and g.ordinal > ?3 order by g.ordinal limit ?4",
        (*at, after, limit),
    )
    return [_read(at, row) for row in rows]


def count_legacy(conn: sqlite3.Connection, at: At) -> int:
    """Return how many legacy values have not ended."""
    (found,) = conn.execute(f"select count(*) {_OPEN}", at).fetchone()
    return int(found)


def insert_legacy(
    conn: sqlite3.Connection, at: At, stamp: Stamp, value: Legacy
) -> None:
    """Write an imported value."""
    body = canonical(value.value)
    stamped = (stamp.author, int(stamp.proven), stamp.now)
    guard = legacy_digest(at, value.kind, value.id, value.ordinal, body, *stamped)
    conn.execute(
        "insert into legacy(store, scope, kind, id, ordinal, body, author, proven, "
        "recorded_at, digest) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*at, value.kind, value.id, value.ordinal, body, *stamped, guard),
    )


def _read(at: At, row: tuple[str, str, int, bytes, str, int, int, str]) -> Legacy:
    kind, name, ordinal, body = row[:4]
    if legacy_digest(at, *row[:7]) != row[7]:
        raise damaged(f"the legacy {kind}", name)
    return Legacy(kind, name, ordinal, json.loads(body))


def legacy_digest(
    at: At,
    kind: str,
    name: str,
    ordinal: int,
    body: bytes,
    author: str,
    proven: int,
    recorded_at: int,
) -> str:
    """Return the digest of a row."""
    return row_digest(
        "legacy",
        scope=at.scope,
        kind=kind,
        id=name,
        ordinal=ordinal,
        body=digest(body),
        author=author,
        proven=bool(proven),
        recorded_at=recorded_at,
    )


def problems(conn: sqlite3.Connection, at: At) -> Iterator[str]:
    """Yield one sentence for each legacy row that is not as it was written."""
    rows = conn.execute(
        f"select {_FIELDS} from legacy g where g.store = ? and g.scope = ? "
        "order by g.ordinal",
        at,
    ).fetchall()
    # A value that ended keeps its row.
    if [row[2] for row in rows] != list(range(len(rows))):
        yield "its legacy values are not 0, 1, 2 and so on"
    for row in rows:
        if legacy_digest(at, *row[:7]) != row[7]:
            yield f"the legacy {row[0]} {row[1]} is not as it was written"
