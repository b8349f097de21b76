"""Both MCP servers in this process: frames in, frames out, until all is answered."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import anyio
import mcp_types as types
from mcp.server.stdio import stdio_server

import hsum
import hythe
from adapters.mcp.serve import evidence_server, memory_server
from adapters.mcp.tools import MAX_RESPONSE_BYTES
from hsum._kernel.catalogue import entry_of
from tests.fuzz import seeds
from tests.servers.sessions import INITIALIZE

__all__ = ["Answered", "check", "served"]

_SECONDS = 20
_RENEWED_AFTER = 300
# What a server answers to a request that no handler understands.
_PROTOCOL_ERRORS = frozenset({-32700, -32600, -32601, -32602})


class Answered(NamedTuple):
    """What a server wrote, and the ids of the requests that it had to answer."""

    lines: list[str]
    asked: Counter[str]
    cancelled: bool


def served(data: bytes) -> list[Answered]:
    """Return what each server answers to lines of any bytes."""
    home = _home()
    with mock.patch.dict(os.environ, {"HSUM_HOME": str(home.folder)}):
        return [
            anyio.run(_session, evidence_server(home.binding), data),
            anyio.run(_session, memory_server(_store(), agent="critic"), data),
        ]


class _Home(NamedTuple):
    folder: Path
    binding: str


@cache
def _home() -> _Home:
    """Make an index that is bound, in a home of its own."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    (folder / "root").mkdir()
    for name, body in seeds.CORPUS.items():
        (folder / "root" / name).write_bytes(body)
    with mock.patch.dict(os.environ, {"HSUM_HOME": str(folder / "home")}):
        made = hsum.initialize(folder / "root")
    return _Home(folder / "home", made.binding.id)


_USES: Counter[str] = Counter()


def _store() -> hythe.Store:
    """Return a store in memory, made anew when much has been written to it."""
    _USES["store"] += 1
    return _made(_USES["store"] // _RENEWED_AFTER)


@cache
def _made(_number: int) -> hythe.Store:
    store = hythe.in_memory(agent="planner")
    seeds.fill(store)
    return store


async def _session(server: Any, data: bytes) -> Answered:
    pipe = _Pipe(data)
    with anyio.fail_after(_SECONDS):
        async with stdio_server(pipe, pipe) as (reading, writing):  # type: ignore[arg-type]
            options = server.create_initialization_options()
            await server.run(reading, writing, options)
    return Answered(pipe.written, pipe.asked, pipe.cancelled)


class _Pipe:
    """A client's end: it sends its lines, and hangs up when all is answered."""

    def __init__(self, data: bytes) -> None:
        self._opening = [json.dumps(frame) + "\n" for frame in INITIALIZE]
        text = data.decode("utf-8", "replace")
        self._lines = [line + "\n" for line in text.split("\n") if line.strip()]
        self.written: list[str] = []
        self.asked: Counter[str] = Counter()
        self.cancelled = False
        self._event = anyio.Event()

    async def __aiter__(self) -> AsyncIterator[str]:
        for line in (*self._opening, *self._lines):
            self._note(line)
            yield line
            if line in self._opening:
                await self._settled()
        await self._settled()

    def _note(self, line: str) -> None:
        try:
            frame = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            return
        if isinstance(frame, types.JSONRPCRequest):
            self.asked[json.dumps(frame.id)] += 1
        elif getattr(frame, "method", "") == "notifications/cancelled":
            self.cancelled = True

    async def _settled(self) -> None:
        while not self.cancelled and len(self.written) < self.asked.total():
            self._event = anyio.Event()
            await self._event.wait()

    async def write(self, text: str) -> None:
        self.written.append(text)
        self._event.set()

    async def flush(self) -> None:
        """Nothing is held back."""


def check(answered: Answered) -> None:
    """Hold what a server wrote to the protocol, and to what it promises."""
    replies: Counter[str] = Counter()
    for line in answered.lines:
        assert line.endswith("\n")
        assert "\n" not in line[:-1]
        assert len(line.encode()) <= MAX_RESPONSE_BYTES
        frame = json.loads(line)
        assert frame["jsonrpc"] == "2.0"
        assert ("result" in frame) != ("error" in frame), frame
        replies[json.dumps(frame["id"])] += 1
        if "error" in frame:
            assert frame["error"]["code"] in _PROTOCOL_ERRORS, frame
        elif frame["result"].get("isError"):
            fault = json.loads(frame["result"]["content"][0]["text"])
            entry_of(fault["code"])
    known = answered.asked if not answered.cancelled else replies
    assert replies == known, (replies, answered.asked)
