"""Names of managed indexes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from hsum._kernel.faults import Fault
from hsum._kernel.text import shown

__all__ = ["check_name", "folder_name", "free_name"]

_MAX_LENGTH = 64
_STRANGE = re.compile(r"[^\w.-]+")


def folder_name(folder: str) -> str:
    """Return the index name for a folder's name: its letters, digits and `._-`."""
    text = unicodedata.normalize("NFC", folder)
    name = _STRANGE.sub("-", text).strip(".-")[:_MAX_LENGTH]
    return name.encode("utf-8", "ignore").decode() or "index"


def free_name(name: str, taken: Callable[[str], bool]) -> str:
    """Return `name`, or the first of `name-2`, `name-3` ... that is not taken."""
    candidate, number = name, 1
    while taken(candidate):
        number += 1
        candidate = f"{name}-{number}"
    return candidate


def check_name(name: str) -> str:
    """Return `name` if a managed index can have it.

    Raises:
        Fault: `INVALID_ARGUMENT`.
    """
    if isinstance(name, str) and name and folder_name(name) == name:
        return name
    raise Fault(
        "INVALID_ARGUMENT",
        f"{shown(name)} cannot be the name of an index",
        hint="Take at most 64 letters, digits and . _ - and begin with a letter, "
        "a digit or an underscore.",
        details={"path": "$.name", "name": shown(name)},
    )
