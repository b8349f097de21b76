"""A tool: its schemas, what it needs, and the function that answers.

Nothing of the SDK is imported here; `engine` turns tools into a server.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from hsum import Fault, json_text

__all__ = ["MAX_RESPONSE_BYTES", "Tool", "fitted", "frame_bytes", "shrunk"]

MAX_REQUEST_BYTES = 4 * 1024 * 1024
MAX_RESPONSE_BYTES = 100_000
# The JSON-RPC envelope around a result.
_ENVELOPE_BYTES = 1_000

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

    A reading tool that pages is asked for less and says so in `response_limit`;
    what its page leaves out is behind its cursor.

    Raises:
        Fault: `TOO_LARGE` when nothing can be left out.
    """
    _check_size(arguments)
    asked = dict(arguments)
    while True:
        data = tool.answer(asked, secret)
        if frame_bytes(data) <= MAX_RESPONSE_BYTES:
            return data if asked == arguments else _noted(tool, data, asked)
        asked = shrunk(tool, asked)


def _check_size(arguments: Mapping[str, Any]) -> None:
    size = len(json.dumps(arguments))
    if size > MAX_REQUEST_BYTES:
        raise Fault(
            "TOO_LARGE",
            f"the arguments have {size:,} bytes; at most {MAX_REQUEST_BYTES:,} are taken",
            details={"bytes": size, "limit": MAX_REQUEST_BYTES},
        )


def shrunk(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that ask for half."""
    for name, default in tool.shrinks.items():
        asked = arguments.get(name, default)
        if isinstance(asked, int) and asked > 1:
            return {**arguments, name: max(1, asked // 2)}
    raise Fault(
        "TOO_LARGE",
        f"the answer of {tool.name} is over {MAX_RESPONSE_BYTES:,} bytes",
        hint="Ask for less: a smaller limit, fewer sections, or one item by its id.",
    )


def _noted(
    tool: Tool, data: dict[str, Any], asked: Mapping[str, Any]
) -> dict[str, Any]:
    reduced = {name: asked[name] for name in tool.shrinks if name in asked}
    return {**data, "response_limit": {"bytes": MAX_RESPONSE_BYTES, **reduced}}


def frame_bytes(data: dict[str, Any]) -> int:
    """Return the bytes of a frame that carries `data` as text and structured."""
    text = json_text(data)
    return len(text.encode()) + len(json.dumps(text).encode()) + _ENVELOPE_BYTES
