"""What a reconcile will say, and what it would have to settle."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from hsum._kernel.faults import Fault
from hsum._kernel.text import shown
from hythe.checkpoint.content import Data
from hythe.checkpoint.crossing import Perspective, seen_from
from hythe.checkpoint.decide import Standing, decide_reconcile, retired_fault
from hythe.checkpoint.drafting import Draft, checked_changes
from hythe.checkpoint.heads import conflict, live_revisions
from hythe.checkpoint.legacy import legacy_of
from hythe.checkpoint.owed import Debt, Resolved, Tag, settle
from hythe.checkpoint.pruned import refuse_pruned
from hythe.checkpoint.request import Asked, Reconcile, Reference, Request
from hythe.checkpoint.scopes import At
from hythe.checkpoint.store import id_of, load_link, load_row, named
from hythe.checkpoint.view import Version
from hythe.model import Decision

__all__ = ["reconcile"]

_SHOWN = 1_000


def reconcile(
    conn: sqlite3.Connection,
    at: At,
    author: str,
    standing: Standing,
    request: Request,
    asked: Reconcile,
) -> Draft:
    """Draft a reconcile.

    Raises:
        Fault: `CONFLICT`, `PARENT_RETIRED`, `RECONCILE_UNRESOLVED`, and what the
            checks of changes and resolutions refuse.
    """
    survivor = _survivor(conn, at, standing, request, asked)
    view = seen_from(conn, at, standing, survivor)
    if view.after_retired and not request.acknowledge_retired:
        raise retired_fault(survivor, "has a retired ancestor")
    debts = {**view.debts, **_legacy_debts(conn, at, asked.resolutions)}
    changes = checked_changes(
        conn,
        at,
        author,
        request,
        revision=survivor,
        pointer=standing.pointer,
        debts=view.debts,
    )
    resolved = _resolved(conn, at, standing, survivor, request, asked, debts)
    if resolved.left:
        raise _unresolved(conn, at, resolved.left)
    return _draft(conn, at, standing, request, asked, view, resolved.decisions, changes)


def _survivor(
    conn: sqlite3.Connection,
    at: At,
    standing: Standing,
    request: Request,
    asked: Reconcile,
) -> int:
    survivor = None if request.parent is None else named(conn, at, request.parent)
    refused = decide_reconcile(
        standing,
        live=live_revisions(conn, at, standing),
        heads=[named(conn, at, head) for head in asked.heads],
        pointer=0 if asked.pointer is None else named(conn, at, asked.pointer),
        survivor=survivor,
    )
    if refused is not None:
        raise conflict(conn, at, standing, refused)
    assert survivor is not None  # noqa: S101 - an unknown one was refused
    return survivor


def _legacy_debts(
    conn: sqlite3.Connection, at: At, resolutions: Iterable[Asked]
) -> dict[Tag, Debt]:
    found: dict[Tag, Debt] = {}
    for item in resolutions:
        key = (item.kind, item.id)
        if item.checkpoint is None and legacy_of(conn, at, key, is_open=True):
            found[*key, 0] = Debt(*key, Version(0, 0))
    return found


def _resolved(
    conn: sqlite3.Connection,
    at: At,
    standing: Standing,
    survivor: int,
    request: Request,
    asked: Reconcile,
    debts: Mapping[Tag, Debt],
) -> Resolved:
    fresh = {("fact", item["id"]) for item in request.facts}
    fresh |= {("loop", item["id"]) for item in request.loops}
    return settle(
        debts,
        [(_tag(conn, at, item), item.decision) for item in asked.resolutions],
        reject_lineages={
            _divergent_tip(conn, at, standing, survivor, reference)
            for reference in asked.reject_lineages
        },
        fresh=fresh,
    )


def _tag(conn: sqlite3.Connection, at: At, item: Asked) -> Tag:
    if item.checkpoint is None:
        return item.kind, item.id, 0
    revision = named(conn, at, item.checkpoint)
    if revision is None:
        raise Fault(
            "INVALID_ARGUMENT",
            f"the scope has no checkpoint {shown(item.checkpoint)}",
            details={"path": "$.resolutions", "id": item.id},
        )
    return item.kind, item.id, revision


def _divergent_tip(
    conn: sqlite3.Connection,
    at: At,
    standing: Standing,
    survivor: int,
    reference: Reference,
) -> int:
    """Return the revision of a childless checkpoint other than the survivor."""
    revision = named(conn, at, reference)
    row = conn.execute(
        "select 1 from line where store = ? and scope = ? and tip = ?",
        (*at, revision),
    ).fetchone()
    is_tip = revision == standing.pointer or row is not None
    if revision is None or revision == survivor or not is_tip:
        raise Fault(
            "INVALID_ARGUMENT",
            f"{shown(reference)} is not the end of a divergent lineage",
            details={"path": "$.reject_lineages"},
        )
    return revision


def _unresolved(conn: sqlite3.Connection, at: At, left: Sequence[Debt]) -> Fault:
    shown = [
        {
            "kind": debt.kind,
            "id": debt.id,
            "checkpoint": id_of(conn, at, debt.version.revision),
            "revision": debt.version.revision,
            "heads": [id_of(conn, at, tip) for tip in debt.tips],
        }
        for debt in left[:_SHOWN]
    ]
    first = left[0]
    return Fault(
        "RECONCILE_UNRESOLVED",
        f"{len(left)} owed values have no resolution, the first is the {first.kind} "
        f"{first.id} of revision {first.version.revision}",
        details={"owed": shown, "count": len(left)},
    )


def _draft(
    conn: sqlite3.Connection,
    at: At,
    standing: Standing,
    request: Request,
    asked: Reconcile,
    view: Perspective,
    decisions: Mapping[Tag, Decision],
    changes: tuple[Sequence[Data], Sequence[Data]],
) -> Draft:
    facts, loops = changes
    live = live_revisions(conn, at, standing)
    ids = {r: id_of(conn, at, r) for r in live | {tag[2] for tag in decisions}}
    accepted = _accepted(conn, at, view.debts, decisions)
    settled = [
        {"kind": kind, "id": name, "checkpoint": ids[revision], "decision": decision}
        for (kind, name, revision), decision in sorted(decisions.items())
    ]
    return Draft(
        "reconciled",
        load_link(conn, at, view.survivor),
        request.state or {},
        [*facts, *(item for kind, item in accepted if kind == "fact")],
        [*loops, *(item for kind, item in accepted if kind == "loop")],
        reconciliation={
            "reason": asked.reason,
            "heads": sorted(str(ids[revision]) for revision in live),
            "pointer": ids.get(standing.pointer),
            "settled": settled,
        },
        decisions=decisions,
        view=view,
        sources={str(name): revision for revision, name in ids.items()},
    )


def _accepted(
    conn: sqlite3.Connection,
    at: At,
    debts: Mapping[Tag, Debt],
    decisions: Mapping[Tag, Decision],
) -> list[tuple[str, Data]]:
    """Return the accepted values as they stand, each with where it comes from."""
    wanted = [debts[tag] for tag, choice in decisions.items() if choice == "accept"]
    rows = {
        r: load_row(conn, at, r) for r in {debt.version.revision for debt in wanted}
    }
    found = []
    for debt in sorted(wanted, key=lambda debt: debt.tag):
        row = rows[debt.version.revision]
        refuse_pruned(row.content, row.id)
        value = row.of_kind(debt.kind)[debt.version.ordinal]
        found.append((debt.kind, {**value, "accepted_from": row.id}))
    return found
