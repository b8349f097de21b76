"""Time as integer UTC microseconds, shown as RFC 3339."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from hsum._kernel.faults import Fault

__all__ = [
    "Clock",
    "SettableClock",
    "as_clock",
    "micros",
    "rfc3339",
    "system_clock",
]

Clock = Callable[[], int]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND


def system_clock() -> int:
    """Return the time of the machine in UTC microseconds."""
    return time.time_ns() // 1_000


class SettableClock:
    """A clock that stands still, or steps by a fixed time at each reading.

    Args:
        start: RFC 3339 text, an aware datetime or microseconds.
        step: seconds added after each reading.
    """

    def __init__(
        self, start: Any = "2026-01-01T00:00:00Z", *, step: float = 0.0
    ) -> None:
        self.now = micros(start)
        self.step = round(step * 1_000_000)

    def __call__(self) -> int:
        now, self.now = self.now, self.now + self.step
        return now

    def advance(self, seconds: float) -> None:
        """Move the clock; a negative number moves it back."""
        self.now += round(seconds * 1_000_000)

    def set(self, moment: Any) -> None:
        """Set the clock to RFC 3339 text, an aware datetime or microseconds."""
        self.now = micros(moment)

    def __repr__(self) -> str:
        return f"<SettableClock {rfc3339(self.now)}>"


def as_clock(source: Callable[[], Any] | None) -> Clock:
    """Return a clock for any callable that gives microseconds or aware datetimes."""
    if source is None:
        return system_clock
    if not callable(source):
        raise Fault("INVALID_ARGUMENT", "clock must be callable")
    return lambda: micros(source())


def micros(moment: Any, path: str = "$") -> int:
    """Return a moment as UTC microseconds.

    Raises:
        Fault: `INVALID_ARGUMENT` for a naive datetime, for text that is not
            RFC 3339 with an offset, outside the years 1 to 9999, and for anything
            else.
    """
    if type(moment) is int:
        return _in_range(moment, path)
    if isinstance(moment, str):
        moment = _parsed(moment, path)
    if not isinstance(moment, datetime):
        raise Fault(
            "INVALID_ARGUMENT",
            f"{path} must be a time, not {type(moment).__name__}",
            details={"path": path},
        )
    if moment.utcoffset() is None:
        raise Fault(
            "INVALID_ARGUMENT",
            f"{path} is a time without an offset",
            hint="Give an aware datetime, or RFC 3339 text such as 2026-01-31T09:00:00Z.",
            details={"path": path},
        )
    return _in_range((moment - _EPOCH) // _MICROSECOND, path)


def _in_range(moment: int, path: str) -> int:
    if _FIRST <= moment <= _LAST:
        return moment
    raise Fault(
        "INVALID_ARGUMENT",
        f"{path} is outside the years 1 to 9999",
        details={"path": path},
    )


def _parsed(text: str, path: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise Fault(
            "INVALID_ARGUMENT",
            f"{path} is not an RFC 3339 time: {text[:80]!r}",
            details={"path": path},
        ) from None


def rfc3339(moment: int) -> str:
    """Return microseconds as RFC 3339 text in UTC, with as many digits as needed."""
    text = (_EPOCH + moment * _MICROSECOND).isoformat()
    return text.removesuffix("+00:00") + "Z"
