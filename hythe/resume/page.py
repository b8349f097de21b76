"""One answer in the making: which sections are open, and how they are put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import attrs

from hythe.resume.bundle import AsOf, Resume
from hythe.resume.coverage import Coverage, Reason, covered
from hythe.resume.cursors import Place, check_fresh, write_cursor
from hythe.resume.evidence import CitationState, citations, with_states
from hythe.resume.sections import SECTIONS, Entry, Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hythe.model import ScopeName
    from hythe.resume.budget import Chosen

__all__ = ["Page"]


@final
@attrs.frozen
class Page:
    """What one call may answer from.

    `sections` has all eleven; `asked` names those of this call. `places` are those of
    the cursor: the first is continued, the others come after it.
    """

    scope: ScopeName
    agent: str
    as_of: AsOf
    sections: Mapping[str, Section]
    asked: tuple[str, ...]
    bound_to: str
    places: tuple[Place, ...] = ()
    result_version: int = 3

    def open_sections(self) -> Iterator[Section]:
        """Give the sections to read from, in order.

        Raises:
            Fault: `STALE_CURSOR` when the continued one has changed.
        """
        if self.places:
            first = self.places[0]
            section = self.sections[first.section]
            check_fresh(first, section.mark)
            yield section
        else:
            yield from (self.sections[name] for name in self.asked)

    def start(self) -> int | None:
        """Return the position behind which a section goes on."""
        return self.places[0].position if self.places else None

    def compose(self, chosen: Chosen, states: Mapping[str, CitationState]) -> Resume:
        """Put the chosen entries into an answer, with its coverage and its cursor."""
        by_section: dict[str, list[Entry]] = {name: [] for name in SECTIONS}
        for entry in chosen.entries:
            by_section[entry.section].append(entry)
        unread = {
            section.name: len(by_section[section.name])
            != chosen.ended.get(section.name)
            for section in self.open_sections()
        }
        values = [entry.value for entry in chosen.entries if not entry.is_oversize]
        return Resume(
            scope=self.scope,
            agent=self.agent,
            as_of=_weighed(self.as_of, citations(values), states),
            coverage={
                name: self._coverage(name, by_section[name], unread)
                for name in SECTIONS
            },
            oversize=tuple(e.value for e in chosen.entries if e.is_oversize),
            next=self._next(by_section, unread),
            result_version=self.result_version,
            **{n: _shown(n, entries, states) for n, entries in by_section.items()},
        )

    def _coverage(
        self, name: str, entries: list[Entry], unread: Mapping[str, bool]
    ) -> Coverage:
        section = self.sections[name]
        whole = sum(not entry.is_oversize for entry in entries)
        return covered(
            whole if section.designated else 0,
            section.total,
            asked=self._asked(name),
            unread=unread.get(name, False),
            oversize=whole < len(entries),
        )

    def _asked(self, name: str) -> Reason:
        if self.places:
            return "none" if name == self.places[0].section else "cursor"
        if name not in self.asked:
            return "not-requested"
        return "none" if self.sections[name].designated else "undesignated"

    def _next(
        self, by_section: Mapping[str, list[Entry]], unread: Mapping[str, bool]
    ) -> str | None:
        here = [
            Place(name, self._last(by_section[name]), self.sections[name].mark)
            for name, left in unread.items()
            if left and self.sections[name].total
        ]
        return write_cursor(self.bound_to, [*here, *self.places[1:]])

    def _last(self, entries: list[Entry]) -> int | None:
        return entries[-1].position if entries else self.start()


def _weighed(
    as_of: AsOf, cited: Mapping[str, None], states: Mapping[str, CitationState]
) -> AsOf:
    """Count the delivered citations that are stale, and those that went unchecked."""
    standing = [states.get(text, CitationState()).standing for text in cited]
    return attrs.evolve(
        as_of,
        stale_evidence=standing.count("stale"),
        unchecked_evidence=standing.count("unchecked"),
    )


def _shown(name: str, entries: list[Entry], states: Mapping[str, CitationState]) -> Any:
    values = tuple(
        with_states(entry.value, states) if states else entry.value
        for entry in entries
        if not entry.is_oversize
    )
    if name == "working":
        return values[0] if values else None
    return values
