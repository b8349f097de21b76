"""Lazy packages: a name is imported when it is first asked for."""

from __future__ import annotations

import importlib
import sys

# `typing` would be most of the time that importing a package takes.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = ["attach"]


def attach(
    package: str, table: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a package.

    Args:
        package: the package's `__name__`.
        table: public name to `module` or `module:name`, relative to the package.
    """

    def load(name: str) -> Any:
        if name not in table:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = table[name].partition(":")
        value = getattr(
            importlib.import_module(f"{package}.{module}"), attribute or name
        )
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(table)
    return load, lambda: names, names
