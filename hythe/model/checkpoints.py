"""What a scope answers: checkpoints, heads, divergent values, plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, final, overload

import attrs

from hythe.model._convert import utc
from hythe.model.answers import Page, WriteWarning
from hythe.model.work import (
    Decision,
    Event,
    Fact,
    Kind,
    Loop,
    Resolution,
    State,
    short,
)

Operation = Literal["write", "record", "patch", "reconcile"]
Outcome = Literal["advanced", "branched", "reconciled"]


@final
@attrs.frozen
class ScopeName:
    """An exact project, task, or project and task."""

    project: str | None = None
    task: str | None = None

    def __str__(self) -> str:
        return " / ".join(part for part in (self.project, self.task) if part)

    def __repr__(self) -> str:
        return f"<ScopeName project={self.project!r} task={self.task!r}>"


@final
@attrs.frozen
class Changes(Sequence[str]):
    """The ids that the call gave to new facts and loops, facts first."""

    facts: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return (self.facts + self.loops)[index]

    def __len__(self) -> int:
        return len(self.facts) + len(self.loops)

    def __repr__(self) -> str:
        return f"<Changes facts={len(self.facts)} loops={len(self.loops)}>"


@final
@attrs.frozen
class Reconciliation:
    """What a reconcile named and decided; checkpoints by id."""

    reason: str
    heads: tuple[str, ...]
    pointer: str | None
    settled: tuple[Settled, ...] = ()

    def __repr__(self) -> str:
        counts = f"{len(self.heads)} heads, {len(self.settled)} settled"
        return f"<Reconciliation {short(self.reason)}, {counts}>"


@final
@attrs.frozen
class Settled:
    """One version that a reconcile decided; `checkpoint` None is a legacy value."""

    kind: Kind
    id: str
    checkpoint: str | None
    decision: Decision

    def __repr__(self) -> str:
        return f"<Settled {self.decision} {self.kind} {short(self.id)}>"


@final
@attrs.frozen
class Checkpoint:
    """One immutable step of a scope.

    `facts` and `loops` are the versions written here, with their ids; `changes` are
    the ids that were new. `outcome` and `replayed` say what the call did, `warnings`
    what it noticed: none of them is part of equality.
    """

    id: str
    scope: ScopeName
    revision: int
    parent: str | None
    operation: Operation
    author: str
    proven: bool
    recorded_at: datetime
    state: State
    content_hash: str
    seal: str
    events: tuple[Event, ...] = ()
    facts: tuple[Fact, ...] = ()
    loops: tuple[Loop, ...] = ()
    evidence: tuple[str, ...] = ()
    reconciliation: Reconciliation | None = None
    changes: Changes = Changes()
    outcome: Outcome | None = attrs.field(default=None, eq=False, kw_only=True)
    replayed: bool = attrs.field(default=False, eq=False, kw_only=True)
    warnings: tuple[WriteWarning, ...] = attrs.field(default=(), eq=False, kw_only=True)

    def __repr__(self) -> str:
        done = f"{self.operation} {self.outcome}" if self.outcome else self.operation
        again = ", replayed" if self.replayed else ""
        return f"<Checkpoint r{self.revision} of {self.scope}: {done}{again}>"

    def _repr_html_(self) -> str:
        from hythe._views import checkpoint_html

        return checkpoint_html(self)


@final
@attrs.frozen
class History(Page[Checkpoint]):
    """A page of checkpoints, and what is special about them; all by id.

    `heads` are those of the page that are live, `retired` those a reconcile retired.
    """

    pointer: str | None = None
    heads: frozenset[str] = frozenset()
    retired: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        more = ", more" if self.next else ""
        return f"<History {len(self)} checkpoints, {len(self.heads)} live{more}>"

    def _repr_html_(self) -> str:
        from hythe._views import history_html

        return history_html(self)


@final
@attrs.frozen
class Head:
    """A live checkpoint: no child, not retired.

    `parent_retired` means that a retired checkpoint is among its ancestors, so that
    a reconcile with it as survivor asks for `acknowledge_retired`.
    """

    id: str
    revision: int
    author: str
    recorded_at: datetime = attrs.field(converter=utc)
    current: bool = False
    parent_retired: bool = False

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Head:
        """Read a head from the details of a fault."""
        return cls(**data)

    def __repr__(self) -> str:
        mark = ", current" if self.current else ""
        return f"<Head r{self.revision} by {self.author}{mark}>"


@final
@attrs.frozen
class Owed:
    """One version that a reconcile has to accept or reject.

    `heads` are the ids of the childless checkpoints whose lineages hold it; empty
    when it lies on the survivor's own lineage and was rejected elsewhere.
    """

    kind: Kind
    id: str
    checkpoint: str
    revision: int
    value: Fact | Loop
    heads: tuple[str, ...] = ()

    def accept(self) -> Resolution:
        """Make the resolution that takes this version over."""
        return self._decided("accept")

    def reject(self) -> Resolution:
        """Make the resolution that keeps the survivor's value."""
        return self._decided("reject")

    def _decided(self, decision: Decision) -> Resolution:
        return Resolution(self.kind, self.id, self.checkpoint, decision)

    def __repr__(self) -> str:
        return f"<Owed {self.kind} {short(self.id)} of r{self.revision}>"


@final
@attrs.frozen
class Divergent:
    """A value off the accepted lineage; `settled` tells what a reconcile decided."""

    kind: Kind
    id: str
    value: Fact | Loop
    checkpoint: str
    revision: int
    author: str
    head: str
    settled: Decision | None = None

    def __repr__(self) -> str:
        state = self.settled or "unresolved"
        return f"<Divergent {self.kind} {short(self.id)} of r{self.revision}, {state}>"


@final
@attrs.frozen
class Plan:
    """What a reconcile onto `survivor` would have to settle.

    `differing` maps a state field to its value under each head's id. `request` holds
    the arguments of that reconcile, without decisions.
    """

    scope: ScopeName
    heads: tuple[Head, ...]
    pointer: str | None
    survivor: str
    owed: tuple[Owed, ...]
    differing: dict[str, dict[str, Any]]
    needs_acknowledgement: bool
    request: dict[str, Any]

    def __repr__(self) -> str:
        counts = f"{len(self.heads)} heads, {len(self.owed)} owed"
        return f"<Plan {self.scope}: {counts}, {len(self.differing)} fields differ>"

    def _repr_html_(self) -> str:
        from hythe._views import plan_html

        return plan_html(self)
