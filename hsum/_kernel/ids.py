"""Identifiers: lowercase hyphenated UUIDs, from a source that tests can replace."""

from __future__ import annotations

import hashlib
import os
import time
import uuid
from collections.abc import Callable
from typing import Any

from hsum._kernel.faults import Fault

__all__ = ["Ids", "SequentialIds", "as_ids", "is_uuid", "random_ids"]

Ids = Callable[[], str]

_48_BITS = 2**48 - 1


def random_ids() -> str:
    """Return a new UUID (RFC 9562, version 7): milliseconds, then 74 random bits.

    Ids that are made together lie together in an index, so that a commit writes fewer
    pages. Nothing may be ordered by them: clocks go back.
    """
    digits = f"{time.time_ns() // 1_000_000 & _48_BITS:012x}{os.urandom(10).hex()}"
    variant = "89ab"[int(digits[16], 16) & 3]
    return (
        f"{digits[:8]}-{digits[8:12]}-7{digits[13:16]}-{variant}{digits[17:20]}"
        f"-{digits[20:]}"
    )


class SequentialIds:
    """Give the same well-formed UUIDs in the same order for the same seed."""

    def __init__(self, seed: str = "") -> None:
        self.seed = seed
        self.count = 0

    def __call__(self) -> str:
        self.count += 1
        material = hashlib.sha256(f"{self.seed}:{self.count}".encode()).digest()
        return str(uuid.UUID(bytes=material[:16], version=4))


def as_ids(source: Callable[[], Any] | None) -> Ids:
    """Return an id source for any callable that gives UUIDs or their text."""
    if source is None:
        return random_ids
    if not callable(source):
        raise Fault("INVALID_ARGUMENT", "ids must be callable")
    return lambda: _checked(source())


def is_uuid(text: Any) -> bool:
    """Tell whether `text` is a UUID in lowercase hyphenated form."""
    if not isinstance(text, str) or len(text) != 36:
        return False
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


def _checked(value: Any) -> str:
    text = str(value)
    if not is_uuid(text):
        raise Fault("INVALID_ARGUMENT", f"the id source gave {text[:80]!r}, not a UUID")
    return text
