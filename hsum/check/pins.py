"""Pins: which bytes a citation was about. A lock file is a list of them."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import attrs

from hsum._kernel.text import shown
from hsum.errors import fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hsum.model.check import Found

__all__ = ["Pin", "key_of", "line_span", "pin_of", "read_lock", "write_lock"]

FORMAT = "hsum-citations/1"
_SHA256 = re.compile("[0-9a-f]{64}")
_LARGEST = 2**63 - 1  # the most bytes that a file can have


@attrs.frozen
class Pin:
    """Name the cited bytes: a half-open span of one revision of a file.

    `key` is the citation as the lock file lists it: the URI, or `path:first-last`
    with the path relative to the root. `lead` is how many bytes of its line stand
    before the span.
    """

    key: str
    path: str
    rev: str
    start: int
    end: int
    sha256: str
    lead: int = 0

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self.end - self.start

    def matches(self, data: bytes) -> bool:
        """Tell whether `data` are the pinned bytes."""
        return hashlib.sha256(data).hexdigest() == self.sha256


def key_of(found: Found, path: str | None) -> str:
    """Return how the lock file names a citation, `path` being relative to the root."""
    if found.lines is None:
        return found.raw
    first, last = found.lines
    return f"{path}:{first}-{last}"


def pin_of(key: str, path: str, whole: bytes, span: tuple[int, int]) -> Pin:
    """Pin a span of the bytes of a whole file."""
    start, end = span
    return Pin(
        key,
        path,
        hashlib.sha256(whole).hexdigest(),
        start,
        end,
        hashlib.sha256(whole[start:end]).hexdigest(),
        start - (whole.rfind(b"\n", 0, start) + 1),
    )


def line_span(data: bytes, lines: tuple[int, int]) -> tuple[int, int] | None:
    """Return the bytes of lines `first` to `last`; None when they run past the end.

    Lines end at LF only. The span ends before the last LF, so that a block at the
    end of a file equals one in the middle.
    """
    first, last = lines
    start = _line_start(data, first)
    if last < first or start is None:
        return None
    end = start
    for _ in range(last - first + 1):
        if end > len(data) or (end == len(data) and end > start):
            return None
        newline = data.find(b"\n", end)
        end = len(data) + 1 if newline < 0 else newline + 1
    return start, end - 1


def _line_start(data: bytes, line: int) -> int | None:
    at = 0
    for _ in range(line - 1):
        at = data.find(b"\n", at) + 1
        if not at:
            return None
    return at if at < len(data) else None


def write_lock(pins: Iterable[Pin]) -> bytes:
    """Return the bytes of a lock file: sorted JSON, one citation a line."""
    rows = sorted({pin.key: pin for pin in pins}.values(), key=lambda pin: pin.key)
    lines = [json.dumps(_row(pin), ensure_ascii=False) for pin in rows]
    body = ",\n    ".join(lines)
    inner = f"\n    {body}\n  " if lines else ""
    text = f'{{\n  "format": "{FORMAT}",\n  "citations": [{inner}]\n}}\n'
    return text.encode("utf-8", "backslashreplace")


def _row(pin: Pin) -> dict[str, Any]:
    return {
        "citation": pin.key,
        "path": pin.path,
        "rev": pin.rev,
        "span": [pin.start, pin.end],
        "span_sha256": pin.sha256,
        "lead": pin.lead,
    }


def read_lock(data: bytes, name: str) -> Mapping[str, Pin]:
    """Return the pins of a lock file by key.

    Raises:
        HsumError: `INVALID_ARGUMENT` for anything that `write_lock` would not give.
    """
    try:
        pins = _pins(json.loads(data))
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise fault(
            "INVALID_ARGUMENT",
            f"{name} is not a lock file of citations ({exc})",
            hint="Write it again with --lock, or restore it from version control.",
            path=name,
        ) from None
    return {pin.key: pin for pin in pins}


def _pins(value: Any) -> list[Pin]:
    if value["format"] != FORMAT:
        raise ValueError(f"its format is {shown(value['format'])}")
    rows = value["citations"]
    if not isinstance(rows, list):
        raise TypeError("its citations are no list")
    return [_pin(row) for row in rows]


def _pin(row: Mapping[str, Any]) -> Pin:
    start, end = _span(row["span"])
    return Pin(
        _name(row["citation"]),
        _name(row["path"]),
        _hash(row["rev"]),
        start,
        end,
        _hash(row["span_sha256"]),
        # The span stands in its line, and so no further in than in its file.
        _count(row["lead"], start),
    )


def _name(value: Any) -> str:
    """Return text that can name a file: surrogates stand only for bytes of its name."""
    if not isinstance(value, str):
        raise TypeError("a text is missing")
    value.encode("utf-8", "surrogateescape")
    return value


def _hash(value: Any) -> str:
    if not _SHA256.fullmatch(value):
        raise ValueError("a hash is malformed")
    return str(value)


def _span(value: Any) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise TypeError("a span is malformed")
    end = _count(value[1], _LARGEST)
    return _count(value[0], end), end


def _count(value: Any, most: int) -> int:
    # True is an int to Python, and no number to JSON.
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError("a span is malformed")
    return value
