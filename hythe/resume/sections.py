"""The eleven sections, in the order of the contract, and what their entries are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, final

import attrs

__all__ = [
    "LINEAGE_SECTIONS",
    "SECTIONS",
    "Entry",
    "Oversize",
    "Section",
    "listed",
    "requested",
]

from hsum._kernel.faults import Fault
from hsum._kernel.text import shown
from hythe.observe.checks import bounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SECTIONS = (
    "definition",
    "working",
    "heads",
    "open_loops",
    "handoffs",
    "messages",
    "current_facts",
    "decisions",
    "evidence",
    "divergent_values",
    "legacy_values",
)
# What only a current pointer can tell; without one they are `undesignated`.
LINEAGE_SECTIONS = frozenset(
    ("working", "open_loops", "current_facts", "decisions", "evidence")
)


@final
@attrs.frozen
class Oversize:
    """A value that no page of this budget can hold, and the handle that reads it.

    `bytes` is the size of what `Store.fetch` gives in all.
    """

    section: str
    handle: str
    bytes: int

    def __repr__(self) -> str:
        return f"<Oversize {self.section}, {self.bytes:,} bytes, {self.handle}>"


@final
@attrs.frozen
class Entry:
    """One item of a section; a cursor at `position` goes on behind it."""

    section: str
    position: int
    value: Any
    handle: str
    source: Literal["value", "oversize"] = "value"

    @property
    def is_oversize(self) -> bool:
        """Whether the value was too large, so that a handle stands for it."""
        return self.source == "oversize"


@final
@attrs.frozen
class Section:
    """One section before anything is chosen: its size and where its entries are.

    `mark` changes whenever entries do; None belongs to a section that is paged by
    sequence and never goes stale. `entries` gives the entries behind a position, in
    order, read as they are asked for.
    """

    name: str
    total: int
    mark: int | None
    entries: Callable[[int | None], Iterator[Entry]]
    designated: bool = True


def listed(
    name: str, mark: int | None, entries: Sequence[Entry], *, designated: bool = True
) -> Section:
    """Return a section of a few entries that are there already."""

    def behind(position: int | None) -> Iterator[Entry]:
        start = -1 if position is None else position
        return (entry for entry in entries if entry.position > start)

    return Section(name, len(entries), mark, behind, designated)


def requested(names: Any) -> tuple[str, ...]:
    """Return the sections that were asked for, in the contract's order.

    Raises:
        Fault: `INVALID_ARGUMENT` for anything but names of sections.
    """
    if names is None:
        return SECTIONS
    wanted = (names,) if isinstance(names, str) else names
    if not isinstance(wanted, Iterable) or isinstance(wanted, (bytes, Mapping)):
        raise _refusal(f"sections must be a list, not {type(names).__name__}")
    wanted = bounded(wanted, "$.sections")
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        raise _refusal(f"{shown(unknown[0])} is no section")
    return tuple(name for name in SECTIONS if name in wanted)


def _refusal(message: str) -> Fault:
    return Fault(
        "INVALID_ARGUMENT",
        message,
        hint=f"The sections are {', '.join(SECTIONS)}.",
        details={"path": "$.sections"},
    )
