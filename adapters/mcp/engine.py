"""Turn tools, resources and prompts into a server of the official SDK."""

from __future__ import annotations

import logging
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
from hsum import Fault, json_text

__all__ = ["Prompt", "Resources", "build", "run_stdio"]

log = logging.getLogger("hsum.mcp")

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

    The libraries are synchronous: each call runs in a thread, at most 16 at once,
    and a cancelled one is abandoned at once.
    """
    by_name = {tool.name: tool for tool in tools}
    limiter = anyio.CapacityLimiter(_THREADS)

    async def in_thread(call: Callable[[], Any]) -> Any:
        return await anyio.to_thread.run_sync(
            call, abandon_on_cancel=True, limiter=limiter
        )

    async def list_tools(_ctx: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in tools])

    async def call_tool(
        ctx: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = by_name.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name!r}")
        try:
            secret = _bearer(ctx)
            given = params.arguments or {}
            data = await in_thread(lambda: fitted(tool, given, secret))
        except Fault as fault:
            return _refused(fault, camelled=camelled)
        return types.CallToolResult(
            content=[types.TextContent(text=json_text(data))], structured_content=data
        )

    async def list_resources(_ctx: Any, _params: Any) -> types.ListResourcesResult:
        listed = await in_thread(resources.listed)
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=uri, name=name, description=text, mime_type=_JSON)
                for uri, name, text in listed
            ]
        )

    async def list_templates(
        _ctx: Any, _params: Any
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=uri, name=name, description=text, mime_type=_JSON
                )
                for uri, name, text in resources.templates
            ]
        )

    async def read_resource(
        ctx: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            secret = _bearer(ctx)
            data = await in_thread(lambda: resources.read(str(params.uri), secret))
        except Fault as fault:
            detail = fault_json(fault, camelled=camelled)
            raise MCPError(types.INVALID_PARAMS, fault.message, detail) from None
        contents = types.TextResourceContents(
            uri=params.uri, text=json_text(data), mime_type=_JSON
        )
        return types.ReadResourceResult(contents=[contents])

    server: Server[Any] = Server(
        name,
        version=version,
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        **_prompt_handlers(prompts),
    )
    return server


_JSON = "application/json"


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
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serve)
