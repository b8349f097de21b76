"""Two streams: data on stdout, words for people on stderr; colour where it belongs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from hsum import json_text, visible

__all__ = ["Line", "Span", "coloured", "emit_json", "say", "show", "styled"]

Span = tuple[str, str]
"""Text and its style, a style of rich; an empty style is plain."""

Line = list[Span]


def styled(text: str, style: str = "") -> Line:
    """Return a line of one span."""
    return [(text, style)]


def coloured(stream: TextIO, environ: Mapping[str, str] | None = None) -> bool:
    """Tell whether a stream takes colour.

    `NO_COLOR` says no, then `FORCE_COLOR` says yes, then `TERM=dumb` says no;
    else a terminal does. See no-color.org and force-color.org.
    """
    environ = os.environ if environ is None else environ
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return environ.get("TERM") != "dumb" and stream.isatty()


def show(lines: Iterable[Line]) -> None:
    """Write lines for reading to stdout."""
    _write(sys.stdout, lines)


def say(text: str, style: str = "") -> None:
    """Write words for people to stderr."""
    _write(sys.stderr, (styled(line, style) for line in text.split("\n")))


def emit_json(data: Any) -> None:
    """Write one JSON document to stdout, as UTF-8 whatever the locale is."""
    sys.stdout.flush()
    sys.stdout.buffer.write((json_text(data) + "\n").encode())
    sys.stdout.flush()


def _write(stream: TextIO, lines: Iterable[Line]) -> None:
    if coloured(stream):
        _write_coloured(stream, lines)
        return
    for line in lines:
        text = "".join(visible(text) for text, _ in line)
        stream.write(_encodable(text.rstrip(" "), stream) + "\n")
    stream.flush()


def _write_coloured(stream: TextIO, lines: Iterable[Line]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, force_terminal=True, highlight=False, soft_wrap=True)
    for line in lines:
        spans = [(_encodable(visible(text), stream), style) for text, style in line]
        console.print(Text.assemble(*spans))
    stream.flush()


def _encodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
