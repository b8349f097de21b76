"""Reading a scope: its history, one checkpoint, live heads, what diverges."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Collection

from hsum._kernel import cursors
from hsum._kernel.faults import Fault
from hsum._kernel.text import shown
from hythe.checkpoint.content import state_of
from hythe.checkpoint.crossing import seen_from
from hythe.checkpoint.decide import Standing
from hythe.checkpoint.heads import live_heads, live_revisions, retired_revisions
from hythe.checkpoint.owed import Debt
from hythe.checkpoint.plan import differing
from hythe.checkpoint.pruned import refuse_pruned
from hythe.checkpoint.request import Reference
from hythe.checkpoint.scopes import (
    At,
    find_scope,
    require_scope,
    spelled,
    standing_of,
)
from hythe.checkpoint.store import (
    Row,
    checkpoint_of,
    id_of,
    load_row,
    load_state,
    named,
    state_data_of,
    value_at,
)
from hythe.model import (
    Checkpoint,
    Decision,
    Divergent,
    Head,
    History,
    Kind,
    Owed,
    Page,
    Plan,
    ScopeName,
)
from hythe.observe.checks import check_bound

__all__ = [
    "current",
    "divergent",
    "get",
    "heads",
    "history",
    "newest_revision",
    "plan_reconcile",
]

MAX_PAGE = 1_000
MAX_REVISION = 2**53 - 1


def current(conn: sqlite3.Connection, store: int, name: ScopeName) -> Checkpoint | None:
    """Return the pointed checkpoint; None where nothing is designated."""
    at = find_scope(conn, store, name)
    pointer = 0 if at is None else standing_of(conn, at).pointer
    return _checkpoint(conn, at, pointer) if at is not None and pointer else None


def get(
    conn: sqlite3.Connection, store: int, name: ScopeName, reference: Reference
) -> Checkpoint:
    """Return one checkpoint of a scope.

    Raises:
        Fault: `NOT_FOUND`, `PARENT_AMBIGUOUS`, `SCOPE_UNKNOWN`, `PRUNED`,
            `INTEGRITY_FAILED`.
    """
    at = require_scope(conn, store, name)
    revision = named(conn, at, reference)
    if revision is None:
        raise Fault(
            "NOT_FOUND",
            f"{name} has no checkpoint {shown(reference)}",
            details={"checkpoint": reference},
        )
    refuse_pruned(load_row(conn, at, revision).content, str(reference))
    return _checkpoint(conn, at, revision)


def _checkpoint(conn: sqlite3.Connection, at: At, revision: int) -> Checkpoint:
    row = load_row(conn, at, revision)
    return checkpoint_of(spelled(conn, at), row, state_data_of(conn, at.store, row))


def heads(
    conn: sqlite3.Connection,
    store: int,
    name: ScopeName,
    *,
    limit: int,
    cursor: str | None,
) -> Page[Head]:
    """Return live heads, newest first."""
    check_bound(limit, "$.limit", least=1, most=MAX_PAGE)
    at = find_scope(conn, store, name)
    if at is None:
        return Page(())
    kind = f"heads:{at.scope}"
    place = cursors.decode(kind, cursor, before=int) if cursor is not None else {}
    found = live_heads(conn, at, limit=limit + 1, **place)
    shown = tuple(found[:limit])
    more = len(found) > limit
    token = cursors.encode(kind, {"before": shown[-1].revision}) if more else None
    return Page(shown, token)


def newest_revision(conn: sqlite3.Connection, store: int, name: ScopeName) -> int:
    """Return the newest revision of a scope, 0 where there is none."""
    at = find_scope(conn, store, name)
    return 0 if at is None else standing_of(conn, at).revisions


def history(
    conn: sqlite3.Connection,
    store: int,
    name: ScopeName,
    *,
    limit: int,
    cursor: str | None,
    after: int | None,
) -> History:
    """Return checkpoints: newest first, or with `after` oldest first from there on."""
    check_bound(limit, "$.limit", least=1, most=MAX_PAGE)
    at = find_scope(conn, store, name)
    if at is None:
        return History(())
    standing = standing_of(conn, at)
    kind, newest = f"history:{at.scope}", standing.revisions
    start, step = _start(kind, newest, after, cursor)
    wanted = range(start, newest + 1) if step > 0 else range(start, 0, -1)
    rest = wanted[limit:]
    return History(
        tuple(_checkpoint(conn, at, revision) for revision in wanted[:limit]),
        cursors.encode(kind, {"at": rest[0], "rising": step > 0}) if rest else None,
        pointer=id_of(conn, at, standing.pointer),
        heads=_ids(conn, at, live_revisions(conn, at, standing), wanted[:limit]),
        retired=_ids(conn, at, retired_revisions(conn, at), wanted[:limit]),
    )


def _ids(
    conn: sqlite3.Connection, at: At, found: set[int], shown: Collection[int]
) -> frozenset[str]:
    return frozenset(str(id_of(conn, at, r)) for r in found if r in shown)


def _start(
    kind: str, newest: int, after: int | None, cursor: str | None
) -> tuple[int, int]:
    if cursor is not None:
        place = cursors.decode(kind, cursor, at=int, rising=bool)
        if not 1 <= place["at"] <= newest:
            raise cursors.foreign()
        return place["at"], 1 if place["rising"] else -1
    if after is None:
        return newest, -1
    return check_bound(after, "$.after", least=0, most=MAX_REVISION) + 1, 1


# --- divergence -------------------------------------------------------------------

_DIVERGENT = """
    select v.kind, v.id, v.revision, v.ordinal, max(l.tip),
        (select s.decision from settlement s join lineage a on a.store = s.store
            and a.scope = s.scope and a.revision = s.settled_by
            where s.store = v.store and s.scope = v.scope and s.kind = v.kind
            and s.id = v.id and s.revision = v.revision
            order by s.settled_by desc limit 1)
    from tip_value v join line l
        on l.store = v.store and l.scope = v.scope and l.line = v.line
    where v.store = ?1 and v.scope = ?2 and v.settled = ?3
        and (v.revision, v.kind, v.ordinal) < (?4, ?5, ?6)
    group by v.revision, v.kind, v.ordinal, v.id
    order by v.revision desc, v.kind desc, v.ordinal desc limit ?7
"""


def divergent(
    conn: sqlite3.Connection,
    store: int,
    name: ScopeName,
    *,
    resolved: bool,
    limit: int,
    cursor: str | None,
) -> Page[Divergent]:
    """Return values off the accepted lineage, newest first."""
    check_bound(limit, "$.limit", least=1, most=MAX_PAGE)
    at = require_scope(conn, store, name)
    kind = f"divergent:{at.scope}:{int(resolved)}"
    place = (2**62, "", 0)
    if cursor is not None:
        place = cursors.decode(kind, cursor, before=[int, str, int])["before"]
    rows = conn.execute(_DIVERGENT, (*at, int(resolved), *place, limit + 1)).fetchall()
    stored = _Rows(conn, at)
    shown = tuple(_divergent(stored, row) for row in rows[:limit])
    if len(rows) <= limit:
        return Page(shown)
    last = rows[limit - 1]
    return Page(shown, cursors.encode(kind, {"before": [last[2], last[0], last[3]]}))


class _Rows(dict[int, Row]):
    """The checkpoints of one call, each read and verified once."""

    def __init__(self, conn: sqlite3.Connection, at: At) -> None:
        super().__init__()
        self.conn = conn
        self.at = at
        self.ids = functools.cache(lambda revision: str(id_of(conn, at, revision)))

    def __missing__(self, revision: int) -> Row:
        found = self[revision] = load_row(self.conn, self.at, revision)
        return found


def _divergent(
    stored: _Rows, row: tuple[Kind, str, int, int, int, Decision | None]
) -> Divergent:
    kind, identity, revision, ordinal, tip, settled = row
    made = stored[revision]
    return Divergent(
        kind,
        identity,
        value_at(made, kind, ordinal),
        made.id,
        revision,
        made.author,
        stored.ids(tip),
        settled,
    )


def plan_reconcile(
    conn: sqlite3.Connection, store: int, name: ScopeName, survivor: Reference | None
) -> Plan:
    """Return what a reconcile onto a live head, by default the pointed one, owes.

    Raises:
        Fault: `NOT_FOUND` for what is no live head, `SCOPE_EMPTY`, `SCOPE_UNKNOWN`.
    """
    at = require_scope(conn, store, name)
    standing = standing_of(conn, at)
    live = live_heads(conn, at, limit=standing.live)
    chosen = _survivor(conn, at, standing, live, survivor)
    view = seen_from(conn, at, standing, chosen.revision)
    stored = _Rows(conn, at)
    states = {
        head.id: load_state(conn, store, stored[head.revision].state) for head in live
    }
    pointer = id_of(conn, at, standing.pointer)
    owed = tuple(_owed(stored, debt) for debt in view.debts.values())
    return Plan(
        scope=spelled(conn, at),
        heads=tuple(live),
        pointer=pointer,
        survivor=chosen.id,
        owed=owed,
        differing=differing(states),
        needs_acknowledgement=view.after_retired,
        request={
            "heads": [head.id for head in live],
            "pointer": pointer,
            "survivor": chosen.id,
            "state": state_of(states[chosen.id]),
        },
    )


def _survivor(
    conn: sqlite3.Connection,
    at: At,
    standing: Standing,
    live: list[Head],
    survivor: Reference | None,
) -> Head:
    revision = standing.pointer if survivor is None else named(conn, at, survivor)
    for head in live:
        if head.revision == revision:
            return head
    if not live:
        raise Fault("SCOPE_EMPTY", "there is nothing to reconcile")
    raise Fault(
        "NOT_FOUND",
        "the survivor is no live head" if survivor else "the scope has no pointer",
        hint="Name one of the live heads as survivor.",
        details={"heads": [head.id for head in live[:MAX_PAGE]]},
    )


def _owed(stored: _Rows, debt: Debt) -> Owed:
    made = stored[debt.version.revision]
    return Owed(
        kind=debt.kind,  # type: ignore[arg-type]
        id=debt.id,
        checkpoint=made.id,
        revision=made.revision,
        value=value_at(made, debt.kind, debt.version.ordinal),
        heads=tuple(map(stored.ids, debt.tips)),
    )
