"""Where hsum keeps what is the user's: indexes, bindings, caches."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["cache_folder", "config_folder", "data_folder", "indexes_folder"]

HOME_VARIABLE = "HSUM_HOME"


def data_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return `$HSUM_HOME/data`, or the platform's data directory for hsum."""
    return _home("data", environ) or _platform_folder("data")


def config_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return `$HSUM_HOME/config`, or the platform's config directory for hsum."""
    return _home("config", environ) or _platform_folder("config")


def cache_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return `$HSUM_HOME/cache`, or the platform's cache directory for hsum."""
    return _home("cache", environ) or _platform_folder("cache")


def indexes_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder that holds one directory for each managed index."""
    return data_folder(environ) / "indexes"


def _home(part: str, environ: Mapping[str, str] | None) -> Path | None:
    home = (os.environ if environ is None else environ).get(HOME_VARIABLE)
    return Path(home).expanduser().absolute() / part if home else None


def _platform_folder(part: str) -> Path:
    import platformdirs

    folders = platformdirs.PlatformDirs("hsum", appauthor=False)
    return Path(getattr(folders, f"user_{part}_dir"))
