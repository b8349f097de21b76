"""What a reconcile owes, and how its resolutions settle it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import final

import attrs

from hsum._kernel.faults import Fault
from hythe.checkpoint.view import Key, Version
from hythe.model import Decision

__all__ = ["Debt", "Resolved", "Tag", "owed", "regrown", "settle"]

Tag = tuple[str, str, int]
"""Kind, id and revision: exactly one version; revision 0 is a legacy value."""


@final
@attrs.frozen
class Debt:
    """One owed version, and the tips of the divergent lineages that hold it."""

    kind: str
    id: str
    version: Version
    tips: tuple[int, ...] = ()

    @property
    def tag(self) -> Tag:
        """Exactly this version."""
        return self.kind, self.id, self.version.revision


def regrown(
    chain: Sequence[int], meets: int, *, old: Sequence[int], new: Container[int]
) -> list[int]:
    """Return a divergent lineage as seen from another accepted lineage.

    Args:
        chain: its revisions off the old accepted lineage, oldest first.
        meets: where it leaves the old accepted lineage; 0 for nowhere.
        old: what only the old accepted lineage has, oldest first.
        new: what only the new one has.
    """
    kept = [revision for revision in chain if revision not in new]
    shares = len(kept) < len(chain)
    return kept if shares else [r for r in old if r <= meets] + kept


def owed(
    lines: Mapping[int, Mapping[Key, Version]],
    *,
    settled: Container[Tag],
    rejected: Iterable[tuple[Key, Version]],
) -> dict[Tag, Debt]:
    """Return every version a reconcile must decide, in order of revision.

    Args:
        lines: the values of each divergent lineage, by its tip.
        settled: versions that a reconcile on the survivor's lineage decided.
        rejected: versions on the survivor's lineage that a reconcile off it rejected.
    """
    tips: dict[tuple[Key, Version], list[int]] = {}
    for tip, values in lines.items():
        for item in values.items():
            tips.setdefault(item, []).append(tip)
    for item in rejected:
        tips.setdefault(item, [])
    debts = (
        Debt(*key, version, tuple(sorted(found)))
        for (key, version), found in tips.items()
    )
    due = [debt for debt in debts if debt.tag not in settled]
    due.sort(key=lambda debt: (debt.version.revision, debt.kind, debt.version.ordinal))
    return {debt.tag: debt for debt in due}


@final
@attrs.frozen
class Resolved:
    """The decisions of a reconcile, by version, and what is still owed."""

    decisions: Mapping[Tag, Decision]
    left: tuple[Debt, ...]


def settle(
    debts: Mapping[Tag, Debt],
    resolutions: Iterable[tuple[Tag, Decision]],
    *,
    reject_lineages: Container[int],
    fresh: Container[Key],
) -> Resolved:
    """Decide what is owed; an explicit resolution wins over a rejected lineage.

    Args:
        debts: what is owed, legacy values among it with revision 0.
        resolutions: the explicit decisions.
        reject_lineages: tips whose owed versions are all rejected.
        fresh: what the same call states anew.

    Raises:
        Fault: `INVALID_ARGUMENT` for what is not owed, `DUPLICATE_ID` for two
            decisions or two values of one id.
    """
    explicit = _explicit(debts, resolutions)
    _check_single(explicit, fresh)
    decisions = dict(explicit)
    for tag, debt in debts.items():
        if tag not in decisions and any(tip in reject_lineages for tip in debt.tips):
            decisions[tag] = "reject"
    left = (debt for tag, debt in debts.items() if tag not in decisions)
    return Resolved(decisions, tuple(debt for debt in left if debt.version.revision))


def _explicit(
    debts: Mapping[Tag, Debt], resolutions: Iterable[tuple[Tag, Decision]]
) -> dict[Tag, Decision]:
    found: dict[Tag, Decision] = {}
    for tag, decision in resolutions:
        if tag not in debts:
            raise _not_owed(tag)
        if found.setdefault(tag, decision) != decision:
            raise _twice(tag[0], tag[1], "both accepts and rejects one version of")
    return found


def _check_single(decisions: Mapping[Tag, Decision], fresh: Container[Key]) -> None:
    accepted: set[Key] = set()
    for (kind, name, _), decision in decisions.items():
        if decision != "accept":
            continue
        if (kind, name) in accepted:
            raise _twice(kind, name, "accepts two versions of")
        if (kind, name) in fresh:
            raise _twice(kind, name, "accepts a version of, and states anew,")
        accepted.add((kind, name))


def _twice(kind: str, name: str, does: str) -> Fault:
    return Fault(
        "DUPLICATE_ID",
        f"the reconcile {does} the {kind} {name}",
        hint="Decide each id once: accept one version, or state a fresh value.",
        details={"kind": kind, "id": name},
    )


def _not_owed(tag: Tag) -> Fault:
    kind, name, revision = tag
    which = f"version of revision {revision}" if revision else "legacy value"
    return Fault(
        "INVALID_ARGUMENT",
        f"no {which} of the {kind} {name} is owed",
        hint="plan_reconcile lists what is owed.",
        details={"kind": kind, "id": name, "revision": revision or None},
    )
