"""Pins: which bytes a citation was about. A lock file is a list of them."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import attrs

from hsum.errors import fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hsum.model.check import Found

__all__ = ["Pin", "key_of", "line_span", "pin_of", "read_lock", "write_lock"]

FORMAT = "hsum-citations/1"


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
    except (ValueError, TypeError, KeyError) as exc:
        raise fault(
            "INVALID_ARGUMENT",
            f"{name} is not a lock file of citations ({exc})",
            hint="Write it again with --lock, or restore it from version control.",
            path=name,
        ) from None
    return {pin.key: pin for pin in pins}


def _pins(value: Mapping[str, Any]) -> list[Pin]:
    if value["format"] != FORMAT:
        raise ValueError(value["format"])
    return [_pin(row) for row in value["citations"]]


def _pin(row: Mapping[str, Any]) -> Pin:
    start, end = row["span"]
    pin = Pin(
        row["citation"], row["path"], row["rev"], start, end, row["span_sha256"],
        row["lead"],
    )  # fmt: skip
    texts = (pin.key, pin.path, pin.rev, pin.sha256)
    numbers = (pin.start, pin.end, pin.lead)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a text is missing")
    if not all(isinstance(n, int) for n in numbers) or not 0 <= start <= end:
        raise ValueError("a span is malformed")
    return pin
