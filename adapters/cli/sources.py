"""Values that stand in files or come from stdin."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

__all__ = ["JsonValue", "Reference", "read_json", "read_text"]

_OF_JSON = ("[", "{", '"', "@", "-")


class JsonValue(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """JSON as it stands, `@FILE` for a file of it, `-` for stdin."""

    name = "json"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the parsed value."""
        if not isinstance(value, str):
            return value
        found = read_json(value, param, ctx)
        if found is None:
            raise click.BadParameter("null stands for nothing here", ctx, param)
        return found


class Reference(JsonValue):
    """A citation as it stands, or JSON of any reference or of a list of them."""

    name = "reference"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the reference."""
        if isinstance(value, str) and not value.startswith(_OF_JSON):
            return value
        return super().convert(value, param, ctx)


def read_json(
    value: str, param: click.Parameter | None = None, ctx: click.Context | None = None
) -> Any:
    """Return the JSON that `value` is or names; each key may stand once."""
    text = read_text(value) if value == "-" or value.startswith("@") else value
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except ValueError as exc:
        raise click.BadParameter(f"this is not JSON: {exc}", ctx, param) from None


def read_text(value: str) -> str:
    """Return the text of `@FILE`, of stdin for `-`, or else the value itself."""
    if value == "-":
        return _decoded(sys.stdin.buffer.read(), "stdin")
    if value.startswith("@"):
        path = Path(value[1:])
        try:
            return _decoded(path.read_bytes(), str(path))
        except OSError as exc:
            raise click.BadParameter(f"{path}: {exc.strerror}") from None
    return value


def _decoded(data: bytes, where: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as exc:
        raise click.BadParameter(f"{where} is not UTF-8 at byte {exc.start}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
