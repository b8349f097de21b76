"""A tool: its schemas, what it needs, and the function that answers.

Nothing of the SDK is imported here; `engine` turns tools into a server.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from hsum import Fault, json_text

__all__ = ["MAX_RESPONSE_BYTES", "Tool", "fitted", "frame_bytes", "shortened", "shrunk"]

MAX_REQUEST_BYTES = 4 * 1024 * 1024
MAX_RESPONSE_BYTES = 100_000
# The JSON-RPC envelope around a result.
_ENVELOPE_BYTES = 1_000

# What an argument cannot be less than.
_LEAST = {"budget": 1_000}

# The arguments as they came, and the secret that the caller brought, if any.
Answer = Callable[[Mapping[str, Any], str | None], dict[str, Any]]


@attrs.frozen(kw_only=True)
class Tool:
    """One tool.

    Attributes:
        effect: `reads`, `adds` or `removes`.
        answer: takes the arguments as they came and the caller's secret, and
            returns JSON data.
        shrinks: the numeric arguments to halve while a response is too large, each
            with its default.
        idempotent: whether the same call again changes nothing more.
    """

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    answer: Answer
    effect: str = "reads"
    idempotent: bool = True
    shrinks: Mapping[str, int] = attrs.field(factory=dict)


def fitted(
    tool: Tool, arguments: Mapping[str, Any], secret: str | None = None
) -> dict[str, Any]:
    """Answer a call so that its frame keeps to the limit.

    A reading tool that pages is asked for less; what its page leaves out is behind
    its cursor. Any other answer is given with its long texts and lists cut: what was
    written is written. Both are said in `response_limit`.
    """
    _check_size(arguments)
    asked = dict(arguments)
    data = tool.answer(asked, secret)
    while frame_bytes(data) > MAX_RESPONSE_BYTES:
        less = shrunk(tool, asked)
        if less is None:
            return shortened(data)
        asked = less
        data = tool.answer(asked, secret)
    return data if asked == arguments else _noted(tool, data, asked)


def shortened(data: dict[str, Any]) -> dict[str, Any]:
    """Return data with its longest texts, then its lists, cut until a frame fits."""
    note = {"bytes": MAX_RESPONSE_BYTES, "shortened": True}
    most_text, most_items = 8_000, 1_000
    while True:
        cut = {**_cut(data, most_text, most_items), "response_limit": note}
        if frame_bytes(cut) <= MAX_RESPONSE_BYTES or most_items == 1:
            return cut
        most_text, most_items = max(80, most_text // 2), max(1, most_items // 2)


def _cut(value: Any, most_text: int, most_items: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= most_text else value[:most_text] + "..."
    if isinstance(value, list):
        return [_cut(item, most_text, most_items) for item in value[:most_items]]
    if isinstance(value, dict):
        return {key: _cut(item, most_text, most_items) for key, item in value.items()}
    return value


def _check_size(arguments: Mapping[str, Any]) -> None:
    size = len(json.dumps(arguments))
    if size > MAX_REQUEST_BYTES:
        raise Fault(
            "TOO_LARGE",
            f"the arguments have {size:,} bytes; at most {MAX_REQUEST_BYTES:,} are taken",
            details={"bytes": size, "limit": MAX_REQUEST_BYTES},
        )


def shrunk(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return arguments that ask for half; None when nothing can be left out."""
    for name, default in tool.shrinks.items():
        asked = arguments.get(name, default)
        if isinstance(asked, int) and asked > _LEAST.get(name, 1):
            return {**arguments, name: max(_LEAST.get(name, 1), asked // 2)}
    return None


def _noted(
    tool: Tool, data: dict[str, Any], asked: Mapping[str, Any]
) -> dict[str, Any]:
    reduced = {name: asked[name] for name in tool.shrinks if name in asked}
    return {**data, "response_limit": {"bytes": MAX_RESPONSE_BYTES, **reduced}}


def frame_bytes(data: dict[str, Any]) -> int:
    """Return the bytes of a frame that carries `data` as text and structured."""
    text = json_text(data)
    return len(text.encode()) + len(json.dumps(text).encode()) + _ENVELOPE_BYTES
