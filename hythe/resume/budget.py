"""Choose what fits, then make sure that it does.

Entries are chosen by what each costs alone; the whole is counted, and the last are
dropped until it fits. So a counter that does not add up is safe as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import attrs

from hsum._kernel.faults import Fault
from hsum._kernel.text import shown
from hythe.resume.evidence import ANY_STATE, CitationState, citations, with_states
from hythe.resume.sections import Entry, Oversize
from hythe.resume.text import line, text
from hythe.resume.wire import compact, item, payload, wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hythe.resume.bundle import Resume
    from hythe.resume.page import Page

__all__ = ["MINIMUM", "Chosen", "Price", "check_budget", "choose", "fit"]

MINIMUM = 512
# Characters for each token of a budget; a text beyond that is hardly ever within it.
_LONG = 32


@final
@attrs.frozen
class Chosen:
    """Entries that fit one by one; `ended` counts those of each section read out.

    `first` is the first entry there was, whether it fits or not.
    """

    entries: tuple[Entry, ...] = ()
    ended: Mapping[str, int] = attrs.field(factory=dict)
    first: Entry | None = None


@final
@attrs.frozen
class Price:
    """What things cost in the unit of a counter; `checked` if citations get states."""

    count: Callable[[str], int]
    checked: bool = False

    def whole(self, resume: Resume) -> int:
        """Count the greater of the two forms in which an agent may get it."""
        return max(self.count(text(resume)), self.count(compact(wire(resume))))

    def entry(self, entry: Entry, room: int) -> int:
        """Count one entry alone, in the form that costs more.

        Where the beginning of a long text is beyond `room` the rest is not counted.
        """
        value = self._with_any_state(entry.value)
        shown = f"{line(value)}\n"
        if len(shown) > _LONG * room > 0:
            beginning = self.count(shown[: _LONG * room])
            if beginning > room:
                return beginning
        return max(self.count(shown), self.count(f"{compact(item(value))},"))

    def _with_any_state(self, value: Any) -> Any:
        if not self.checked:
            return value
        return with_states(value, dict.fromkeys(citations([value]), ANY_STATE))


def check_budget(budget: Any) -> int:
    """Return a budget that is a whole number and at least the minimum.

    Raises:
        Fault: `INVALID_ARGUMENT`, `BUDGET_TOO_SMALL`.
    """
    if type(budget) is not int:
        raise Fault(
            "INVALID_ARGUMENT",
            f"budget must be a whole number of tokens, not {shown(budget)}",
            details={"path": "$.budget"},
        )
    if budget < MINIMUM:
        raise too_small(budget, MINIMUM)
    return budget


def too_small(budget: int, minimum: int) -> Fault:
    """Make the refusal that names the least budget that would do."""
    return Fault(
        "BUDGET_TOO_SMALL",
        f"a budget of {budget} cannot hold the answer; {minimum} can",
        hint=f"Call again with budget={minimum} or more.",
        details={"budget": budget, "minimum": minimum},
    )


def choose(page: Page, budget: int, price: Price) -> Chosen:
    """Take from each section the longest run of entries that fits what is left."""
    envelope = price.whole(page.compose(Chosen(), {}))
    room = left = budget - envelope
    chosen: list[Entry] = []
    ended: dict[str, int] = {}
    first: Entry | None = None
    for section in page.open_sections():
        before = len(chosen)
        for found in section.entries(page.start()):
            first = first or found
            entry, cost = _affordable(found, room, price)
            if cost > left:
                break
            chosen.append(entry)
            left -= cost
        else:
            ended[section.name] = len(chosen) - before
    return Chosen(tuple(chosen), ended, first)


def _affordable(entry: Entry, room: int, price: Price) -> tuple[Entry, int]:
    """Put a handle in the place of a value that no page could hold."""
    cost = price.entry(entry, room)
    if cost <= room:
        return entry, cost
    stub = as_handle(entry)
    return stub, price.entry(stub, room)


def as_handle(entry: Entry) -> Entry:
    """Return the entry with a handle for its value."""
    if entry.is_oversize:
        return entry
    stub = Oversize(entry.section, entry.handle, len(payload(entry.value)))
    return attrs.evolve(entry, value=stub, source="oversize")


def fit(
    page: Page,
    chosen: Chosen,
    budget: int,
    price: Price,
    states: Mapping[str, CitationState],
) -> Resume:
    """Compose the longest run of what was chosen that fits as a whole.

    Raises:
        Fault: `BUDGET_TOO_SMALL` where not even one entry or its handle fits.
    """
    attempt = _Attempt(page, chosen, budget, price, states)
    kept, found = len(chosen.entries), attempt.of(chosen.entries)
    if found.tokens > budget:
        kept = attempt.longest()
        found = attempt.of(chosen.entries[:kept])
    if kept == 0 and chosen.first is not None:
        return attempt.smallest(chosen.first)
    if found.tokens > budget:
        raise too_small(budget, max(MINIMUM, found.tokens))
    return found


@final
@attrs.frozen
class _Attempt:
    page: Page
    chosen: Chosen
    budget: int
    price: Price
    states: Mapping[str, CitationState]

    def of(self, entries: Sequence[Entry]) -> Resume:
        kept = attrs.evolve(self.chosen, entries=tuple(entries))
        found = self.page.compose(kept, self.states)
        return attrs.evolve(found, tokens=self.price.whole(found))

    def fits(self, kept: int) -> bool:
        return self.of(self.chosen.entries[:kept]).tokens <= self.budget

    def longest(self) -> int:
        """Find by halving, then step down: counters need not grow with the text.

        That all entries do not fit is known before.
        """
        low, high = 0, len(self.chosen.entries)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.fits(middle) else (low, middle)
        while low and not self.fits(low):
            low -= 1
        return low

    def smallest(self, first: Entry) -> Resume:
        """Compose the handle of the first entry, so that a reader always moves on."""
        found = self.of([as_handle(first)])
        if found.tokens > self.budget:
            raise too_small(self.budget, max(MINIMUM, found.tokens))
        return found
