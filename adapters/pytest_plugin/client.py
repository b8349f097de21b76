"""A client of either MCP server, in this process and without pipes."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import hsum
import hythe

if TYPE_CHECKING:
    import mcp_types
    from mcp.server.lowlevel import Server

__all__ = ["InMemoryClient", "Refused", "server_of"]


class Refused(Exception):
    """A tool's refusal; `code`, `hint` and the rest stand in `fault`."""

    def __init__(self, fault: dict[str, Any]) -> None:
        super().__init__(f"{fault.get('code')}: {fault.get('message')}")
        self.fault = fault
        self.code: str = fault.get("code", "")
        self.hint: str = fault.get("hint") or ""


def server_of(served: hsum.Index | hythe.Store) -> Server[Any]:
    """Return the server of an index, under a new binding, or of a store.

    An index on disk that has been ingested is bound for the user of `HSUM_HOME`; a
    store is served to the agent of its handle.
    """
    from adapters.mcp.serve import evidence_server, memory_server

    if isinstance(served, hythe.Store):
        return memory_server(served, agent=served.agent)
    status = served.status()
    if status.source_root is None or status.data_path is None:
        raise ValueError(f"{served!r} cannot be served: ingest into an index on disk")
    bound = hsum.grant(status.source_root, index=status.data_path, confirm=True)
    return evidence_server(bound.id)


class InMemoryClient:
    """Call a server's tools from plain tests.

    `server` is the server itself: in an async test, give it to the SDK's `Client`.
    """

    def __init__(self, server: Server[Any]) -> None:
        from mcp import Client

        self.server = server
        self._client = Client(server)
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        from anyio.from_thread import start_blocking_portal

        self._portal = self._stack.enter_context(start_blocking_portal())
        self._stack.enter_context(self._portal.wrap_async_context_manager(self._client))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def tools(self) -> Sequence[mcp_types.Tool]:
        """Return the tools that the server lists."""
        return self._portal.call(self._client.list_tools).tools

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool, and return its structured content.

        Raises:
            Refused: the tool answered with an error.
        """
        result = self._portal.call(self._client.call_tool, tool, arguments)
        if result.is_error:
            raise Refused(json.loads(result.content[0].text))
        return dict(result.structured_content or {})

    def read(self, uri: str) -> dict[str, Any]:
        """Return the JSON of a resource."""
        result: Any = self._portal.call(self._client.read_resource, uri)
        return dict(json.loads(result.contents[0].text))
