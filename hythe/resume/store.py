"""Answer a call of resume: read it all in one transaction, then make it fit."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, final

import attrs

from hsum._kernel.faults import Fault
from hythe.checkpoint.proof import scope_problems
from hythe.resume.budget import Chosen, Price, choose, fit
from hythe.resume.cursors import binding, check_asked, read_cursor
from hythe.resume.evidence import Resolver, citations
from hythe.resume.flat import flat_sections
from hythe.resume.inbox import mail_sections
from hythe.resume.load import lineage_sections
from hythe.resume.page import Page
from hythe.resume.probe import probe
from hythe.resume.snapshot import Snapshot

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from hythe.model import ScopeName
    from hythe.resume.bundle import Resume
    from hythe.resume.request import Request
    from hythe.resume.sections import Section

__all__ = ["Draft", "draft", "finish"]

_SHOWN_PROBLEMS = 20


@final
@attrs.frozen
class Draft:
    """What was read of a scope in one transaction, before evidence is checked."""

    page: Page
    chosen: Chosen
    price: Price
    request: Request


def draft(
    conn: sqlite3.Connection,
    store: int,
    name: ScopeName,
    request: Request,
    *,
    agent: str,
    now: int,
    has_resolver: bool,
) -> Draft:
    """Read the working context of a scope for an agent; nothing is changed.

    Raises:
        Fault: `SCOPE_UNKNOWN`, `BUDGET_TOO_SMALL`, `STALE_CURSOR`,
            `INTEGRITY_FAILED`, `INVALID_ARGUMENT` for another call's cursor.
    """
    snapshot = Snapshot(conn, store, name)
    if request.verify:
        _prove(snapshot)
    page = _page(snapshot, request, agent=agent, now=now)
    price = Price(request.count, checked=has_resolver)
    return Draft(page, choose(page, request.budget, price), price, request)


def finish(draft: Draft, evidence: Resolver | None) -> Resume:
    """Check the cited evidence in time, and make the answer fit as a whole.

    Raises:
        Fault: `BUDGET_TOO_SMALL`.
    """
    request, entries = draft.request, draft.chosen.entries
    wanted = citations(entry.value for entry in entries if not entry.is_oversize)
    states = probe(evidence, wanted, request.evidence_timeout_ms)
    return fit(draft.page, draft.chosen, request.budget, draft.price, states)


def _prove(snapshot: Snapshot) -> None:
    """Derive the view from the checkpoints alone, and compare: nothing is missing."""
    found = list(islice(scope_problems(snapshot.conn, snapshot.at), _SHOWN_PROBLEMS))
    if found:
        raise Fault(
            "INTEGRITY_FAILED",
            f"the scope {snapshot.name} is not what its checkpoints say: {found[0]}",
            details={"problems": found},
        )


def _page(snapshot: Snapshot, request: Request, *, agent: str, now: int) -> Page:
    (store,) = snapshot.conn.execute(
        "select id from store where store = ?", (snapshot.at.store,)
    ).fetchone()
    bound_to = binding(store, snapshot.at.scope, agent, request.result_version)
    places = () if request.cursor is None else read_cursor(bound_to, request.cursor)
    if places:
        check_asked(places[0], request.sections)
    return Page(
        scope=snapshot.name,
        agent=agent,
        as_of=snapshot.as_of(now),
        sections=_sections(snapshot, request, agent),
        asked=request.sections,
        bound_to=bound_to,
        places=places,
        result_version=request.result_version,
    )


def _sections(
    snapshot: Snapshot, request: Request, agent: str
) -> Mapping[str, Section]:
    found = [*lineage_sections(snapshot), *mail_sections(snapshot, agent)]
    found += flat_sections(snapshot) if request.is_flat else []
    return {section.name: section for section in found}
