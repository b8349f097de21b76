"""Write a plan into the tables: sources and documents made, versions begun and ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from hsum._kernel.ids import Ids
    from hsum.index.plan import Begun, Plan

__all__ = ["begun", "write"]


def write(
    connection: sqlite3.Connection, plan: Plan, generation: int, ids: Ids
) -> None:
    """Write the plan of a generation."""
    connection.executemany(
        "UPDATE source SET path = ? WHERE path = ?", plan.moved.items()
    )
    connection.executemany(
        "UPDATE version SET to_generation = ? WHERE id = ?",
        ((generation, live.key) for live in plan.ended),
    )
    connection.executemany(
        "INSERT INTO version (id, document, path, revision, cut, first, passages,"
        " from_generation) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (*_row(item, _document(connection, item, ids)), generation)
            for item in plan.begun
        ),
    )


def begun(connection: sqlite3.Connection, plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield document id and `rev` of what a written plan begins, in order."""
    first = min((item.piece.key for item in plan.begun), default=None)
    if first is None:
        return iter(())
    return connection.execute(
        "SELECT document.uuid, lower(hex(revision.sha256)) FROM version"
        " JOIN document ON document.id = version.document"
        " JOIN revision ON revision.id = version.revision"
        " WHERE version.id >= ? ORDER BY document.uuid",
        (first,),
    )


def _row(item: Begun, document: int) -> tuple[object, ...]:
    fresh, piece = item.fresh, item.piece
    return (
        piece.key,
        document,
        fresh.path,
        fresh.revision,
        fresh.cut,
        piece.first,
        piece.passages,
    )


def _source(connection: sqlite3.Connection, path: bytes, ids: Ids) -> int:
    row = connection.execute("SELECT id FROM source WHERE path = ?", (path,)).fetchone()
    if row is not None:
        return int(row[0])
    done = connection.execute(
        "INSERT INTO source (uuid, path) VALUES (?, ?)", (ids(), path)
    )
    return int(done.lastrowid or 0)


def _document(connection: sqlite3.Connection, item: Begun, ids: Ids) -> int:
    if item.document is not None:
        return item.document
    source = _source(connection, item.fresh.path, ids)
    row = connection.execute(
        "SELECT id FROM document WHERE source = ? AND record = ?",
        (source, item.piece.record),
    ).fetchone()
    if row is not None:
        return int(row[0])
    done = connection.execute(
        "INSERT INTO document (uuid, source, record) VALUES (?, ?, ?)",
        (ids(), source, item.piece.record),
    )
    return int(done.lastrowid or 0)
