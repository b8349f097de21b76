"""Envelopes of the reference HYTHE 0.1.x, read as they are.

Their bytes and hashes stay. Facts and loops of such a store were changed in place:
they come as legacy values, and no version is read from these envelopes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hsum._kernel.canonical import canonical, digest_of
from hythe.checkpoint.content import STATE_LISTS, STATE_TEXTS, Data

__all__ = ["FORMAT", "is_foreign", "read_as_ours", "state_data_in"]

FORMAT = "hythe-0.1"

_NAMES = {"next_actions": "nextActions"}


def is_foreign(body: Mapping[str, Any]) -> bool:
    """Tell whether an envelope is of the reference: it names no format."""
    return "format" not in body and "scopeKey" in body


def read_as_ours(body: Mapping[str, Any]) -> Data:
    """Return what an envelope says, in the shape of ours."""
    return {
        "format": FORMAT,
        "scope": None,
        "state": digest_of(state_data_in(body)),
        "events": [_event(event) for event in body.get("events") or ()],
        "facts": [],
        "loops": [],
        "evidence": [str(ref) for ref in body.get("evidenceRefs") or ()],
        "reconciliation": None,
    }


def state_data_in(body: Mapping[str, Any]) -> Data:
    """Return the state of an envelope; what it lacks is empty."""
    said = body.get("state") or {}
    texts = {name: str(said.get(name) or "") for name in STATE_TEXTS}
    lists = {
        name: [str(item) for item in said.get(_NAMES.get(name, name)) or ()]
        for name in STATE_LISTS
    }
    return {**texts, **lists}


def _event(event: Any) -> Data:
    if not isinstance(event, Mapping):
        return {"kind": "event", "summary": str(event), "at": None}
    kind = event.get("kind") or event.get("type") or "event"
    summary = event.get("summary")
    if not isinstance(summary, str):
        summary = canonical(dict(event)).decode()
    return {"kind": str(kind), "summary": summary, "at": None}
