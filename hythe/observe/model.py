"""What questions about entities are answered with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, final

import attrs

from hythe.model import Current, Entity, Observation, Page, Relation

__all__ = [
    "EntityDetail",
    "Hit",
    "Hits",
    "Late",
    "Near",
    "Neighborhood",
    "Related",
    "RelatedItem",
]


@final
class Late(Sequence[Observation]):
    """Observations that are read when they are first looked at.

    Rows never change, so that they are the same whenever that is. Reading twenty
    of them takes several times as long as the one that is asked for most.
    """

    __slots__ = ("_count", "_load", "_loaded")

    def __init__(self, count: int, load: Callable[[], tuple[Observation, ...]]) -> None:
        self._count = count
        self._load = load
        self._loaded: tuple[Observation, ...] | None = None

    def _items(self) -> tuple[Observation, ...]:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def __getitem__(self, index: Any) -> Any:
        return self._items()[index]

    def __len__(self) -> int:
        return self._count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Late, tuple)) and self._items() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._items())

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self._items(),)

    def __repr__(self) -> str:
        return repr(self._items())


@final
@attrs.frozen
class Near:
    """An entity of a neighborhood, and the ids of the relations that lead to it."""

    entity: Entity
    hops: int
    path: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Near {self.entity.name!r}, {self.hops} hops>"


@final
@attrs.frozen
class Neighborhood:
    """What lies around an entity, nearest first.

    `left_out` counts the relations of the entities walked through that the limit
    left out.
    """

    entity: Entity
    hops: int
    near: tuple[Near, ...]
    relations: tuple[Relation, ...]
    left_out: int

    @property
    def complete(self) -> bool:
        """Whether nothing within the hops was left out."""
        return self.left_out == 0

    def __repr__(self) -> str:
        counts = f"{len(self.near)} entities, {len(self.relations)} relations"
        return f"<Neighborhood of {self.entity.name!r}: {counts}, {self.left_out} left out>"


@final
@attrs.frozen
class Hit:
    """An entity or an observation that a search found.

    A superseded observation names its replacement in `superseded_by`. A higher
    `score` is better; scores of different searches do not compare.
    """

    kind: Literal["entity", "observation"]
    score: float
    entity: Entity
    observation: Observation | None = None

    @property
    def superseded_by(self) -> str | None:
        """The id of the observation that corrects this one, or None."""
        return self.observation.superseded_by if self.observation else None

    def __repr__(self) -> str:
        return f"<Hit {self.score:.2f} {self.observation or self.entity!r}>"


@final
@attrs.frozen
class Hits(Sequence[Hit]):
    """What a search found, best first; `next` goes on where this page ends."""

    query: str
    items: tuple[Hit, ...]
    total: int
    next: str | None = None

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.items)

    def __repr__(self) -> str:
        return f"<Hits {len(self.items)} of {self.total} for {self.query[:40]!r}>"


@final
@attrs.frozen
class RelatedItem:
    """Something that bears on an intent, and why it is here.

    `path` holds the ids of the relations that lead to it from what the search found
    or the scope names; empty for those themselves. An observation that `is_current`
    is the newest live one of its entity; `also_live_count` counts the others.
    """

    entity: Entity
    observation: Observation | None
    score: float
    hops: int
    path: tuple[str, ...]
    is_current: bool = False
    also_live_count: int = 0

    def __repr__(self) -> str:
        what = self.observation or self.entity
        return f"<RelatedItem {self.score:.2f} over {self.hops} hops {what!r}>"


@final
@attrs.frozen
class Related(Sequence[RelatedItem]):
    """What bears on an intent, best first, within a budget of tokens.

    `total` counts what came into question, `left_out` what the budget left out.
    """

    intent: str
    items: tuple[RelatedItem, ...]
    total: int
    tokens: int
    left_out: int

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[RelatedItem]:
        return iter(self.items)

    def __repr__(self) -> str:
        return f"<Related {len(self.items)} of {self.total}, {self.tokens} tokens>"


@final
@attrs.frozen
class EntityDetail:
    """An entity with what holds of it and what it is related to.

    Its definition is a snapshot; `current` is its state. `observations` and
    `relations` are the newest ones, each a page.
    """

    entity: Entity
    current: Current
    observations: Page[Observation]
    relations: Page[Relation]

    def __repr__(self) -> str:
        counts = (
            f"{len(self.observations)} observations, {len(self.relations)} relations"
        )
        return f"<EntityDetail {self.entity.name!r}: {counts}>"
