"""Ask a resolver about citations, and stop waiting in time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from hythe.resume.evidence import UNCHECKED, CitationState, Resolver, state_of

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["probe"]


def probe(
    resolver: Resolver | None, wanted: Iterable[str], timeout_ms: int
) -> dict[str, CitationState]:
    """Return the states of citations, each asked for once; the late ones unchecked.

    Without a resolver there are no states.

    A resolver that hangs keeps its own thread busy, never the caller; one that
    raises leaves that citation unchecked.
    """
    asked = list(wanted)
    if resolver is None:
        return {}
    states = dict.fromkeys(asked, UNCHECKED)
    if not asked or not timeout_ms:
        return states
    found: dict[str, CitationState] = {}
    late = threading.Event()
    worker = threading.Thread(
        target=_ask, args=(resolver, asked, found, late), daemon=True
    )
    worker.start()
    worker.join(timeout_ms / 1_000)
    late.set()
    return {**states, **found.copy()}


def _ask(
    resolver: Resolver,
    asked: list[str],
    found: dict[str, CitationState],
    late: threading.Event,
) -> None:
    for citation in asked:
        if late.is_set():
            return
        try:
            found[citation] = state_of(resolver(citation))
        except BaseException:  # noqa: BLE001 - another's code; its failure is an answer
            found[citation] = UNCHECKED
