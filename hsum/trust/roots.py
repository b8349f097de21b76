"""The root that a folder belongs to."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["enclosing_repository", "resolved"]


def enclosing_repository(folder: str) -> str | None:
    """Return the nearest folder from `folder` upwards that has a `.git`, or None."""
    for candidate in (Path(folder), *Path(folder).parents):
        if (candidate / ".git").exists():
            return str(candidate)
    return None


def resolved(path: str | os.PathLike[str]) -> str:
    """Return `path` absolute, with `~` expanded and links resolved."""
    return os.path.realpath(os.path.expanduser(os.fspath(path)))
