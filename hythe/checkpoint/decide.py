"""Whether a write advances, branches or conflicts: the table of operations."""

from __future__ import annotations

from collections.abc import Collection
from typing import final

import attrs

from hsum._kernel.faults import Fault
from hythe.model import Operation, Outcome

__all__ = ["Parent", "Refused", "Standing", "decide", "decide_reconcile"]


@final
@attrs.frozen
class Standing:
    """Where a scope stands; revision 0 is none.

    Attributes:
        revisions: the newest revision.
        pointer: the accepted checkpoint.
        live: how many checkpoints have no child and are not retired.
        retired: how many were ever retired.
        facts: how many accepted facts are not superseded.
        loops: how many accepted loops are open or blocked.
        decisions: how many decisions the accepted lineage has.
        unresolved: how many divergent values no reconcile has settled.
        resolved: how many divergent values are settled.
        first_retired: the oldest retired revision on the accepted lineage.
        facts_at: the revision that last changed the accepted facts.
        loops_at: the same of the loops.
        decisions_at: the same of the decisions.
        divergent_at: the same of the divergent values.
    """

    revisions: int = 0
    pointer: int = 0
    live: int = 0
    retired: int = 0
    facts: int = 0
    loops: int = 0
    decisions: int = 0
    unresolved: int = 0
    resolved: int = 0
    first_retired: int = 0
    facts_at: int = 0
    loops_at: int = 0
    decisions_at: int = 0
    divergent_at: int = 0


@final
@attrs.frozen
class Parent:
    """An existing checkpoint that a write names as its parent."""

    revision: int
    retired: bool = False


@final
@attrs.frozen
class Refused:
    """A conflict, with all the reasons that hold."""

    reasons: tuple[str, ...]


def decide(
    operation: Operation,
    standing: Standing,
    *,
    named: bool,
    parent: Parent | None,
    acknowledge_retired: bool,
) -> Outcome | Refused:
    """Decide a write, record or patch.

    Args:
        operation: which of them.
        standing: where the scope stands.
        named: whether the call names a parent.
        parent: the parent, or None if none is named or the named one is unknown.
        acknowledge_retired: whether the call may build on a retired checkpoint.

    Raises:
        Fault: `SCOPE_EMPTY`, `PARENT_RETIRED`.
    """
    if not standing.revisions and not named:
        return _first(operation)
    reasons = _reasons(operation, standing, named=named, parent=parent)
    if reasons or parent is None:
        return Refused(reasons)
    if parent.retired and not acknowledge_retired:
        raise retired_fault(parent.revision)
    return "advanced" if parent.revision == standing.pointer else "branched"


def _first(operation: Operation) -> Outcome:
    if operation == "write":
        return "advanced"
    raise Fault("SCOPE_EMPTY", f"a {operation} needs a checkpoint to build on")


def _reasons(
    operation: Operation, standing: Standing, *, named: bool, parent: Parent | None
) -> tuple[str, ...]:
    follows = operation != "write"
    holds = {
        "not-current": follows
        and parent is not None
        and standing.pointer not in (0, parent.revision),
        "unknown-parent": named and parent is None,
        "scope-not-empty": not named,
        "undesignated": follows and standing.revisions > 0 and not standing.pointer,
    }
    return tuple(reason for reason, is_so in holds.items() if is_so)


def decide_reconcile(
    standing: Standing,
    *,
    live: Collection[int],
    heads: Collection[int | None],
    pointer: int | None,
    survivor: int | None,
) -> Refused | None:
    """Check what a reconcile names against the scope; None in a place is unknown.

    `pointer` 0 says that the call names none.

    Raises:
        Fault: `INVALID_ARGUMENT` for a survivor that is none of the heads.
    """
    holds = {
        "unknown-parent": survivor is None,
        "heads-changed": set(heads) != set(live),
        "pointer-changed": pointer != standing.pointer,
    }
    reasons = tuple(reason for reason, is_so in holds.items() if is_so)
    if reasons:
        return Refused(reasons)
    if survivor not in heads:
        raise Fault(
            "INVALID_ARGUMENT",
            "the survivor is none of the heads",
            details={"path": "$.survivor"},
        )
    return None


def retired_fault(revision: int, what: str = "is retired") -> Fault:
    """Return the refusal to build on what was retired without saying so."""
    return Fault(
        "PARENT_RETIRED",
        f"revision {revision} {what}",
        details={"revision": revision, "argument": "acknowledge_retired"},
    )
