"""The one text that a JSON path names: read and replaced, nothing else touched."""

from __future__ import annotations

import copy
import re
from typing import Any

from hsum._kernel.faults import Fault

__all__ = ["replaced", "steps"]

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


def steps(path: str) -> list[str | int]:
    """Return the names and numbers of a path such as `$.facts[0].object`.

    Raises:
        Fault: `INVALID_ARGUMENT` for what is no such path.
    """
    found: list[str | int] = []
    at = 1
    while path.startswith("$") and (step := _STEP.match(path, at)):
        name, number = step.groups()
        found.append(name if number is None else int(number))
        at = step.end()
    if not found or at != len(path):
        raise refused(path, "is no path such as $.facts[0].object")
    return found


def replaced(
    data: Any, names: list[str | int], path: str, text: str
) -> tuple[Any, str]:
    """Return a copy of the data with another text at a place, and the text it had.

    Raises:
        Fault: `NOT_FOUND` where nothing is there, `INVALID_ARGUMENT` for no text.
    """
    changed = copy.deepcopy(data)
    *way, last = names
    try:
        parent = changed
        for name in way:
            parent = parent[name]
        before = parent[last]
        if isinstance(before, str):
            parent[last] = text
    except (KeyError, IndexError, TypeError):
        raise Fault(
            "NOT_FOUND",
            f"nothing is recorded at {path}",
            hint="Name one text by its path, as a secret_warning does.",
            details={"path": path},
        ) from None
    if not isinstance(before, str):
        raise refused(path, "is no text")
    return changed, before


def refused(path: str, why: str) -> Fault:
    """Return the refusal of a path."""
    return Fault(
        "INVALID_ARGUMENT",
        f"{path} {why}",
        hint="Name one text by its path, as a secret_warning does.",
        details={"path": path},
    )
