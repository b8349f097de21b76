"""Opaque cursors: canonical JSON with a check, in URL-safe base64."""

from __future__ import annotations

import base64
import json
from typing import Any

from hsum._kernel.canonical import canonical, digest
from hsum._kernel.faults import Fault

__all__ = ["decode", "encode", "foreign"]

_MAX_LENGTH = 4_096
_CHECK = 12


def encode(kind: str, payload: dict[str, Any]) -> str:
    """Return a cursor of `kind` that carries `payload`."""
    body = canonical({"kind": kind, **payload})
    check = digest(body)[:_CHECK].encode()
    return base64.urlsafe_b64encode(check + body).decode().rstrip("=")


def decode(kind: str, token: Any, /, **shape: Any) -> dict[str, Any]:
    """Return the payload of a cursor.

    The check catches damage and cut-off copies; it is no signature, and so every
    value must be of the shape that it is given by name: `int` (from 0), `str`,
    `bool`, `list`, or a list of these.

    Raises:
        Fault: `INVALID_ARGUMENT` for what is no cursor of this kind.
    """
    payload = _opened(token)
    if payload is None or payload.pop("kind", None) != kind:
        raise foreign()
    if payload.keys() != shape.keys():
        raise foreign()
    if not all(_fits(payload[name], wanted) for name, wanted in shape.items()):
        raise foreign()
    return payload


def foreign() -> Fault:
    """Return the refusal of what no earlier page can have given."""
    return Fault(
        "INVALID_ARGUMENT",
        "this is not a cursor of this call",
        hint="Pass the cursor exactly as an earlier page of this call gave it.",
        details={"path": "$.cursor"},
    )


def _fits(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return (
            isinstance(value, list)
            and len(value) == len(wanted)
            and all(map(_fits, value, wanted))
        )
    return type(value) is wanted and (wanted is not int or value >= 0)


def _opened(token: Any) -> dict[str, Any] | None:
    if not isinstance(token, str) or len(token) > _MAX_LENGTH:
        return None
    try:
        raw = base64.b64decode(
            token.encode("ascii") + b"=" * (-len(token) % 4), b"-_", validate=True
        )
        check, body = raw[:_CHECK], raw[_CHECK:]
        if digest(body)[:_CHECK].encode() != check:
            return None
        value = json.loads(body)
        whole = canonical(value) == body
    except (ValueError, RecursionError, Fault):
        return None
    return value if whole and isinstance(value, dict) else None
