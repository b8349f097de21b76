"""A scope as plain lists and sets: slow, obvious, and the judge of the real one.

Nothing here is shared with the store: every question is answered from the graph of
checkpoints anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import attrs

__all__ = ["Decided", "Key", "Node", "Oracle", "Refusal", "Tag"]

Key = tuple[str, str]
"""Kind and id."""

Tag = tuple[str, str, int]
"""Kind, id and revision of one version."""


class Refusal(NamedTuple):
    """What a call is refused with; `reasons` only for a conflict."""

    code: str
    reasons: frozenset[str] = frozenset()


class Decided(NamedTuple):
    """What a call that succeeds does."""

    outcome: str


@attrs.frozen
class Node:
    """One checkpoint: values by key, and what it settled if it was a reconcile."""

    revision: int
    parent: int | None
    values: dict[Key, Any]
    is_reconcile: bool = False
    settled: dict[Tag, str] = attrs.field(factory=dict)


@attrs.define
class Oracle:
    """The laws of one scope, from its graph alone."""

    nodes: dict[int, Node] = attrs.field(factory=dict)
    pointer: int | None = None
    retired: set[int] = attrs.field(factory=set)

    # --- questions ----------------------------------------------------------------

    def lineage(self, revision: int | None) -> list[int]:
        """Return a checkpoint and its ancestors, oldest first."""
        found = []
        while revision is not None:
            found.append(revision)
            revision = self.nodes[revision].parent
        return found[::-1]

    def childless(self) -> set[int]:
        """Return the checkpoints without a child."""
        return set(self.nodes) - {node.parent for node in self.nodes.values()}

    def live(self) -> set[int]:
        """Return the live heads."""
        return self.childless() - self.retired

    def newest(self, revisions: Iterable[int]) -> dict[Key, int]:
        """Return the newest revision of each value among some, oldest first."""
        return {key: r for r in revisions for key in self.nodes[r].values}

    def accepted(self) -> dict[Key, int]:
        """Return the revision that holds each accepted value."""
        return self.newest(self.lineage(self.pointer))

    def diverging(self, survivor: int | None) -> dict[int, dict[Key, int]]:
        """Return the values of each divergent lineage, by its end."""
        own = set(self.lineage(survivor))
        return {
            end: self.newest(r for r in self.lineage(end) if r not in own)
            for end in self.childless() - {survivor}
        }

    def settled(self, survivor: int | None) -> set[Tag]:
        """Return the versions that reconciles on a lineage decided."""
        return {tag for r in self.lineage(survivor) for tag in self.nodes[r].settled}

    def divergent(self) -> dict[Tag, bool]:
        """Return each divergent version, and whether it is settled."""
        settled = self.settled(self.pointer)
        return {
            (*key, revision): (*key, revision) in settled
            for values in self.diverging(self.pointer).values()
            for key, revision in values.items()
        }

    def owed(self, survivor: int) -> dict[Tag, set[int]]:
        """Return each owed version, with the ends of the lineages that hold it."""
        found: dict[Tag, set[int]] = {}
        for end, values in self.diverging(survivor).items():
            for key, revision in values.items():
                found.setdefault((*key, revision), set()).add(end)
        own = set(self.lineage(survivor))
        for node in self.nodes.values():
            for tag, decision in node.settled.items():
                if decision == "reject" and node.revision not in own and tag[2] in own:
                    found.setdefault(tag, set())
        settled = self.settled(survivor)
        return {tag: ends for tag, ends in found.items() if tag not in settled}

    # --- the table of operations --------------------------------------------------

    def append(
        self,
        operation: str,
        parent: int | None,
        changed: Collection[Key],
        *,
        acknowledge: bool = False,
    ) -> Refusal | Decided:
        """Say what a write, record or patch must do; None names no parent."""
        follows = operation != "write"
        if not self.nodes:
            return self._first(parent, changed, follows=follows)
        if parent is None:
            return Refusal("CONFLICT", frozenset({"scope-not-empty"}))
        if parent not in self.nodes:
            return Refusal("CONFLICT", frozenset({"unknown-parent"}))
        if follows and parent != self.pointer:
            return Refusal("CONFLICT", frozenset({"not-current"}))
        if parent in self.retired and not acknowledge:
            return Refusal("PARENT_RETIRED")
        known = self.newest(self.lineage(parent))
        return _unknown(changed, known) or Decided(
            "advanced" if parent == self.pointer else "branched"
        )

    def _first(
        self, parent: int | None, changed: Collection[Key], *, follows: bool
    ) -> Refusal | Decided:
        if follows or parent is not None:
            return Refusal("SCOPE_UNKNOWN")
        return _unknown(changed, {}) or Decided("advanced")

    def reconcile(
        self,
        *,
        heads: Collection[int],
        pointer: int | None,
        survivor: int,
        decisions: dict[Tag, str],
        rejected_ends: Collection[int] = (),
        changed: Collection[Key] = (),
        acknowledge: bool = False,
    ) -> Refusal | Decided:
        """Say what a reconcile must do."""
        reasons = {
            "heads-changed": set(heads) != self.live(),
            "pointer-changed": pointer != self.pointer,
        }
        if any(reasons.values()):
            return Refusal("CONFLICT", frozenset(r for r, so in reasons.items() if so))
        if survivor not in heads:
            return Refusal("INVALID_ARGUMENT")
        if self.retired & set(self.lineage(survivor)) and not acknowledge:
            return Refusal("PARENT_RETIRED")
        owed = self.owed(survivor)
        known = self.newest(self.lineage(survivor)) | {tag[:2]: 0 for tag in owed}
        unknown = _unknown(changed, known)
        if unknown:
            return unknown
        if set(decisions) - set(owed):
            return Refusal("INVALID_ARGUMENT")
        if _is_doubled(decisions, changed):
            return Refusal("DUPLICATE_ID")
        left = set(owed) - set(self.decided(owed, decisions, rejected_ends))
        return Refusal("RECONCILE_UNRESOLVED") if left else Decided("reconciled")

    def decided(
        self,
        owed: dict[Tag, set[int]],
        decisions: dict[Tag, str],
        rejected_ends: Collection[int],
    ) -> dict[Tag, str]:
        """Return every decision; an explicit one wins over a rejected lineage."""
        rejected = {
            tag: "reject" for tag, ends in owed.items() if ends & {*rejected_ends}
        }
        return {**rejected, **decisions}

    # --- what happened ------------------------------------------------------------

    def add(self, node: Node, outcome: str) -> None:
        """Take in a checkpoint that was written."""
        if outcome == "reconciled":
            self.retired |= self.live() - {node.parent}
        self.nodes[node.revision] = node
        if outcome != "branched":
            self.pointer = node.revision


def _unknown(changed: Collection[Key], known: Collection[Key]) -> Refusal | None:
    for kind, name in sorted(changed):
        if (kind, name) not in known:
            return Refusal(f"{kind.upper()}_UNKNOWN")
    return None


def _is_doubled(decisions: dict[Tag, str], changed: Collection[Key]) -> bool:
    accepted = [tag[:2] for tag, choice in decisions.items() if choice == "accept"]
    return len(accepted) != len({*accepted}) or bool({*accepted} & {*changed})
