r"""Values of the libraries as plain JSON data, by functions over their fields.

The data is valid UTF-8 whatever stands in the values: bytes that `os.fsdecode`
could not read become `\xNN`, and a path that has such bytes also comes as
`path_base64`.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from typing import Any

import attrs

__all__ = ["Encoder", "base64_text", "camel", "readable", "snake"]

_SURROGATE = re.compile("[\ud800-\udfff]")


class Encoder:
    """Turn frozen values into JSON data, in one style of names.

    Args:
        name: the JSON key of a Python field name.
        special: functions for the types that are not just their fields.
    """

    def __init__(
        self,
        name: Callable[[str], str],
        special: Mapping[type, Callable[[Any, Encoder], Any]],
    ) -> None:
        self.name = name
        self.special = dict(special)

    def __call__(self, value: Any) -> Any:
        """Return `value` as JSON data."""
        kind = type(value)
        if value is None or kind in (bool, int, float):
            return value
        if kind is str:
            return readable(value)
        if kind in self.special:
            return self.special[kind](value, self)
        if attrs.has(kind):
            return self.fields(value)
        return self._plain(value)

    def fields(
        self, value: Any, *, without: AbstractSet[str] = frozenset()
    ) -> dict[str, Any]:
        """Return the public fields of an attrs value, but those in `without`."""
        data: dict[str, Any] = {}
        kind: type = type(value)
        for field in public_fields(kind):
            if field not in without:
                self._add(data, field, getattr(value, field))
        return data

    def _add(self, data: dict[str, Any], field: str, item: Any) -> None:
        data[self.name(field)] = self(item)
        if field == "path" and isinstance(item, str) and _SURROGATE.search(item):
            data[self.name("path_base64")] = base64_text(os.fsencode(item))

    def _plain(self, value: Any) -> Any:
        if isinstance(value, Enum):
            return self(value.value)
        if isinstance(value, str):
            return readable(str(value))
        if isinstance(value, (bytes, bytearray)):
            return base64_text(bytes(value))
        if isinstance(value, datetime):
            return value.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"
        if isinstance(value, os.PathLike):
            return readable(os.fspath(value))
        if isinstance(value, Mapping):
            return {readable(str(key)): self(item) for key, item in value.items()}
        if isinstance(value, AbstractSet):
            return sorted(self(item) for item in value)
        if isinstance(value, Sequence):
            return [self(item) for item in value]
        return readable(str(value))


@lru_cache
def public_fields(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of an attrs class that users see."""
    names = (field.name for field in attrs.fields(kind))
    return tuple(name for name in names if not name.startswith("_"))


def readable(text: str) -> str:
    r"""Return text that UTF-8 can carry; bytes kept by `os.fsdecode` become `\xNN`."""
    return text if text.isascii() else _SURROGATE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    low = 0xDC80 <= code <= 0xDCFF
    return f"\\x{code - 0xDC00:02x}" if low else f"\\u{code:04x}"


def base64_text(data: bytes) -> str:
    """Return the standard base64 of `data`."""
    return base64.b64encode(data).decode("ascii")


def snake(name: str) -> str:
    """Return a Python name as hsum's JSON spells it: unchanged."""
    return name


@lru_cache
def camel(name: str) -> str:
    """Return a Python name as hythe's JSON spells it: `next_actions` is `nextActions`."""
    head, *rest = name.rstrip("_").split("_")
    return head + "".join(part.capitalize() for part in rest)
