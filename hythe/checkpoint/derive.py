"""All that is derived from the checkpoints of a scope, from nothing but them.

The writing transaction keeps the derived tables by small steps; this is the whole at
once, for doctor, for rebuilding and for import. Both end in `fold`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import final

import attrs

from hythe.checkpoint.decide import Standing
from hythe.checkpoint.owed import Tag
from hythe.checkpoint.view import EMPTY, Key, Version, View, fold
from hythe.model import Outcome

__all__ = ["Derived", "DerivedLine", "Step", "derive"]


@final
@attrs.frozen
class Step:
    """What of one checkpoint matters here; checkpoints by revision, 0 is none.

    `retired` and `settled` are those of a reconcile.
    """

    revision: int
    parent: int
    is_reconcile: bool
    changes: Sequence[tuple[Key, Version]]
    retired: Collection[int] = ()
    settled: Mapping[Tag, str] = attrs.field(factory=dict)


@final
@attrs.frozen
class DerivedLine:
    """A childless checkpoint off the accepted lineage, with its values."""

    tip: int
    meets: int
    retired: int
    after_retired: bool
    values: Mapping[Key, Version]


@final
@attrs.frozen
class Derived:
    """Every derived table of a scope; `outcomes` are those the checkpoints must say."""

    standing: Standing
    outcomes: Mapping[int, Outcome]
    lineage: Sequence[int]
    accepted: Mapping[Key, Version]
    lines: Sequence[DerivedLine]
    retirements: Mapping[int, int]
    settled: Collection[Tag]


@attrs.define
class _Walk:
    """Where a scope stands while its checkpoints are replayed."""

    pointer: int = 0
    outcomes: dict[int, Outcome] = attrs.field(factory=dict)
    retirements: dict[int, int] = attrs.field(factory=dict)
    marks: dict[str, int] = attrs.field(factory=dict)

    def mark(self, revision: int, names: Iterable[str]) -> None:
        self.marks.update((f"{name}s_at", revision) for name in names)

    def step(self, step: Step) -> None:
        """Follow one checkpoint: the table of operations, after the fact."""
        if step.is_reconcile:
            self._reconcile(step)
        elif step.parent == self.pointer:
            self.outcomes[step.revision] = "advanced"
            self._point(step)
        else:
            self.branch(step)

    def branch(self, step: Step) -> None:
        """Leave the pointer where it is."""
        self.outcomes[step.revision] = "branched"
        self.marks["divergent_at"] = step.revision

    def _reconcile(self, step: Step) -> None:
        self.outcomes[step.revision] = "reconciled"
        for head in step.retired:
            self.retirements[head] = step.revision
        if step.parent != self.pointer:
            self.mark(step.revision, ("fact", "loop", "decision"))
        self.marks["divergent_at"] = step.revision
        self._point(step)

    def _point(self, step: Step) -> None:
        self.pointer = step.revision
        self.mark(step.revision, {key[0] for key, _ in step.changes})


def derive(
    steps: Sequence[Step], *, imported: int = 0, imported_pointer: int = 0
) -> Derived:
    """Return what the checkpoints of a scope, in order, amount to.

    Args:
        steps: all checkpoints; step n has revision n + 1.
        imported: up to this revision they do not move the pointer.
        imported_pointer: where they leave it.
    """
    walk = _walked(steps, imported, imported_pointer)
    lineage = _chain(steps, walk.pointer)
    settled = _settled(steps, lineage)
    view, _ = fold(EMPTY, _changes(steps, lineage))
    lines = tuple(_lines(steps, walk, frozenset(lineage)))
    return Derived(
        _standing(steps, walk, lineage, view, lines, settled),
        walk.outcomes,
        lineage,
        view.values,
        lines,
        walk.retirements,
        settled,
    )


def _walked(steps: Sequence[Step], imported: int, imported_pointer: int) -> _Walk:
    walk = _Walk()
    for step in steps:
        if step.revision > imported:
            walk.step(step)
            continue
        walk.branch(step)
        if step.revision == imported and imported_pointer:
            walk.pointer = imported_pointer
            walk.mark(imported, ("fact", "loop", "decision"))
    return walk


def _chain(
    steps: Sequence[Step], revision: int, lineage: Collection[int] = ()
) -> list[int]:
    """Return a revision and its ancestors off `lineage`, oldest first."""
    found = []
    while revision and revision not in lineage:
        found.append(revision)
        revision = steps[revision - 1].parent
    return found[::-1]


def _changes(
    steps: Sequence[Step], revisions: Iterable[int]
) -> Iterator[tuple[Key, Version]]:
    return (change for r in revisions for change in steps[r - 1].changes)


def _settled(steps: Sequence[Step], lineage: Iterable[int]) -> set[Tag]:
    return {tag for revision in lineage for tag in steps[revision - 1].settled}


def _lines(
    steps: Sequence[Step], walk: _Walk, lineage: frozenset[int]
) -> Iterator[DerivedLine]:
    parents = {step.parent for step in steps}
    tainted = _tainted(steps, walk.retirements)
    for step in steps:
        if step.revision in parents or step.revision == walk.pointer:
            continue
        chain = _chain(steps, step.revision, lineage)
        changes = (
            (key, Version(version.revision, version.ordinal))
            for key, version in _changes(steps, chain)
            if key[0] != "decision"
        )
        view, _ = fold(EMPTY, changes)
        yield DerivedLine(
            step.revision,
            steps[chain[0] - 1].parent,
            walk.retirements.get(step.revision, 0),
            step.revision in tainted,
            view.values,
        )


def _tainted(steps: Sequence[Step], retired: Collection[int]) -> set[int]:
    """Return the revisions with a retired ancestor."""
    found: set[int] = set()
    for step in steps:
        if step.parent in retired or step.parent in found:
            found.add(step.revision)
    return found


def _standing(
    steps: Sequence[Step],
    walk: _Walk,
    lineage: Sequence[int],
    view: View,
    lines: Sequence[DerivedLine],
    settled: Collection[Tag],
) -> Standing:
    divergent = {
        (*key, version.revision)
        for line in lines
        for key, version in line.values.items()
    }
    retired_on_it = [revision for revision in lineage if revision in walk.retirements]
    live = sum(not line.retired for line in lines)
    return Standing(
        revisions=len(steps),
        pointer=walk.pointer,
        live=live + bool(walk.pointer),
        retired=len(walk.retirements),
        facts=view.totals.get("fact", 0),
        loops=view.totals.get("loop", 0),
        decisions=view.totals.get("decision", 0),
        unresolved=len(divergent - set(settled)),
        resolved=len(divergent & set(settled)),
        first_retired=min(retired_on_it, default=0),
        **walk.marks,
    )
