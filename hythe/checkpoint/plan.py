"""Where live heads differ, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hythe.checkpoint.content import STATE_FIELDS, Data

__all__ = ["differing"]


def differing(states: Mapping[str, Data]) -> dict[str, dict[str, Any]]:
    """Return the state fields that differ, each with its value under every head."""
    side_by_side = {
        field: {head: state[field] for head, state in states.items()}
        for field in STATE_FIELDS
    }
    return {
        field: values
        for field, values in side_by_side.items()
        if any(value != first for first in values.values() for value in values.values())
    }
