"""Numbers, sizes and times as people read them."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["count", "moment", "size"]


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(of: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    if of < 1_000:
        return f"{of} B"
    scaled, units = float(of), iter(("kB", "MB", "GB", "TB"))
    unit = "B"
    while scaled >= 1_000:
        scaled, unit = scaled / 1_000, next(units)
    return f"{scaled:.1f} {unit}"


def moment(at: datetime | str) -> str:
    """Return a time to the second; JSON has it whole."""
    when = datetime.fromisoformat(at) if isinstance(at, str) else at
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z"
