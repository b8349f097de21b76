"""JSON Merge Patch (RFC 7396) on plain JSON data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["apply_patch"]


def apply_patch(target: Any, patch: Any) -> Any:
    """Return `target` with `patch` merged in; neither is changed or shared.

    null deletes a member, objects merge, everything else replaces (RFC 7396, 2).
    """
    if not isinstance(patch, Mapping):
        return _copy(patch)
    kept = target if isinstance(target, Mapping) else {}
    merged = {key: _copy(value) for key, value in kept.items() if key not in patch}
    for key, value in patch.items():
        if value is not None:
            merged[key] = apply_patch(kept.get(key), value)
    return merged


def _copy(value: Any) -> Any:
    if type(value) is str:
        return value
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        if {str}.issuperset(map(type, value)):
            return list(value)
        return [_copy(item) for item in value]
    return value
