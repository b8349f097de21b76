"""Converters of the values: lists become tuples, aware times become UTC.

A converter never refuses: what it cannot turn is left as it is, and the call that
receives the value refuses it with its path.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

LONGEST = 1_000_000

_PLAIN = (
    str,
    bool,
    int,
    float,
    bytes,
    bytearray,
    Mapping,
    list,
    tuple,
    set,
    type(None),
)


def items(value: Any) -> Any:
    """Turn a list or another iterable into a tuple; a lone text is not a list."""
    if type(value) is tuple or type(value) is list:
        return tuple(value)
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        return value
    return drawn(value)


def drawn(value: Iterable[Any]) -> tuple[Any, ...]:
    """Turn what may never end into a tuple; one longer than `LONGEST` is refused."""
    return tuple(itertools.islice(value, LONGEST + 1))


def references(value: Any) -> Any:
    """Turn a list of texts, or of values whose `str` is one, into texts."""
    found = items(value)
    return tuple(map(_text, found)) if isinstance(found, tuple) else found


def _text(value: Any) -> Any:
    return value if isinstance(value, _PLAIN) else str(value)


def utc(value: Any) -> Any:
    """Turn an aware datetime, or its RFC 3339 text, into one in UTC."""
    if isinstance(value, str):
        return _parsed(value)
    if isinstance(value, datetime) and value.tzinfo is not None:
        return _in_utc(value)
    return value


def _parsed(text: str) -> Any:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return text
    return text if found.tzinfo is None else _in_utc(found)


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # before the year 1, or after 9999
        return moment
