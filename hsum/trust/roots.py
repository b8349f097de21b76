"""The root that a folder belongs to."""

from __future__ import annotations

import os
from pathlib import Path

from hsum._kernel.files import as_path

__all__ = ["enclosing_repository", "resolved"]


def enclosing_repository(folder: str) -> str | None:
    """Return the nearest folder from `folder` upwards that has a `.git`, or None."""
    for candidate in (Path(folder), *Path(folder).parents):
        if (candidate / ".git").exists():
            return str(candidate)
    return None


def resolved(path: str | os.PathLike[str]) -> str:
    """Return `path` absolute, with `~` expanded and links resolved.

    Raises:
        Fault: `INVALID_ARGUMENT` for what is no path.
    """
    return os.path.realpath(as_path(path, "$.root"))
