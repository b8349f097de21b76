"""Named subjects, what was observed about them, and how they relate."""

from __future__ import annotations

import enum
from datetime import datetime
from typing import TYPE_CHECKING, Any, final

import attrs

from hythe.model.answers import WriteWarning
from hythe.model.work import short

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Current(enum.Enum):
    """The type of `CURRENT`."""

    CURRENT = "replace-current"

    def __repr__(self) -> str:
        return "CURRENT"

    __str__ = __repr__


CURRENT = _Current.CURRENT
"""Stands for the observation that is current when the write happens."""


@final
@attrs.frozen
class Entity:
    """A named subject.

    `definition` says what the thing is, as written at creation: a snapshot, never a
    feed of its state; `snapshot` labels it so in JSON. `created` tells whether the
    call made it, and is no part of equality.
    """

    id: str
    name: str
    kind: str | None = None
    aliases: tuple[str, ...] = ()
    definition: str | None = None
    snapshot: bool = attrs.field(default=True, init=False, eq=False, repr=False)
    author: str | None = None
    recorded_at: datetime | None = None
    proven: bool = False
    created: bool | None = attrs.field(default=None, eq=False, kw_only=True)
    warnings: tuple[WriteWarning, ...] = attrs.field(default=(), eq=False, kw_only=True)

    def __repr__(self) -> str:
        kind = f", {self.kind}" if self.kind else ""
        return f"<Entity {short(self.name)}{kind}>"


@final
@attrs.frozen
class Observation:
    """One immutable statement about an entity.

    `sequence` orders the observations of one entity. `supersedes` are the ids this
    one corrects, `superseded_by` the newest that corrects it when it was read.
    """

    id: str
    entity: str
    text: str
    author: str
    recorded_at: datetime
    sequence: int
    kind: str | None = None
    evidence: tuple[str, ...] = ()
    metadata: dict[str, Any] = attrs.field(factory=dict, hash=False)
    proven: bool = False
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = attrs.field(default=None, eq=False, kw_only=True)
    replayed: bool = attrs.field(default=False, eq=False, kw_only=True)
    warnings: tuple[WriteWarning, ...] = attrs.field(default=(), eq=False, kw_only=True)

    def __repr__(self) -> str:
        words = f"{short(self.entity)}: {short(self.text)}"
        return f"<Observation {self.sequence} of {words} by {self.author}>"


@final
@attrs.frozen
class Current:
    """The current observation of an entity, and whatever disagrees with it.

    `observation` is None when none was recorded; the whole is then false. `also_live`
    holds the newest 20 others that nothing supersedes, `also_live_count` counts all.
    """

    entity: str
    observation: Observation | None
    also_live: Sequence[Observation] = ()
    also_live_count: int = 0

    def __bool__(self) -> bool:
        return self.observation is not None

    def __repr__(self) -> str:
        if self.observation is None:
            return f"<Current of {short(self.entity)}: none>"
        others = f", {self.also_live_count} more live" if self.also_live_count else ""
        return (
            f"<Current of {short(self.entity)}: {short(self.observation.text)}{others}>"
        )


@final
@attrs.frozen
class Relation:
    """A typed edge between two entities, read `source` `type` `target`."""

    id: str
    source: str
    type: str
    target: str
    evidence: tuple[str, ...] = ()
    author: str | None = None
    recorded_at: datetime | None = None
    proven: bool = False
    replayed: bool = attrs.field(default=False, eq=False, kw_only=True)
    warnings: tuple[WriteWarning, ...] = attrs.field(default=(), eq=False, kw_only=True)

    def __repr__(self) -> str:
        ends = f"{short(self.source)} {self.type} {short(self.target)}"
        return f"<Relation {ends}>"
