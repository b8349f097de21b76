"""Real servers as processes, driven by the SDK's client or by raw frames."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple

import anyio
from mcp import Client, StdioServerParameters

PROGRAM = (sys.executable, "-m", "adapters.cli")


def run(work):
    """Run a coroutine function to its end, within a minute."""

    async def bounded():
        with anyio.fail_after(60):
            return await work()

    return anyio.run(bounded)


@asynccontextmanager
async def client(*arguments, cwd=None):
    """Give a client of `hsum mcp ...` or `hythe mcp ...` as a process."""
    server = StdioServerParameters(
        command=PROGRAM[0],
        args=[*PROGRAM[1:], *arguments],
        env=dict(os.environ),
        cwd=cwd,
    )
    async with Client(server) as session:
        yield session


@asynccontextmanager
async def web_client(url, secret=None):
    """Give a client of a server over HTTP, with a credential or without."""
    import httpx2 as httpx
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    async with (
        httpx.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http)) as session,
    ):
        yield session


@contextmanager
def web_server(store, mode):
    """Run `hythe serve` on a free port and give its URL and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [*PROGRAM, "hythe", "serve", "--store", str(store), "--mode", mode,
         "--http", f"127.0.0.1:{port}"],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        _await(port, process)
        yield f"http://127.0.0.1:{port}/mcp", process
    finally:
        process.terminate()
        process.communicate(timeout=20)


def _await(port, process):
    for _ in range(600):
        assert process.poll() is None, process.stderr.read()
        with socket.socket() as probe:
            probe.settimeout(0.1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        anyio.run(anyio.sleep, 0.05)
    raise TimeoutError(port)


def frames(arguments, sent, *, unanswered=(), raw=b""):
    """Send frames, await every answer, close stdin; return answers, output, status."""
    wanted = {f["id"] for f in sent if "id" in f} - set(unanswered)
    replies, lines = [], []
    with (
        subprocess.Popen(
            [*PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process,
        _watched(process),
    ):
        process.stdin.write(
            b"".join(json.dumps(f).encode() + b"\n" for f in sent) + raw
        )
        process.stdin.flush()
        while wanted:
            line = process.stdout.readline()
            assert line, "the server ended before it had answered"
            lines.append(line)
            replies.append(json.loads(line))
            wanted.discard(replies[-1].get("id"))
        rest, _ = process.communicate(timeout=60)
    lines += rest.splitlines(keepends=True)
    replies += map(json.loads, rest.splitlines())
    return replies, Done(b"".join(lines), process.returncode)


@contextmanager
def _watched(process):
    """End a process that has not answered within a minute."""
    timer = threading.Timer(60, process.kill)
    timer.start()
    yield
    timer.cancel()


class Done(NamedTuple):
    """What a server wrote, and how it ended."""

    stdout: bytes
    returncode: int


INITIALIZE = [
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "0"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def call(number, tool, **arguments):
    """Return the frame of a tool call."""
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


def fault(result):
    """Return the fault of a refused call, which the model sees as JSON text."""
    assert result.is_error
    assert result.structured_content is None
    return json.loads(result.content[0].text)


def answer(result):
    """Return the data of a call, which is the same as text and structured."""
    assert not result.is_error, result.content
    data = result.structured_content
    assert data == json.loads(result.content[0].text)
    return data
