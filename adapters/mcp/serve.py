"""Start the servers."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import hsum
from adapters.mcp import evidence, memory
from adapters.mcp.engine import Prompt, build, run_stdio

if TYPE_CHECKING:
    import socket

    from mcp.server.lowlevel import Server

    from hythe import Store

__all__ = [
    "evidence_server",
    "memory_server",
    "serve_evidence",
    "serve_http",
    "serve_memory",
]

_PROMPT = Prompt(
    name="cite_evidence",
    description="Answer a question from the indexed sources, each claim with its citation.",
    argument="question",
    argument_description="What is to be answered.",
    text=evidence.cite_evidence,
)


def evidence_server(binding: str | None) -> Server[Any]:
    """Return the hsum server for a binding; without a valid one it serves nothing."""
    served = evidence.Evidence(binding)
    return build(
        "hsum",
        hsum.__version__,
        evidence.INSTRUCTIONS,
        served.tools(),
        served,
        [_PROMPT],
    )


def memory_server(
    store: Store, *, mode: str = "observe", agent: str | None = None
) -> Server[Any]:
    """Return the hythe server on a store.

    Args:
        store: the open store.
        mode: how strictly callers must prove themselves.
        agent: who every call comes from; None takes each call's own word or proof.
    """
    served = memory.Memory(store, mode=mode, agent=agent)
    return build(
        "hythe",
        hsum.__version__,
        memory.INSTRUCTIONS,
        served.tools(),
        served,
        camelled=True,
    )


def serve_evidence(binding: str | None) -> None:
    """Serve evidence over stdio until stdin closes."""
    run_stdio(evidence_server(binding))


def serve_memory(store: Store, *, agent: str) -> None:
    """Serve one agent's view of a store over stdio until stdin closes."""
    run_stdio(memory_server(store, agent=agent))


def serve_http(
    store: Store, sockets: list[socket.socket], *, host: str, mode: str
) -> None:
    """Serve a store over streamable HTTP at `/mcp` until interrupted.

    Each call proves itself by `Authorization: Bearer SECRET`, as the mode demands.

    Args:
        store: the open store.
        sockets: where to listen; they are closed at the end.
        host: the name they were made of, which tells what clients may call it.
        mode: how strictly callers must prove themselves.
    """
    import uvicorn

    app = memory_server(store, mode=mode).streamable_http_app(host=host)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
    # An interrupt is how it ends; `uvicorn.run` would exit the process by itself.
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=sockets)
