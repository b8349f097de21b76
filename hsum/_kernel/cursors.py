"""Opaque cursors: canonical JSON with a check, in URL-safe base64."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from hsum._kernel.canonical import canonical, digest
from hsum._kernel.faults import Fault

__all__ = ["decode", "encode"]

_MAX_LENGTH = 4_096
_CHECK = 12


def encode(kind: str, payload: dict[str, Any]) -> str:
    """Return a cursor of `kind` that carries `payload`."""
    body = canonical({"kind": kind, **payload})
    check = digest(body)[:_CHECK].encode()
    return base64.urlsafe_b64encode(check + body).decode().rstrip("=")


def decode(kind: str, token: Any) -> dict[str, Any]:
    """Return the payload of a cursor.

    The check catches damage and cut-off copies; it is no signature.

    Raises:
        Fault: `INVALID_ARGUMENT` for what is no cursor of this kind.
    """
    payload = _opened(token)
    if payload is None or payload.pop("kind", None) != kind:
        raise Fault(
            "INVALID_ARGUMENT",
            "this is not a cursor of this call",
            hint="Pass the cursor exactly as an earlier page of this call gave it.",
            details={"path": "$.cursor"},
        )
    return payload


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
    except (ValueError, binascii.Error):
        return None
    return value if isinstance(value, dict) else None
