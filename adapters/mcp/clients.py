"""Ready configuration of MCP clients, and a real round trip to prove it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

__all__ = ["CLIENTS", "Launch", "launch", "parsed", "snippet"]


@attrs.frozen
class Launch:
    """How a client starts the server: an absolute command, arguments, environment."""

    command: str
    args: tuple[str, ...]
    env: Mapping[str, str] = attrs.field(factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return it under the names that all clients share."""
        data: dict[str, Any] = {"command": self.command, "args": list(self.args)}
        return {**data, "env": dict(self.env)} if self.env else data


def launch(binding: str) -> Launch:
    """Return how to start the hsum server of this installation for a binding.

    The binding is written in: neither the client's folder nor its environment is
    asked for one.
    """
    program = _program()
    command = [*program, "mcp", "--binding", binding]
    home = os.environ.get("HSUM_HOME")
    env = {"HSUM_HOME": os.path.abspath(home)} if home else {}
    return Launch(command[0], tuple(command[1:]), env)


def _program() -> list[str]:
    """Return the installed script beside this Python, or the module."""
    beside = Path(sys.executable).with_name("hsum")
    found = str(beside) if beside.exists() else shutil.which("hsum")
    if found is not None:
        return [os.path.abspath(found)]
    return [sys.executable, "-m", "adapters.cli", "hsum"]


def snippet(client: str, started: Launch) -> str:
    """Return what goes into a client's configuration."""
    return CLIENTS[client][1](started)


def parsed(client: str, text: str) -> Launch:
    """Read a snippet back, as the client would."""
    data = _read_toml(text) if client == "codex" else json.loads(text)
    for key in ("mcpServers", "servers", "mcp_servers"):
        data = data.get(key, data)
    server = data.get("hsum", data)
    return Launch(server["command"], tuple(server["args"]), server.get("env", {}))


def _read_toml(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)


def _json(data: Any) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _keyed(key: str, *, kind: bool) -> Callable[[Launch], str]:
    def render(started: Launch) -> str:
        typed = {"type": "stdio"} if kind else {}
        return _json({key: {"hsum": {**typed, **started.as_dict()}}})

    return render


def _codex(started: Launch) -> str:
    lines = [
        "[mcp_servers.hsum]",
        f"command = {_toml(started.command)}",
        f"args = [{', '.join(map(_toml, started.args))}]",
    ]
    if started.env:
        pairs = ", ".join(f"{key} = {_toml(item)}" for key, item in started.env.items())
        lines.append(f"env = {{ {pairs} }}")
    return "\n".join(lines) + "\n"


def _toml(text: str) -> str:
    # A JSON string without surrogates is a TOML basic string.
    return json.dumps(text, ensure_ascii=False)


# What each client calls its file, and how its servers are written there.
CLIENTS: Mapping[str, tuple[str, Callable[[Launch], str]]] = {
    "claude-code": (".mcp.json", _keyed("mcpServers", kind=True)),
    "claude-desktop": ("claude_desktop_config.json", _keyed("mcpServers", kind=False)),
    "codex": ("~/.codex/config.toml", _codex),
    "cursor": (".cursor/mcp.json", _keyed("mcpServers", kind=False)),
    "vscode": (".vscode/mcp.json", _keyed("servers", kind=True)),
    "generic": ("any client", lambda started: _json(started.as_dict())),
}
