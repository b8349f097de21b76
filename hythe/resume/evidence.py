"""Whether cited bytes still stand, as far as a resolver could tell in time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, final

import attrs

__all__ = [
    "UNCHECKED",
    "CitationState",
    "Cited",
    "Resolver",
    "citations",
    "state_of",
    "with_states",
]

Resolver = Callable[[str], Any]
Standing = Literal["fresh", "stale", "unchecked"]

_SCHEME = "hsum://"
_WORD = re.compile(r"[a-z_]{1,40}")
_SAME_SOURCE = frozenset(("unchanged", "metadata_unchanged"))
_UNKNOWN_SOURCE = frozenset((None, "blocked", "unverifiable"))


@final
@attrs.frozen
class CitationState:
    """What a resolver said of one citation; both None where it was not checked."""

    source_state: str | None = None
    span_state: str | None = None

    @property
    def standing(self) -> Standing:
        """Whether the cited bytes stand where they are cited."""
        if self.span_state is not None:
            return "fresh" if self.span_state == "intact" else "stale"
        if self.source_state in _UNKNOWN_SOURCE:
            return "unchecked"
        return "fresh" if self.source_state in _SAME_SOURCE else "stale"


UNCHECKED = CitationState()
# The longest words, so that what is chosen with them fits with the real ones.
ANY_STATE = CitationState("metadata_unchanged", "ambiguous")


@final
class Cited(str):
    """A citation that carries the state of its source and of the cited bytes."""

    __slots__ = ("state",)

    state: CitationState

    def __new__(cls, citation: str, state: CitationState) -> Cited:
        """Make the citation's text carry a state."""
        self = super().__new__(cls, citation)
        self.state = state
        return self

    @property
    def source_state(self) -> str | None:
        """The state of the cited file; None where it was not checked."""
        return self.state.source_state

    @property
    def span_state(self) -> str | None:
        """The state of the cited bytes; None where it was not checked."""
        return self.state.span_state

    def __reduce__(self) -> tuple[Any, ...]:
        return (Cited, (str(self), self.state))


def state_of(answer: Any) -> CitationState:
    """Read what a resolver returned: a mapping, or a value with these attributes."""
    if isinstance(answer, Mapping):
        return CitationState(
            _word(answer.get("source_state")), _word(answer.get("span_state"))
        )
    return CitationState(
        _word(getattr(answer, "source_state", None)),
        _word(getattr(answer, "span_state", None)),
    )


def _word(state: Any) -> str | None:
    """Take a resolver's word only if it is one: it is shown without quotes."""
    return state if isinstance(state, str) and _WORD.fullmatch(state) else None


def citations(values: Iterable[Any]) -> dict[str, None]:
    """Return the distinct `hsum://` citations of delivered values, in their order."""
    return {
        str(text): None
        for value in values
        for text in _texts(value)
        if text.startswith(_SCHEME)
    }


def with_states(value: Any, states: Mapping[str, CitationState]) -> Any:
    """Return `value` with a state on each of its `hsum://` citations."""
    if isinstance(value, str):
        return _cited(value, states)
    evidence = getattr(value, "evidence", None)
    if evidence:
        return attrs.evolve(value, evidence=[_cited(text, states) for text in evidence])
    inner = getattr(value, "value", None)
    if inner is not None and _texts(inner):
        return attrs.evolve(value, value=with_states(inner, states))
    return value


def _cited(text: str, states: Mapping[str, CitationState]) -> str:
    if not text.startswith(_SCHEME):
        return text
    return Cited(text, states.get(text, UNCHECKED))


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    inner = getattr(value, "value", None)
    found = getattr(value if inner is None else inner, "evidence", ())
    return tuple(found or ())
