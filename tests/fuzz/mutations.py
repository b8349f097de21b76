"""Changes to inputs: any bytes, words of a grammar, and the nodes of JSON values."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["LONGEST", "changed", "mutated"]

LONGEST = 65_536

# Values at the edges of types.
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**53, 2**63, -(2**63), 10**400, 1.5, 1e300, "", "x",
    "0", "\0", "\ud800", "\u2028", "e\u0301", "a" * 300, [], {}, [[]], [None], {"": None},
    {"a": {"b": None}}, "2026-01-01T00:00:00Z", "00000000-0000-4000-8000-000000000001",
)  # fmt: skip

Place = tuple[Any, Any]


def mutated(
    inputs: Sequence[bytes], tokens: Sequence[bytes], draw: random.Random
) -> Iterator[bytes]:
    """Yield inputs with a few changes each, without an end."""
    while True:
        data = draw.choice(inputs)
        for _ in range(draw.choice([1, 1, 2, 3, 8])):
            data = changed(data, inputs, tokens, draw)
        yield data


def changed(
    data: bytes, inputs: Sequence[bytes], tokens: Sequence[bytes], draw: random.Random
) -> bytes:
    """Return data with one change: in its structure where it has one, or anywhere."""
    if draw.random() < 0.6:
        restructured = _restructured(data, draw)
        if restructured is not None:
            return restructured[:LONGEST]
    return _spliced(data, inputs, tokens, draw)[:LONGEST]


def _spliced(
    data: bytes, inputs: Sequence[bytes], tokens: Sequence[bytes], draw: random.Random
) -> bytes:
    at = draw.randrange(len(data) + 1)
    end = min(len(data), at + draw.choice([0, 1, 1, 2, 4, 16, 64]))
    other = draw.choice(inputs)
    start = draw.randrange(len(other) + 1)
    piece = draw.choice(
        [
            b"",
            bytes([draw.randrange(256)]),
            draw.choice(tokens),
            draw.choice(tokens),
            data[at:end] * draw.choice([2, 2, 30]),
            other[start : start + draw.choice([4, 16, 256])],
        ]
    )
    return data[:at] + piece + data[end:]


def _restructured(data: bytes, draw: random.Random) -> bytes | None:
    """Change a node of the JSON value in one of the lines; None where there is none."""
    lines = data.split(b"\n")
    at = draw.randrange(len(lines))
    try:
        top = [json.loads(lines[at])]
        places = list(_places(top))
        _change(places, draw)
        lines[at] = json.dumps(top[0], ensure_ascii=draw.random() < 0.5).encode()
    except (ValueError, RecursionError, IndexError):
        return None
    return b"\n".join(lines)


def _places(value: Any) -> Iterator[Place]:
    """Yield each container with each of its keys or indexes, from the outside in."""
    keys = value if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from _places(value[key])


def _change(places: list[Place], draw: random.Random) -> None:
    holder, key = draw.choice(places)
    other, its = draw.choice(places)
    value = copy.deepcopy(draw.choice([*_VALUES, other[its], other[its]]))
    match draw.randrange(6):
        case 0 if len(places) > 1 and holder is not places[0][0]:
            del holder[key]
        case 1 if isinstance(holder, list) and holder is not places[0][0]:
            holder.insert(key, value)
        case 2 if isinstance(holder, dict):
            names = [name for _, name in places if isinstance(name, str)]
            holder[draw.choice([*names, "x"])] = value
        case 3:
            holder[key] = [holder[key]] * draw.choice([1, 2, 40])
        case 4:
            holder[key], other[its] = other[its], holder[key]
        case _:
            holder[key] = value
