"""Cursors of resume: where one section goes on, and which sections follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import attrs

from hsum._kernel import cursors
from hsum._kernel.canonical import digest_of
from hsum._kernel.faults import Fault
from hythe.resume.sections import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Place",
    "binding",
    "check_asked",
    "check_fresh",
    "read_cursor",
    "write_cursor",
]

_KIND = "r"
_BINDING = 8


@final
@attrs.frozen
class Place:
    """Where a section goes on: behind `position`, None for its beginning.

    `mark` is what the section's mark was when it was read; a section that was not
    begun needs none.
    """

    section: str
    position: int | None = None
    mark: int | None = None


def binding(*parts: str | int | None) -> str:
    """Digest what a cursor is bound to: store, scope, caller and result version."""
    return digest_of(list(parts))[:_BINDING]


def write_cursor(bound_to: str, places: Iterable[Place]) -> str | None:
    """Return a cursor to the first place; the others follow when it is done."""
    rows = [_row(place) for place in places]
    return cursors.encode(_KIND, {"b": bound_to, "p": rows}) if rows else None


def _row(place: Place) -> int | list[int | None]:
    index = SECTIONS.index(place.section)
    return index if place.position is None else [index, place.position, place.mark]


def read_cursor(bound_to: str, token: Any) -> tuple[Place, ...]:
    """Return the places of a cursor, the one to continue first.

    Raises:
        Fault: `INVALID_ARGUMENT` for what is no cursor of resume, or is one of
            another caller, scope, store or result version.
    """
    payload = cursors.decode(_KIND, token, b=str, p=list)
    if payload["b"] != bound_to:
        raise Fault(
            "INVALID_ARGUMENT",
            "this cursor belongs to another caller, scope or result version",
            hint="Call resume without a cursor first, as the same agent.",
            details={"path": "$.cursor"},
        )
    if not payload["p"] or not all(map(_is_row, payload["p"])):
        raise cursors.foreign()
    return tuple(map(_place, payload["p"]))


def check_asked(place: Place, asked: tuple[str, ...]) -> None:
    """Refuse a cursor whose section is not among those that are asked for.

    Raises:
        Fault: `INVALID_ARGUMENT`.
    """
    if place.section not in asked:
        raise Fault(
            "INVALID_ARGUMENT",
            f"the cursor continues {place.section}, which sections leaves out",
            hint="Leave sections out: a cursor knows its section.",
            details={"path": "$.sections", "section": place.section},
        )


def _is_row(row: Any) -> bool:
    whole = [row, 0, 0] if type(row) is int else row
    if not isinstance(whole, list) or len(whole) != 3:
        return False
    index, position, mark = whole
    numbers = (index, position, 0 if mark is None else mark)
    return all(type(at) is int for at in numbers) and 0 <= index < len(SECTIONS)


def _place(row: int | list[int | None]) -> Place:
    index, *rest = row if isinstance(row, list) else [row]
    return Place(SECTIONS[index or 0], *rest)


def check_fresh(place: Place, mark: int | None) -> None:
    """Refuse to go on in a section that has changed.

    Raises:
        Fault: `STALE_CURSOR`.
    """
    if place.position is not None and place.mark != mark:
        raise Fault(
            "STALE_CURSOR",
            f"the section {place.section} has changed since the cursor was made",
            hint=f"Call resume with sections=['{place.section}'] to start it again.",
            details={"section": place.section},
        )
