"""What a write warns of, though it was done all the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hythe._secrets import secret_warnings
from hythe.model import WriteWarning
from hythe.resume.evidence import UNCHECKED, Resolver
from hythe.resume.probe import probe

if TYPE_CHECKING:
    from hythe.checkpoint.request import Request

__all__ = ["notices", "warnings_of"]

_EVIDENCE_MS = 500
_SCHEME = "hsum://"

Cited = Iterable[tuple[str, Iterable[str]]]
"""Lists of evidence, each with its path."""


def warnings_of(asked: Request, resolver: Resolver | None) -> tuple[WriteWarning, ...]:
    """Return what is to know about the content of a checkpoint."""
    said = {
        "state": asked.state,
        "patch": asked.patch,
        "facts": asked.facts,
        "loops": asked.loops,
        "events": asked.events,
        "evidence": asked.evidence,
    }
    cited = [("$.evidence", asked.evidence)]
    cited += [
        (f"$.facts[{index}].evidence", fact["evidence"])
        for index, fact in enumerate(asked.facts)
    ]
    return notices(said, cited, resolver)


def notices(
    said: Mapping[str, Any], cited: Cited, resolver: Resolver | None
) -> tuple[WriteWarning, ...]:
    """Return what looks like a secret, and citations that nothing resolves."""
    return (*secret_warnings(dict(said)), *_unresolved(cited, resolver))


def _unresolved(cited: Cited, resolver: Resolver | None) -> Iterator[WriteWarning]:
    places = dict(_citations(cited))
    for citation, state in probe(resolver, places, _EVIDENCE_MS).items():
        if state == UNCHECKED:
            yield WriteWarning(
                "evidence_unresolved",
                f"nothing answers to {citation}",
                places[citation],
            )


def _citations(cited: Cited) -> Iterator[tuple[str, str]]:
    for path, texts in cited:
        for index, text in enumerate(texts):
            if text.startswith(_SCHEME):
                yield text, f"{path}[{index}]"
