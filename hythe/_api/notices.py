"""What a write warns of, though it was done all the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hythe._secrets import secret_warnings
from hythe.checkpoint.request import Request
from hythe.model import WriteWarning
from hythe.resume.evidence import UNCHECKED, Resolver
from hythe.resume.probe import probe

__all__ = ["warnings_of"]

_EVIDENCE_MS = 500
_SCHEME = "hsum://"


def warnings_of(asked: Request, resolver: Resolver | None) -> tuple[WriteWarning, ...]:
    """Return what looks like a secret, and citations that nothing resolves."""
    said = {
        "state": asked.state,
        "patch": asked.patch,
        "facts": asked.facts,
        "loops": asked.loops,
        "events": asked.events,
        "evidence": asked.evidence,
    }
    return (*secret_warnings(said), *_unresolved(asked, resolver))


def _unresolved(asked: Request, resolver: Resolver | None) -> Iterator[WriteWarning]:
    cited = dict(_citations(asked))
    for citation, state in probe(resolver, cited, _EVIDENCE_MS).items():
        if state == UNCHECKED:
            yield WriteWarning(
                "evidence_unresolved",
                f"nothing answers to {citation}",
                cited[citation],
            )


def _citations(asked: Request) -> Iterator[tuple[str, str]]:
    listed: list[tuple[str, Any]] = [("$.evidence", asked.evidence)]
    listed += [
        (f"$.facts[{index}].evidence", fact["evidence"])
        for index, fact in enumerate(asked.facts)
    ]
    for path, texts in listed:
        for index, text in enumerate(texts):
            if text.startswith(_SCHEME):
                yield text, f"{path}[{index}]"
