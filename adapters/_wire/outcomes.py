"""What checkpoint calls answer: a conflict is a result, not an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters._wire.faults import fault_json
from hsum import Fault

if TYPE_CHECKING:
    from adapters._wire.encode import Encoder
    from hythe import Checkpoint

__all__ = ["refused", "written"]


def written(checkpoint: Checkpoint, encode: Encoder) -> dict[str, Any]:
    """Return the result of a checkpoint call that wrote, now or at first."""
    return {
        "outcome": "idempotent-replay" if checkpoint.replayed else "written",
        "checkpoint": encode(checkpoint),
        "advanced": checkpoint.outcome != "branched",
    }


def refused(fault: Fault) -> dict[str, Any] | None:
    """Return the result of a refused checkpoint call; None when it is an error."""
    untrusted = {"untrustedContent": True}  # heads have the names of other agents
    if fault.code == "KEY_REUSED":
        return {"outcome": "idempotency-mismatch", **untrusted}
    if fault.code != "CONFLICT":
        return None
    details = fault_json(fault, camelled=True)["details"]
    names = ("reasons", "heads", "headCount", "pointer")
    known = {name: details.get(name) for name in names}
    return {"outcome": "conflict", **known, **untrusted}
