"""Write a plan into the tables: sources and documents made, versions begun and ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from hsum._kernel.ids import Ids
    from hsum.index.plan import Begun, Plan

__all__ = ["write"]


def write(
    connection: sqlite3.Connection, plan: Plan, generation: int, ids: Ids
) -> list[tuple[str, str]]:
    """Write the plan of a generation; return document id and `rev` of what it begins."""
    connection.executemany(
        "UPDATE source SET path = ? WHERE path = ?", plan.moved.items()
    )
    connection.executemany(
        "UPDATE version SET to_generation = ? WHERE id = ?",
        ((generation, live.key) for live in plan.ended),
    )
    begun = list(_identified(connection, plan, ids))
    connection.executemany(
        "INSERT INTO version (id, document, path, revision, cut, first, passages,"
        " from_generation) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ((*_row(item, document), generation) for item, document, _ in begun),
    )
    return [(uuid, item.fresh.rev) for item, _, uuid in begun]


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


def _identified(
    connection: sqlite3.Connection, plan: Plan, ids: Ids
) -> Iterator[tuple[Begun, int, str]]:
    """Yield each begun version with its document's row and id, made where new."""
    for item in plan.begun:
        if item.document is None:
            source = _source(connection, item.fresh.path, ids)
            yield item, *_document(connection, source, item.piece.record, ids)
        else:
            (uuid,) = connection.execute(
                "SELECT uuid FROM document WHERE id = ?", (item.document,)
            ).fetchone()
            yield item, item.document, uuid


def _source(connection: sqlite3.Connection, path: bytes, ids: Ids) -> int:
    row = connection.execute("SELECT id FROM source WHERE path = ?", (path,)).fetchone()
    if row is not None:
        return int(row[0])
    done = connection.execute(
        "INSERT INTO source (uuid, path) VALUES (?, ?)", (ids(), path)
    )
    return int(done.lastrowid or 0)


def _document(
    connection: sqlite3.Connection, source: int, record: str, ids: Ids
) -> tuple[int, str]:
    row = connection.execute(
        "SELECT id, uuid FROM document WHERE source = ? AND record = ?",
        (source, record),
    ).fetchone()
    if row is not None:
        return int(row[0]), row[1]
    uuid = ids()
    done = connection.execute(
        "INSERT INTO document (uuid, source, record) VALUES (?, ?, ?)",
        (uuid, source, record),
    )
    return int(done.lastrowid or 0), uuid
