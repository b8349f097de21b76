"""A fault as JSON."""

from __future__ import annotations

import re
from typing import Any

from adapters._wire.encode import camel, readable
from hsum import Fault

__all__ = ["fault_json"]

# A place in the input, as faults name it: `$.state.next_actions[2]`.
_PLACE = re.compile(r"\$(?:\.\w+|\[\d+\])+")


def fault_json(fault: Fault, *, camelled: bool = False) -> dict[str, Any]:
    """Return a fault as JSON data.

    Args:
        fault: what was raised.
        camelled: whether names in it are spelled as hythe's JSON spells them.
    """
    # What the wire itself refuses already speaks as the caller does.
    camelled = camelled and type(fault) is not Fault
    data = fault.as_dict()
    return {
        **data,
        "message": _text(fault.message, camelled=camelled),
        "hint": _text(fault.hint, camelled=camelled),
        "details": _plain(fault.details, camelled=camelled),
    }


def _plain(value: Any, *, camelled: bool) -> Any:
    if isinstance(value, dict):
        return {
            camel(key) if camelled else key: _plain(item, camelled=camelled)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_plain(item, camelled=camelled) for item in value]
    return _text(value, camelled=camelled) if isinstance(value, str) else value


def _text(text: str, *, camelled: bool) -> str:
    text = readable(text)
    return _PLACE.sub(_spelled, text) if camelled else text


def _spelled(match: re.Match[str]) -> str:
    return ".".join(camel(part) for part in match[0].split("."))
