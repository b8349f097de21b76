"""What remains of a checkpoint whose payload was pruned.

Ids, kinds, status and decisions stay, because the history of a scope is derived from
them; every text is gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hsum._kernel.faults import Fault
from hythe.checkpoint.content import STATE_LISTS, STATE_TEXTS, Data

__all__ = ["GONE", "STATE", "is_pruned", "refuse_pruned", "skeleton"]

GONE = "[pruned]"
STATE: Data = {**dict.fromkeys(STATE_TEXTS, GONE), **{name: [] for name in STATE_LISTS}}

_KEPT = ("id", "status", "accepted_from")
_TEXTS = ("subject", "predicate", "object", "next_action")


def skeleton(content: Mapping[str, Any], identity: str) -> Data:
    """Return what is kept of an envelope, in its own shape.

    `identity` makes the skeletons of two checkpoints differ.
    """
    said = content["reconciliation"]
    return {
        **content,
        "facts": list(map(_emptied, content["facts"])),
        "loops": list(map(_emptied, content["loops"])),
        "events": list(map(_silenced, content["events"])),
        "evidence": [],
        "reconciliation": None if said is None else {**said, "reason": GONE},
        "pruned": identity,
    }


def _emptied(item: Data) -> Data:
    return {name: _left(name, value) for name, value in item.items()}


def _left(name: str, value: Any) -> Any:
    if name in _KEPT or value is None:
        return value
    if isinstance(value, list):
        return []
    return GONE if name in _TEXTS or name in ("owner", "outcome") else None


def _silenced(event: Data) -> Data:
    kind = event["kind"] if event["kind"] == "decision" else GONE
    return {"kind": kind, "summary": GONE, "at": None}


def is_pruned(content: Mapping[str, Any]) -> bool:
    """Tell whether an envelope is what a prune left."""
    return "pruned" in content


def refuse_pruned(content: Mapping[str, Any], identity: str) -> None:
    """Refuse to read a payload that is gone.

    Raises:
        Fault: `PRUNED`.
    """
    if is_pruned(content):
        raise Fault(
            "PRUNED",
            f"the payload of checkpoint {identity} was pruned",
            details={"checkpoint": identity},
        )
