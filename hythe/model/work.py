"""What agents hand in: state, events, facts, loops and decisions about them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, final

import attrs

from hythe.model._convert import items, references, utc

Kind = Literal["fact", "loop"]
FactStatus = Literal["asserted", "verified", "disputed", "superseded"]
LoopStatus = Literal["open", "blocked", "closed"]
Decision = Literal["accept", "reject"]


@final
@attrs.frozen
class Provenance:
    """Where an accepted value was written.

    `ordinal` counts from 0 within the changes of that kind in the checkpoint.
    `accepted_from` is the id of the checkpoint on another lineage whose version a
    reconcile accepted.
    """

    checkpoint: str
    revision: int
    author: str
    ordinal: int
    accepted_from: str | None = None

    def __repr__(self) -> str:
        return f"<Provenance r{self.revision}[{self.ordinal}] by {self.author}>"


@final
@attrs.frozen
class State:
    """The working state of a scope, always stated whole."""

    objective: str
    status: str
    owner: str
    next_actions: tuple[str, ...] = attrs.field(default=(), converter=items)
    blockers: tuple[str, ...] = attrs.field(default=(), converter=items)
    guardrails: tuple[str, ...] = attrs.field(default=(), converter=items)

    def __repr__(self) -> str:
        return f"<State {short(self.objective)}, {short(self.status)}>"


@final
@attrs.frozen
class Event:
    """Something that happened; those of kind `decision` show up in `resume`."""

    kind: str
    summary: str
    at: datetime | None = attrs.field(default=None, converter=utc, kw_only=True)

    def __repr__(self) -> str:
        return f"<Event {self.kind}: {short(self.summary)}>"


@final
@attrs.frozen
class Fact:
    """A claim: subject, predicate, object.

    Without an `id` it is a new fact; with one it states the whole new value of that
    fact. `effective_at` is never invented. `provenance` is set on values that were
    read, and is no part of equality.
    """

    subject: str
    predicate: str
    object: str
    id: str | None = attrs.field(default=None, kw_only=True)
    status: FactStatus = attrs.field(default="asserted", kw_only=True)
    evidence: tuple[str, ...] = attrs.field(
        default=(), converter=references, kw_only=True
    )
    sources: tuple[str, ...] = attrs.field(
        default=(), converter=references, kw_only=True
    )
    effective_at: datetime | None = attrs.field(
        default=None, converter=utc, kw_only=True
    )
    contradicts: tuple[str, ...] = attrs.field(
        default=(), converter=items, kw_only=True
    )
    provenance: Provenance | None = attrs.field(default=None, eq=False, kw_only=True)

    def but(self, **changes: Any) -> Fact:
        """Make the change that states this fact anew with some fields different."""
        return attrs.evolve(self, provenance=None, **changes)

    def __repr__(self) -> str:
        words = f"{self.subject} {self.predicate} {self.object}"
        return f"<Fact {short(words)}, {self.status}{_source(self.provenance)}>"


@final
@attrs.frozen
class Loop:
    """An open question or task.

    Closing one needs an `outcome`. An omitted `owner` is kept, and on a new loop it
    is the author. `provenance` is no part of equality.
    """

    next_action: str
    id: str | None = attrs.field(default=None, kw_only=True)
    status: LoopStatus = attrs.field(default="open", kw_only=True)
    owner: str | None = attrs.field(default=None, kw_only=True)
    due_at: datetime | None = attrs.field(default=None, converter=utc, kw_only=True)
    blocked_on: str | None = attrs.field(default=None, kw_only=True)
    outcome: str | None = attrs.field(default=None, kw_only=True)
    provenance: Provenance | None = attrs.field(default=None, eq=False, kw_only=True)

    def but(self, **changes: Any) -> Loop:
        """Make the change that states this loop anew with some fields different."""
        return attrs.evolve(self, provenance=None, **changes)

    def close(self, outcome: str) -> Loop:
        """Make the change that closes this loop with its outcome."""
        return self.but(status="closed", outcome=outcome)

    def __repr__(self) -> str:
        action = short(self.next_action)
        return f"<Loop {action}, {self.status}{_source(self.provenance)}>"


@final
@attrs.frozen
class Resolution:
    """What a reconcile decides about one owed version.

    `checkpoint` names the checkpoint that holds the version; None names a legacy
    value, which can only be rejected.
    """

    kind: Kind
    id: str
    checkpoint: Any
    decision: Decision

    def __repr__(self) -> str:
        return f"<Resolution {self.decision} {self.kind} {short(self.id)}>"


def short(text: object, limit: int = 40) -> str:
    """Quote the beginning of a text on one line."""
    whole = str(text)
    return repr(whole if len(whole) <= limit else f"{whole[: limit - 1]}…")


def _source(provenance: Provenance | None) -> str:
    return f" r{provenance.revision}" if provenance else ""
