"""What a write, record or patch will say, checked against the scope."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import final

import attrs

from hsum._kernel.faults import Fault
from hsum._kernel.text import shown
from hythe.checkpoint.content import Data, patched_state
from hythe.checkpoint.crossing import Perspective
from hythe.checkpoint.decide import Parent, Refused, Standing, decide
from hythe.checkpoint.heads import conflict
from hythe.checkpoint.legacy import legacy_of
from hythe.checkpoint.lines import accepted_values, newest_on
from hythe.checkpoint.owed import Debt, Tag
from hythe.checkpoint.patch import apply_patch
from hythe.checkpoint.request import Request
from hythe.checkpoint.scopes import At
from hythe.checkpoint.store import (
    Link,
    Row,
    load_link,
    load_row,
    load_state,
    named,
)
from hythe.checkpoint.view import Key, Version
from hythe.model import Decision, Outcome

__all__ = ["Draft", "checked_changes", "follow", "is_retired"]


@final
@attrs.frozen
class Draft:
    """A checkpoint before it is written; new facts and loops have no id yet.

    `kept` is the digest of the parent's state where that is kept as it is.
    `sources` are the revisions that values were accepted from, by checkpoint id.
    """

    outcome: Outcome
    parent: Row | Link | None
    state: Data
    facts: Sequence[Data]
    loops: Sequence[Data]
    kept: str | None = None
    reconciliation: Data | None = None
    decisions: Mapping[Tag, Decision] = attrs.field(factory=dict)
    view: Perspective | None = None
    sources: Mapping[str, int] = attrs.field(factory=dict)


def follow(
    conn: sqlite3.Connection,
    at: At,
    author: str,
    standing: Standing,
    request: Request,
) -> Draft:
    """Draft a write, record or patch.

    Raises:
        Fault: `CONFLICT` and all that the table of operations refuses.
    """
    revision = None if request.parent is None else named(conn, at, request.parent)
    found = decide(
        request.operation,
        standing,
        named=request.parent is not None,
        parent=_parent(conn, at, revision, standing.pointer),
        acknowledge_retired=request.acknowledge_retired,
    )
    if isinstance(found, Refused):
        raise conflict(conn, at, standing, found)
    parent, state, kept = _built_on(conn, at, revision, request)
    facts, loops = checked_changes(
        conn, at, author, request, revision=revision or 0, pointer=standing.pointer
    )
    return Draft(found, parent, state, facts, loops, kept)


def _parent(
    conn: sqlite3.Connection, at: At, revision: int | None, pointer: int
) -> Parent | None:
    if revision is None:
        return None
    # The pointed one has no child, and what is retired is never pointed.
    retired = revision != pointer and is_retired(conn, at, revision)
    return Parent(revision, retired)


def is_retired(conn: sqlite3.Connection, at: At, revision: int) -> bool:
    """Tell whether a reconcile ever retired this checkpoint."""
    row = conn.execute(
        "select 1 from retirement where store = ? and scope = ? and revision = ?",
        (*at, revision),
    ).fetchone()
    return row is not None


def _built_on(
    conn: sqlite3.Connection, at: At, revision: int | None, request: Request
) -> tuple[Row | Link | None, Data, str | None]:
    """Return the parent, the new state, and its digest if it is the parent's.

    The parent is read and verified where its state goes on.
    """
    if revision is None:
        return None, request.state or {}, None
    if request.state is not None:
        return load_link(conn, at, revision), request.state, None
    row = load_row(conn, at, revision)
    before = load_state(conn, at.store, row.state)
    if request.operation == "record":
        return row, before, row.state
    return row, patched_state(apply_patch(before, request.patch)), None


def checked_changes(
    conn: sqlite3.Connection,
    at: At,
    author: str,
    request: Request,
    *,
    revision: int,
    pointer: int,
    debts: Mapping[Tag, Debt] | None = None,
) -> tuple[Sequence[Data], Sequence[Data]]:
    """Return the facts and loops of a request, omitted owners filled in.

    Raises:
        Fault: `FACT_UNKNOWN`, `LOOP_UNKNOWN` for ids that may not be changed here.
    """
    keys = [("fact", item["id"]) for item in request.facts if item["id"] is not None]
    keys += [("loop", item["id"]) for item in request.loops if item["id"] is not None]
    known = _known(conn, at, keys, revision, pointer)
    for debt in (debts or {}).values():
        known.setdefault((debt.kind, debt.id), debt.version)
    _check_known(conn, at, [key for key in keys if key not in known])
    loops = [_owned(conn, at, author, item, known) for item in request.loops]
    return request.facts, loops


def _known(
    conn: sqlite3.Connection, at: At, keys: Sequence[Key], revision: int, pointer: int
) -> dict[Key, Version]:
    if not keys or not revision:
        return {}
    if revision == pointer:
        return accepted_values(conn, at, keys)
    return newest_on(conn, at, revision, keys)


def _check_known(conn: sqlite3.Connection, at: At, keys: Sequence[Key]) -> None:
    unknown = [key for key in keys if legacy_of(conn, at, key) is None]
    if unknown:
        kind, name = unknown[0]
        raise Fault(
            "FACT_UNKNOWN" if kind == "fact" else "LOOP_UNKNOWN",
            f"the {kind} {shown(name)} has no version on the parent's lineage",
            details={"ids": [name for _, name in unknown]},
        )


def _owned(
    conn: sqlite3.Connection,
    at: At,
    author: str,
    loop: Data,
    known: Mapping[Key, Version],
) -> Data:
    """Fill in an omitted owner: kept, and on a new loop the author."""
    if loop["owner"] is not None:
        return loop
    if loop["id"] is None:
        return {**loop, "owner": author}
    key = ("loop", loop["id"])
    return {**loop, "owner": _owner(conn, at, key, known.get(key)) or author}


def _owner(
    conn: sqlite3.Connection, at: At, key: Key, version: Version | None
) -> str | None:
    if version is not None and version.revision:
        kept: str | None = load_row(conn, at, version.revision).loops[version.ordinal][
            "owner"
        ]
        return kept
    legacy = legacy_of(conn, at, key)
    return None if legacy is None else legacy.value.get("owner")
