"""Turn tools, resources and prompts into a server of the official SDK."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import anyio
import anyio.to_thread
import attrs
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from adapters._wire.faults import fault_json
from adapters.mcp.tools import Tool, fitted
from hsum import Fault, cancellable, json_text

__all__ = ["Prompt", "Resources", "build", "run_stdio"]

_THREADS = 16


class Resources(Protocol):
    """What a server offers to read."""

    templates: Sequence[tuple[str, str, str]]

    def listed(self) -> Sequence[tuple[str, str, str]]:
        """Return URI, name and description of what can be listed."""

    def read(self, uri: str, secret: str | None) -> dict[str, Any]:
        """Return the content of a URI as JSON data."""


@attrs.frozen
class Prompt:
    """A prompt with one argument."""

    name: str
    description: str
    argument: str
    argument_description: str
    text: Callable[[str], str]


def build(
    name: str,
    version: str,
    instructions: str,
    tools: Sequence[Tool],
    resources: Resources,
    prompts: Sequence[Prompt] = (),
    *,
    camelled: bool = False,
) -> Server[Any]:
    """Return a server that answers by these tools.

    The libraries are synchronous: each call runs in a thread, at most 16 at once.
    """
    handlers = _Handlers(tools, resources, camelled=camelled)
    server: Server[Any] = Server(
        name,
        version=version,
        instructions=instructions,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        **_prompt_handlers(prompts),
    )
    return server


class _Handlers:
    """Answer the requests of a session."""

    def __init__(
        self, tools: Sequence[Tool], resources: Resources, *, camelled: bool
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._resources = resources
        self._camelled = camelled
        self._in_thread = _Threads()

    async def list_tools(self, _ctx: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[_described(tool) for tool in self._tools.values()]
        )

    async def call_tool(
        self, ctx: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name!r}")
        secret, given = _bearer(ctx), params.arguments or {}
        try:
            data = await self._in_thread(lambda: fitted(tool, given, secret))
        except Fault as fault:
            return _refused(fault, camelled=self._camelled)
        return types.CallToolResult(
            content=[types.TextContent(text=json_text(data))], structured_content=data
        )

    async def list_resources(
        self, _ctx: Any, _params: Any
    ) -> types.ListResourcesResult:
        listed = await self._in_thread(self._resources.listed)
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=uri, name=name, description=text, mime_type=_JSON)
                for uri, name, text in listed
            ]
        )

    async def list_templates(
        self, _ctx: Any, _params: Any
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=uri, name=name, description=text, mime_type=_JSON
                )
                for uri, name, text in self._resources.templates
            ]
        )

    async def read_resource(
        self, ctx: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        secret, uri = _bearer(ctx), str(params.uri)
        try:
            data = await self._in_thread(lambda: self._resources.read(uri, secret))
        except Fault as fault:
            detail = fault_json(fault, camelled=self._camelled)
            raise MCPError(types.INVALID_PARAMS, fault.message, detail) from None
        contents = types.TextResourceContents(
            uri=params.uri, text=json_text(data), mime_type=_JSON
        )
        return types.ReadResourceResult(contents=[contents])


_JSON = "application/json"


class _Threads:
    """Run synchronous calls in threads; a cancelled call ends its work, too."""

    def __init__(self) -> None:
        self._limiter = anyio.CapacityLimiter(_THREADS)

    async def __call__(self, call: Callable[[], Any]) -> Any:
        signal = threading.Event()
        try:
            with cancellable(signal):
                return await anyio.to_thread.run_sync(
                    call, abandon_on_cancel=True, limiter=self._limiter
                )
        finally:
            signal.set()


def _bearer(ctx: Any) -> str | None:
    """Return the credential of an HTTP request; over stdio there is none."""
    request = getattr(ctx, "request", None)
    header = "" if request is None else request.headers.get("authorization", "")
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


def _described(tool: Tool) -> types.Tool:
    reads = tool.effect == "reads"
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            read_only_hint=reads,
            destructive_hint=tool.effect == "removes",
            idempotent_hint=reads or tool.idempotent,
            open_world_hint=False,
        ),
    )


def _refused(fault: Fault, *, camelled: bool) -> types.CallToolResult:
    """Give a refusal to the model: code, message and the next step, as JSON text."""
    text = json_text(fault_json(fault, camelled=camelled))
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)


def _prompt_handlers(
    prompts: Sequence[Prompt],
) -> dict[str, Any]:
    by_name = {prompt.name: prompt for prompt in prompts}

    async def list_prompts(_ctx: Any, _params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=prompt.name,
                    description=prompt.description,
                    arguments=[
                        types.PromptArgument(
                            name=prompt.argument,
                            description=prompt.argument_description,
                            required=True,
                        )
                    ],
                )
                for prompt in prompts
            ]
        )

    async def get_prompt(
        _ctx: Any, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        prompt = by_name.get(params.name)
        value = (params.arguments or {}).get(prompt.argument) if prompt else None
        if prompt is None or not value:
            raise MCPError(types.INVALID_PARAMS, f"no prompt {params.name!r} with that")
        message = types.PromptMessage(
            role="user", content=types.TextContent(text=prompt.text(value))
        )
        return types.GetPromptResult(description=prompt.description, messages=[message])

    if not prompts:
        return {}
    return {"on_list_prompts": list_prompts, "on_get_prompt": get_prompt}


def run_stdio(server: Server[Any]) -> None:
    """Serve one client over stdin and stdout until stdin closes."""
    if sys.stdin is None:  # it never was open: `<&-`
        return
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serve)
