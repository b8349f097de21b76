"""Start a configured server from an empty folder and use it as a client would."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from typing import Any

import anyio
import attrs

from adapters.mcp.clients import Launch

__all__ = ["Step", "round_trip"]

_SECONDS = 60


@attrs.frozen
class Step:
    """One thing that was tried: what it was, whether it worked, what was seen."""

    name: str
    ok: bool
    seen: str
    milliseconds: int


def round_trip(started: Launch, query: str) -> list[Step]:
    """Start the server, list its tools, search, and get the first hit.

    Stops at the first step that fails.
    """
    return anyio.run(_round_trip, started, query)


async def _round_trip(started: Launch, query: str) -> list[Step]:
    from mcp import Client, StdioServerParameters

    steps: list[Step] = []
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hsum-client-") as folder:
        server = StdioServerParameters(
            command=started.command,
            args=list(started.args),
            env=dict(started.env) or None,
            cwd=folder,
        )
        try:
            with anyio.fail_after(_SECONDS):
                async with Client(server) as client:
                    async for step in _used(client, query, began):
                        steps.append(step)  # noqa: PERF401 - kept when a later one fails
        except Exception as exc:  # noqa: BLE001 - whatever goes wrong is the finding
            steps.append(_step("start", began, ok=False, seen=_first_line(exc)))
    return steps


async def _used(client: Any, query: str, began: float) -> Any:
    tools = await client.list_tools()
    names = ", ".join(tool.name for tool in tools.tools)
    yield _step("list tools", began, ok="evidence_search" in names, seen=names)
    began = time.monotonic()
    found = await client.call_tool("evidence_search", {"query": query, "limit": 1})
    hits = (found.structured_content or {}).get("hits", [])
    yield _step("search", began, ok=bool(hits), seen=_seen(found, hits, query))
    if not hits:
        return
    began = time.monotonic()
    asked = {"citation": hits[0]["citation"], "verify": True}
    got = await client.call_tool("evidence_get", asked)
    data = got.structured_content or {}
    seen = f"{len(data.get('text', ''))} characters, {data.get('source_state')}"
    yield _step("get", began, ok=not got.is_error, seen=seen)


def _seen(result: Any, hits: list[dict[str, Any]], query: str) -> str:
    if hits:
        return f"{query!r} found {hits[0]['path']}"
    text = " ".join(part.text for part in result.content if hasattr(part, "text"))
    return f"{query!r} found nothing" if not result.is_error else text[:500]


def _step(name: str, began: float, *, ok: bool, seen: str) -> Step:
    return Step(name, ok, seen, round((time.monotonic() - began) * 1_000))


def _first_line(exc: BaseException) -> str:
    return " / ".join(_leaves(exc))[:500]


def _leaves(exc: BaseException) -> Iterator[str]:
    """Give the texts of an exception, and of those of a group."""
    if isinstance(exc, BaseExceptionGroup):
        for inner in exc.exceptions:
            yield from _leaves(inner)
    else:
        yield f"{type(exc).__name__}: {exc}"
