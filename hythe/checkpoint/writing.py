"""One write: read where the scope stands, decide, then write it all."""

from __future__ import annotations

import functools
import sqlite3

from hsum._kernel.canonical import canonical_of_simple
from hythe.checkpoint import keys
from hythe.checkpoint.crossing import cross, settle_rows
from hythe.checkpoint.decide import Standing
from hythe.checkpoint.drafting import Draft, follow
from hythe.checkpoint.fingerprint import fingerprint
from hythe.checkpoint.lines import advance, branch, insert_versions
from hythe.checkpoint.reconciling import reconcile
from hythe.checkpoint.request import Request
from hythe.checkpoint.scopes import (
    At,
    add_scope,
    find_scope,
    require_scope,
    spelled,
    standing_of,
    store_standing,
)
from hythe.checkpoint.seal import envelope
from hythe.checkpoint.store import (
    Row,
    checkpoint_of,
    insert_checkpoint,
    insert_state,
    load_row,
    named_first,
    state_data_of,
)
from hythe.checkpoint.view import Key, Version, changes_of
from hythe.model import Checkpoint, ScopeName
from hythe.observe.stamp import Stamp

__all__ = ["append", "write"]


def write(
    conn: sqlite3.Connection, stamp: Stamp, name: ScopeName, request: Request
) -> Checkpoint:
    """Write a checkpoint inside the caller's transaction.

    Raises:
        Fault: what the contract refuses, before anything is written.
    """
    at = _place(conn, stamp, name, request)
    scope = spelled(conn, at)
    first, wanted = _recorded(conn, at, stamp, request)
    if first is not None:
        row = load_row(conn, at, first)
        state = state_data_of(conn, at.store, row)
        return checkpoint_of(scope, row, state, replayed=True)
    standing = standing_of(conn, at)
    draft = _drafted(conn, at, stamp.author, standing, request)
    row = append(conn, at, stamp, scope, standing, request, draft)
    if request.key is not None:
        keys.remember(conn, at, request.key, wanted, row.revision)
    return checkpoint_of(scope, row, draft.state)


def _place(
    conn: sqlite3.Connection, stamp: Stamp, name: ScopeName, request: Request
) -> At:
    if request.operation != "write" or request.parent is not None:
        return require_scope(conn, stamp.store, name)
    found = find_scope(conn, stamp.store, name)
    return found if found is not None else add_scope(conn, stamp, name)


def _recorded(
    conn: sqlite3.Connection, at: At, stamp: Stamp, request: Request
) -> tuple[int | None, str]:
    """Return the revision that this key wrote before, and the request's fingerprint."""
    if request.key is None:
        return None, ""
    resolve = functools.partial(named_first, conn, at)
    wanted = fingerprint(stamp.author, request, resolve)
    return keys.recorded(conn, at, request.key, wanted), wanted


def _drafted(
    conn: sqlite3.Connection,
    at: At,
    author: str,
    standing: Standing,
    request: Request,
) -> Draft:
    if request.reconcile is None:
        return follow(conn, at, author, standing, request)
    return reconcile(conn, at, author, standing, request, request.reconcile)


def append(
    conn: sqlite3.Connection,
    at: At,
    stamp: Stamp,
    scope: ScopeName,
    standing: Standing,
    request: Request,
    draft: Draft,
) -> Row:
    """Write a checkpoint and all that is derived from it."""
    revision = standing.revisions + 1
    state = draft.kept or insert_state(conn, at.store, canonical_of_simple(draft.state))
    content = envelope(
        scope={"project": scope.project, "task": scope.task},
        state=state,
        events=request.events,
        facts=draft.facts,
        loops=draft.loops,
        evidence=request.evidence,
        reconciliation=draft.reconciliation,
    )
    fresh = sum(item["id"] is None for item in (*draft.facts, *draft.loops))
    row = insert_checkpoint(
        conn,
        at,
        content,
        parent=draft.parent,
        revision=revision,
        id=stamp.new_id(),
        operation=request.operation,
        outcome=draft.outcome,
        author=stamp.author,
        proven=stamp.proven,
        recorded_at=stamp.now,
        new_ids=tuple(stamp.new_id() for _ in range(fresh)),
    )
    changes = changes_of(revision, row.facts, row.loops, request.events, draft.sources)
    insert_versions(conn, at, changes)
    store_standing(conn, at, _derived(conn, at, standing, draft, row, changes))
    return row


def _derived(
    conn: sqlite3.Connection,
    at: At,
    standing: Standing,
    draft: Draft,
    row: Row,
    changes: list[tuple[Key, Version]],
) -> Standing:
    if draft.outcome == "branched":
        return branch(conn, at, standing, row.revision, row.parent, changes)
    if draft.view is not None and draft.view.survivor != standing.pointer:
        standing = cross(conn, at, standing, draft.view)
    new_ids = frozenset(row.new_ids)
    after = advance(conn, at, standing, row.revision, changes, new_ids)
    if draft.view is None:
        return after
    return settle_rows(conn, at, after, row.revision, draft.decisions)
