"""Commands that start MCP servers, and those that set up their clients."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import click

from adapters.cli.commands import VerbCommand, flag
from adapters.cli.dash import as_file
from adapters.cli.terminal import emit_json, say, show, styled
from hsum import Fault

__all__ = ["client", "evidence", "memory", "web"]

_MODES = ("observe", "mixed", "required")
_NAMES = ("claude-code", "claude-desktop", "codex", "cursor", "vscode", "generic")


def evidence() -> click.Command:
    """Return `hsum mcp`."""
    return VerbCommand(
        "mcp",
        params=[
            click.Option(
                ["--binding"],
                envvar="HSUM_BINDING",
                help="The binding that says what may be read; or HSUM_BINDING.",
            )
        ],
        callback=_serve_evidence,
        help="Serve evidence to one MCP client over stdio; reads only.",
        examples=("mcp --binding 0b7c...",),
    )


def _serve_evidence(*, binding: str | None) -> int:
    _need_sdk()
    from adapters.mcp.serve import serve_evidence

    serve_evidence(binding or None)
    return 0


def memory() -> click.Command:
    """Return `hythe mcp`."""
    return VerbCommand(
        "mcp",
        params=[
            _store_option(),
            click.Option(
                ["--agent"],
                envvar="HYTHE_AGENT",
                required=True,
                help="The agent that uses this server; or HYTHE_AGENT.",
            ),
        ],
        callback=_serve_memory,
        help="Serve a store to one agent's MCP client over stdio.",
        examples=("mcp --store team.hythe --agent planner",),
    )


def _serve_memory(*, store: str, agent: str) -> int:
    _need_sdk()
    import hythe
    from adapters._wire.evidence import resolver
    from adapters.mcp.serve import serve_memory

    with hythe.open(store, agent=agent, evidence=resolver) as opened:
        serve_memory(opened, agent=agent)
    return 0


def web() -> click.Command:
    """Return `hythe serve`."""
    return VerbCommand(
        "serve",
        params=[
            _store_option(),
            click.Option(
                ["--http"],
                required=True,
                metavar="HOST:PORT",
                help="Where to listen; the address is http://HOST:PORT/mcp. Port 0 takes a"
                " free one.",
            ),
            click.Option(
                ["--mode"],
                type=click.Choice(_MODES),
                default="required",
                show_default=True,
                help="How strictly agents must prove themselves.",
            ),
        ],
        callback=_serve_http,
        help="Serve a store over HTTP; each agent brings its credential as a bearer.",
        examples=("serve --store team.hythe --http 127.0.0.1:8765 --mode required",),
    )


def _serve_http(*, store: str, http: str, mode: str) -> int:
    host, port = _host_and_port(http)
    _need_sdk()
    import hythe
    from adapters._wire.evidence import resolver
    from adapters.mcp.listening import Address, listening
    from adapters.mcp.serve import serve_http

    with contextlib.ExitStack() as closing:
        sockets = listening(Address(host, port))
        for one in sockets:
            closing.enter_context(one)
        opened = closing.enter_context(
            hythe.open(store, agent="server", evidence=resolver)
        )
        at = Address(host, sockets[0].getsockname()[1])
        say(f"serving {store} at http://{at}/mcp, mode {mode}; Ctrl-C ends it")
        serve_http(opened, sockets, host=host, mode=mode)
    return 0


def _host_and_port(http: str) -> tuple[str, int]:
    host, _, port = http.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if host and re.fullmatch("[0-9]{1,5}", port) and int(port) < 65_536:
        return host, int(port)
    raise Fault(
        "INVALID_ARGUMENT",
        f"--http {http!r} is not HOST:PORT",
        hint="For example --http 127.0.0.1:8765",
    )


def _store_option() -> click.Option:
    return click.Option(
        ["--store"],
        callback=lambda _context, _option, value: as_file("store", value),
        envvar="HYTHE_STORE",
        required=True,
        help="The store's file; or HYTHE_STORE.",
    )


def _need_sdk() -> None:
    try:
        import mcp  # noqa: F401
    except ModuleNotFoundError:
        raise Fault(
            "INVALID_ARGUMENT",
            "the servers need the MCP SDK",
            hint="pip install 'hsum-hythe[mcp]'",
        ) from None


# --- clients --------------------------------------------------------------------


def client() -> click.Command:
    """Return `hsum client`, with `config` and `doctor`."""
    group = click.Group("client", help="Set up MCP clients.")
    group.add_command(_config())
    group.add_command(_doctor())
    return group


def _client_options() -> list[click.Parameter]:
    return [
        click.Argument(["client"], type=click.Choice(_NAMES)),
        click.Option(
            ["--binding"], help="The binding to serve; else the folder's own."
        ),
        click.Option(["--index"], help="The index whose binding to serve."),
        click.Option(["--project"], help="The project whose binding to serve."),
        flag("--json", "Print one JSON document."),
    ]


def _config() -> click.Command:
    return VerbCommand(
        "config",
        params=_client_options(),
        callback=_print_config,
        help="Print what to put into a client's configuration, binding included.",
        examples=("client config claude-code", "client config codex --index notes"),
    )


def _print_config(*, client: str, json: bool, **selection: Any) -> int:
    from adapters.mcp.clients import CLIENTS, launch, snippet

    started = launch(_binding(**selection))
    if json:
        emit_json({"client": client, "file": CLIENTS[client][0], **started.as_dict()})
        return 0
    say(f"for {CLIENTS[client][0]}:")
    show([styled(line) for line in snippet(client, started).rstrip("\n").split("\n")])
    return 0


def _doctor() -> click.Command:
    return VerbCommand(
        "doctor",
        params=_client_options(),
        callback=_try_client,
        help="Start the configured server from an empty folder, search and get.",
        examples=("client doctor claude-code",),
    )


def _try_client(*, client: str, json: bool, **selection: Any) -> int:
    _need_sdk()
    from adapters.mcp.clients import launch, parsed, snippet
    from adapters.mcp.roundtrip import round_trip

    binding = _binding(**selection)
    started = parsed(client, snippet(client, launch(binding)))
    steps = round_trip(started, _query(binding))
    well = bool(steps) and all(step.ok for step in steps)
    if json:
        rows = [
            {"step": s.name, "ok": s.ok, "seen": s.seen, "milliseconds": s.milliseconds}
            for s in steps
        ]
        emit_json({"client": client, "healthy": well, "steps": rows})
    else:
        for step in steps:
            mark = "ok    " if step.ok else "FAILED"
            style = "green" if step.ok else "bold red"
            line = f"{mark}  {step.name}: {step.seen} ({step.milliseconds:,} ms)"
            show([styled(line, style)])
    return 0 if well else 1


def _query(binding: str) -> str:
    """Return a word that the bound index certainly has: one of its file names."""
    import hsum

    with hsum.open_bound(binding) as index:
        documents = index.documents()
    if not documents:
        raise Fault("NO_GENERATION", "the bound project has no documents to search")
    name = documents[0].path.rpartition("/")[2]
    return name.partition(".")[0] or name


def _binding(*, binding: str | None, index: str | None, project: str | None) -> str:
    """Return the binding that was named, or that of the selected index and project."""
    import hsum

    if binding is not None:
        return binding
    chosen = hsum.context(index=index, project=project)
    if chosen.binding is None:
        root = chosen.source_root or "PATH"
        raise Fault(
            "NOT_TRUSTED",
            f"index {chosen.index!r} has no binding for project {chosen.project!r}",
            hint=f"Run `hsum trust {root} --confirm`.",
        )
    return chosen.binding
