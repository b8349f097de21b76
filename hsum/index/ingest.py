"""Ingest: look at the root, plan, write one generation, or nothing at all."""

from __future__ import annotations

from collections import Counter
from os import fsdecode
from typing import TYPE_CHECKING

import attrs

from hsum.index import guards, scanned
from hsum.index.catalogue import Totals
from hsum.index.gather import Gathered, gather
from hsum.index.generations import (
    drafting,
    ensure_lexical,
    next_directory,
    publish,
    sweep,
)
from hsum.index.plan import Fresh, Piece, Plan, decide
from hsum.index.records import records
from hsum.index.survey import Request, Survey, survey
from hsum.index.writing import Content, Recorder
from hsum.model import IngestReport, Skip

if TYPE_CHECKING:
    from hsum.index.store import Store

__all__ = ["ingest"]


def ingest(store: Store, request: Request) -> IngestReport:
    """Bring the index up to the tree in one generation; in none if nothing changed.

    Raises:
        Fault: before anything is written; and whatever a progress callback raises.
    """
    if request.dry_run:
        return _rehearsed(survey(store, request), request)
    # What is refused is refused before even the directory is made.
    early = None if store.exists() else survey(store, request)
    with store.writer(request.lock_timeout_ms):
        ensure_lexical(store, lambda done, total: request.tell("lexical", done, total))
        found = early if early and not store.exists() else survey(store, request)
        if found.idle:
            return _report(found, found.totals, Plan(), Gathered())
        report = _written(store, request, found)
        with store.reading() as snapshot:
            sweep(store, snapshot.head)
        return report


def _rehearsed(found: Survey, request: Request) -> IngestReport:
    gathered = gather(found, _imagined, lambda *at: request.tell("read", *at))
    plan = _planned(found, gathered)
    totals = Totals(
        found.totals.documents + plan.documents,
        found.totals.passages,
        found.totals.bytes + plan.bytes,
    )
    report = _report(found, totals, plan, gathered)
    guard = _mass_delete(found, plan)
    refused = guards.would_refuse([guard], request.allow)
    return attrs.evolve(
        report,
        dry_run=True,
        changes=tuple(plan.changes()),
        warnings=(*report.warnings, *refused),
    )


def _imagined(content: Content) -> Fresh:
    """Return what recording would give, short of what only cutting tells."""
    keys = [record.key for record in records(content.data, content.path)] or [""]
    pieces = tuple(Piece(key, 0, 0, 0) for key in keys)
    return Fresh(content.path, content.rev, len(content.data), 0, 0, pieces)


def _written(store: Store, request: Request, found: Survey) -> IngestReport:
    with (
        drafting(store, next_directory(found.head), base=found.head) as draft,
        store.writing() as connection,
    ):
        recorder = Recorder(connection, draft)
        gathered = gather(found, recorder.record, lambda *at: request.tell("read", *at))
        plan = _decided(found, gathered, request)
        scanned.note(connection, found, gathered)
        report = _report(found, found.totals, plan, gathered)
        if plan or found.head is None:
            request.tell("commit", 0, 1)
            number, totals = publish(store, connection, draft, plan)
            report = attrs.evolve(
                report, generation=number, unchanged=False, **totals._asdict()
            )
    request.tell("commit", 1, 1)
    return report


def _decided(found: Survey, gathered: Gathered, request: Request) -> Plan:
    plan = _planned(found, gathered)
    guards.confirm([_mass_delete(found, plan)], request.allow)
    return plan


def _planned(found: Survey, gathered: Gathered) -> Plan:
    return decide(found.lives, gathered.fresh, gathered.gone, found.sources)


def _mass_delete(found: Survey, plan: Plan) -> guards.Guard | None:
    dropped = plan.counts()["dropped"] if plan.ended else 0
    return guards.mass_delete(found.totals.documents, dropped)


def _report(
    found: Survey, totals: Totals, plan: Plan, gathered: Gathered
) -> IngestReport:
    skips = [*found.scan.skips, *gathered.skips]
    indexed = found.scan.unchanged + len(found.scan.changed) - len(gathered.skips)
    counts = plan.counts()
    failed = {skip.path: skip for skip in (*found.scan.failed, *gathered.failed)}
    return IngestReport(
        generation=found.head.generation if found.head else None,
        unchanged=not plan,
        added=counts["added"],
        changed=counts["changed"],
        renamed=counts["renamed"],
        dropped=counts["dropped"],
        **totals._asdict(),
        discovered=indexed + len(skips),
        indexed=indexed,
        skipped=dict(sorted(Counter(skip.reason for skip in skips).items())),
        failed=tuple(
            Skip(fsdecode(skip.path), skip.reason, skip.detail)
            for _, skip in sorted(failed.items())
        ),
        warnings=found.scan.warnings,
    )
