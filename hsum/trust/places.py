"""Where hsum keeps what is the user's: indexes, bindings, caches."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hsum._kernel.files import as_path

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["cache_folder", "config_folder", "data_folder", "indexes_folder"]

HOME_VARIABLE = "HSUM_HOME"

_XDG = {
    "data": ("XDG_DATA_HOME", ".local/share"),
    "config": ("XDG_CONFIG_HOME", ".config"),
    "cache": ("XDG_CACHE_HOME", ".cache"),
}
_MACOS = {
    "data": "Library/Application Support",
    "config": "Library/Application Support",
    "cache": "Library/Caches",
}


def data_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return `$HSUM_HOME/data`, or the platform's data directory for hsum."""
    return _folder("data", os.environ if environ is None else environ)


def config_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return `$HSUM_HOME/config`, or the platform's config directory for hsum."""
    return _folder("config", os.environ if environ is None else environ)


def cache_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return `$HSUM_HOME/cache`, or the platform's cache directory for hsum."""
    return _folder("cache", os.environ if environ is None else environ)


def indexes_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder that holds one directory for each managed index."""
    return data_folder(environ) / "indexes"


def _folder(part: str, environ: Mapping[str, str]) -> Path:
    home = environ.get(HOME_VARIABLE)
    if home:
        return as_path(home, HOME_VARIABLE) / part
    return _platform_folder(part, environ)


def _platform_folder(part: str, environ: Mapping[str, str]) -> Path:
    """Return the folder of the XDG Base Directory Specification, or of macOS.

    The library for this, platformdirs, takes a fifth of the time that a search from
    the command line may take.
    """
    if sys.platform == "darwin":
        return Path.home() / _MACOS[part] / "hsum"
    variable, usual = _XDG[part]
    named = Path(environ.get(variable) or "")
    # The specification has relative paths ignored.
    return (named if named.is_absolute() else Path.home() / usual) / "hsum"
