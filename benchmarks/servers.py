"""Servers: start to `tools/list`, and a search over stdio against one in process."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import attrs

import hsum
import hythe
from benchmarks.corpora import Here
from benchmarks.harness import Row, Taken, Target, at_most, cpu, middle, taken
from benchmarks.samples import questions, texts

__all__ = ["measure"]

_PYTHON = sys.executable
_HSUM = (_PYTHON, "-c", "from adapters.cli import hsum; hsum()")
_HYTHE = (_PYTHON, "-c", "from adapters.cli import hythe; hythe()")
_RAW = "a client that writes JSON-RPC into the pipes"
_INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "0"},
}


def measure(here: Here) -> Iterator[Row]:
    if not find_spec("mcp"):
        print("mcp is not installed (extra `mcp`): left out", file=sys.stderr)
        return
    corpus = here.corpus()
    with (
        tempfile.TemporaryDirectory(prefix="benchmark-") as name,
        patch.dict(os.environ, {"HSUM_HOME": str(Path(name, "home"))}),
    ):
        binding = hsum.initialize(
            corpus.root, no_ignore=corpus.no_ignore, allow=["large"]
        ).context.binding
        store = Path(name, "team.hythe")
        hythe.open(store, agent="planner").close()
        evidence = (*_HSUM, "mcp", "--binding", str(binding))
        yield from _starts(evidence, store, 1 if here.smoke else 8)
        count = 20 if here.smoke else 100
        with hsum.open_bound(binding) as index:
            queries = questions(texts(index, corpus.root), count)
            yield _search(index, evidence, queries, corpus.name)


# --- start ----------------------------------------------------------------------------


def _starts(evidence: Sequence[str], store: Path, times: int) -> Iterator[Row]:
    memory = (*_HYTHE, "mcp", "--store", str(store), "--agent", "planner")
    sdk, web = "mcp.server", "mcp.server, mcp.server.streamable_http_manager, uvicorn"
    peers = {
        sdk: 'python -c "import mcp.server"',
        web: "importing it, its HTTP, uvicorn",
    }
    servers = {
        "hsum mcp": (partial(_start, evidence), sdk),
        "hythe mcp": (partial(_start, memory), sdk),
        "hythe serve": (partial(_start_web, store), web),
    }
    starts = {name: start for name, (start, _) in servers.items()}
    starts |= {modules: partial(_import, modules) for modules in peers}
    rounds = [{name: start() for name, start in starts.items()} for _ in range(times)]
    warm = rounds[1:] or rounds
    found = {name: middle([round_[name] for round_ in warm]) for name in starts}
    for name, (_, modules) in servers.items():
        mine, theirs, against = found[name], found[modules], peers[modules]
        what = f"{name}, start to tools/list"
        yield _row(what, mine.seconds, against, theirs.seconds, at_most(1.4))
        yield _row(f"{what}, CPU time", mine.cpu, against, theirs.cpu, None)


def _row(
    what: str, mine: float, against: str, theirs: float, target: Target | None
) -> Row:
    return Row(what, "-", "ms", mine * 1e3, against, theirs * 1e3, target)


def _import(modules: str) -> Taken:
    command = [_PYTHON, "-c", f"import {modules}"]
    return taken(partial(subprocess.run, command, check=True))


def _start(command: Sequence[str]) -> Taken:
    """Return what it takes to start a server and ask for its tools.

    CPU time is that of the whole process; the clock ends with the answer.
    """
    start, spent = time.perf_counter(), cpu()
    with _session(command) as session:
        _expect_tools(session.ask("tools/list", {}))
        ended = time.perf_counter()
    return Taken(ended - start, cpu() - spent)


def _start_web(store: Path) -> Taken:
    """Return the same for `hythe serve`, which is asked over HTTP."""
    start, spent = time.perf_counter(), cpu()
    with _serving(store) as web:
        web.ask(1, "initialize", _INITIALIZE)
        web.ask(None, "notifications/initialized", {})
        _expect_tools(web.ask(2, "tools/list", {}))
        ended = time.perf_counter()
    return Taken(ended - start, cpu() - spent)


def _expect_tools(result: Mapping[str, Any]) -> None:
    if not result["tools"]:
        raise ValueError("the server has no tools")


@contextmanager
def _serving(store: Path) -> Iterator[_Web]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [*_HYTHE, "serve", "--store", str(store), "--mode", "observe"]
    process = subprocess.Popen(
        [*command, "--http", f"127.0.0.1:{port}"], stderr=subprocess.DEVNULL
    )
    try:
        _await(port, process)
        yield _Web(port)
    finally:
        process.terminate()
        process.wait()


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.002)
    raise ValueError("the server ended before it listened")


class _Web:
    """A session over HTTP."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }

    def ask(
        self, number: int | None, method: str, params: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the result; nothing for a notification."""
        body = json.dumps(_frame(number, method, params))
        self._connection.request("POST", "/mcp", body, self._headers)
        response = self._connection.getresponse()
        if session := response.getheader("mcp-session-id"):
            self._headers["mcp-session-id"] = session
        return _result(response.read().decode())


def _result(text: str) -> dict[str, Any]:
    """Return the result of an answer that is JSON or one server-sent event."""
    data = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
    body = data[-1] if data else text
    return json.loads(body)["result"] if body.strip() else {}


# --- a session over pipes -------------------------------------------------------------


def _frame(
    number: int | None, method: str, params: Mapping[str, Any]
) -> dict[str, Any]:
    frame = {"jsonrpc": "2.0", "method": method, "params": params}
    return frame if number is None else {**frame, "id": number}


@attrs.define
class _Session:
    """A session with a server over its pipes."""

    process: subprocess.Popen[bytes]
    number: int = 0

    def say(self, number: int | None, method: str, params: Mapping[str, Any]) -> None:
        frame = json.dumps(_frame(number, method, params))
        self.process.stdin.write(frame.encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a request."""
        self.number += 1
        self.say(self.number, method, params)
        while line := self.process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer["result"]
        raise ValueError("the server ended before it answered")


@contextmanager
def _session(command: Sequence[str]) -> Iterator[_Session]:
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        session = _Session(process)
        session.ask("initialize", _INITIALIZE)
        session.say(None, "notifications/initialized", {})
        yield session


# --- search ---------------------------------------------------------------------------


def _search(
    index: hsum.BoundIndex, command: Sequence[str], queries: Sequence[str], corpus: str
) -> Row:
    """Ask each query of both, one after the other, the second time counts."""
    ours, theirs = [], []
    with _session(command) as session:
        for query in queries:
            for found, ask in (
                (ours, partial(_over_stdio, session, query)),
                (theirs, partial(index.search, query, limit=10)),
            ):
                ask()
                start = time.perf_counter()
                ask()
                found.append((time.perf_counter() - start) * 1e3)
    return Row(
        "evidence_search over stdio, p50",
        corpus,
        "ms",
        median(ours),
        "the same in process",
        median(theirs),
        at_most(1, plus=10),
        _RAW,
    )


def _over_stdio(session: _Session, query: str) -> None:
    arguments = {"query": query, "limit": 10}
    found = session.ask(
        "tools/call", {"name": "evidence_search", "arguments": arguments}
    )
    if found.get("isError"):
        raise ValueError(found["content"])
