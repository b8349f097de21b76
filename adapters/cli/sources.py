"""Values that stand in files or come from stdin."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import click

from hsum import Fault

__all__ = [
    "MOST_OF_CALL",
    "MOST_OF_TEXT",
    "JsonValue",
    "Reference",
    "called",
    "chunks",
    "read_json",
    "read_text",
]

# What the libraries take at most, in one text and in one call.
MOST_OF_TEXT = 16 * 1024 * 1024
MOST_OF_CALL = 64 * 1024 * 1024
_CHUNK = 1024 * 1024

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
    named = value == "-" or value.startswith("@")
    text = read_text(value, MOST_OF_CALL) if named else value
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except ValueError as exc:
        raise click.BadParameter(f"this is not JSON: {exc}", ctx, param) from None


def read_text(value: str, most: int = MOST_OF_TEXT) -> str:
    """Return the text of `@FILE`, or of stdin for `-`.

    Raises:
        Fault: `TOO_LARGE` for more than `most` bytes, which a device may give for
            ever; `INVALID_ARGUMENT` where stdin is closed.
    """
    name = value.removeprefix("@")
    data = bytearray()
    for chunk in chunks(name):
        data += chunk
        if len(data) > most:
            raise Fault(
                "TOO_LARGE",
                f"{called(name)} has more than {most:,} bytes",
                details={"limit": most},
            )
    return _decoded(bytes(data), called(name))


def chunks(name: str) -> Iterator[bytes]:
    """Yield the bytes of a file, or of stdin for `-`, as they come.

    Raises:
        Fault: `INVALID_ARGUMENT` where stdin is closed.
    """
    try:
        with nullcontext(_stdin()) if name == "-" else open(name, "rb") as stream:
            while chunk := stream.read1(_CHUNK):
                yield chunk
    except OSError as exc:
        reason = exc.strerror or exc
        raise click.BadParameter(f"{called(name)}: {reason}") from None


def called(name: str) -> str:
    """Return what to call a source of bytes."""
    return "stdin" if name == "-" else name


def _stdin() -> Any:
    if sys.stdin is None:  # the caller closed it: `<&-`
        raise Fault(
            "INVALID_ARGUMENT",
            "stdin is closed, and `-` stands for it",
            hint="Pipe into it what `-` is to read, or name a file instead.",
        )
    return sys.stdin.buffer


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
