"""What `resume` answers: the sections, and an envelope that says what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, final

import attrs

from hythe.model.work import short

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from hythe.model import Divergent, Fact, Head, Loop, Provenance, ScopeName, State
    from hythe.resume.coverage import Coverage
    from hythe.resume.sections import Oversize

__all__ = [
    "AsOf",
    "Definition",
    "LegacyValue",
    "RecordedDecision",
    "Resume",
    "Selection",
]

Selection = Literal["empty-scope", "pointer", "max-revision", "invalid"]


@final
@attrs.frozen
class Definition:
    """What an entity of the scope is, as written at its creation: never its state."""

    name: str
    definition: str | None
    snapshot: bool = True

    def __repr__(self) -> str:
        return f"<Definition {short(self.name)}>"


@final
@attrs.frozen
class RecordedDecision:
    """A decision that was recorded on the accepted lineage."""

    summary: str
    at: datetime | None
    provenance: Provenance | None

    def __repr__(self) -> str:
        return f"<Decision {short(self.summary)}>"


@final
@attrs.frozen
class LegacyValue:
    """An imported value without lineage."""

    kind: str
    id: str
    value: Fact | Loop

    def __repr__(self) -> str:
        return f"<LegacyValue {self.kind} {short(self.id)}>"


@final
@attrs.frozen
class AsOf:
    """What the answer stands on.

    `age` is in whole seconds since the checkpoint was recorded. `divergent_heads` are
    live but the pointed one; `retired_heads` counts all that were ever retired.
    """

    checkpoint: str | None = None
    revision: int | None = None
    age: int | None = None
    selection: Selection = "empty-scope"
    pointer_reason: str | None = None
    live_heads: int = 0
    divergent_heads: int = 0
    retired_heads: int = 0
    divergent_values: int = 0
    resolved_values: int = 0
    stale_evidence: int = 0
    unchecked_evidence: int = 0

    def __repr__(self) -> str:
        return f"<AsOf r{self.revision}, {self.selection}>"


@final
@attrs.frozen
class Resume:
    """Working context, rebuilt under a budget; `str` is the text to hand to an agent.

    `oversize` are the values no page of this budget can hold; `next` continues the
    sections that did not fit.
    `evidence` ends with the handle of the checkpoint's snapshot. `tokens` is the cost of the greater of `str(self)` and the compact wire JSON.
    """

    scope: ScopeName
    agent: str
    as_of: AsOf
    coverage: Mapping[str, Coverage]
    definition: tuple[Definition, ...] = ()
    working: State | None = None
    heads: tuple[Head, ...] = ()
    open_loops: tuple[Loop, ...] = ()
    handoffs: tuple[Any, ...] = ()
    messages: tuple[Any, ...] = ()
    current_facts: tuple[Fact, ...] = ()
    decisions: tuple[RecordedDecision, ...] = ()
    evidence: tuple[str, ...] = ()
    divergent_values: tuple[Divergent, ...] = ()
    legacy_values: tuple[LegacyValue, ...] = ()
    oversize: tuple[Oversize, ...] = ()
    next: str | None = None
    result_version: int = 3
    tokens: int = attrs.field(default=0, eq=False)

    @property
    def complete(self) -> bool:
        """Whether every section is here whole."""
        return all(coverage.complete for coverage in self.coverage.values())

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON data that clients know, the one the budget was counted over."""
        from hythe.resume.wire import wire

        return wire(self)

    def __str__(self) -> str:
        from hythe.resume.text import text

        return text(self)

    def __repr__(self) -> str:
        left = [name for name, part in self.coverage.items() if not part.complete]
        state = f"without all of {', '.join(left)}" if left else "complete"
        return f"<Resume {short(self.scope)} r{self.as_of.revision}, {self.tokens:,} tokens, {state}>"

    def _repr_html_(self) -> str:
        from hythe.resume._views import resume_html

        return resume_html(self)
