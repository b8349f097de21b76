"""Mappings into values: cattrs checks the shape, every fault at once."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import cattrs

    from hythe.checkpoint.content import Faults

__all__ = ["structured"]

V = TypeVar("V")


def structured(kind: type[V], value: Any, path: str, faults: Faults) -> V | None:
    """Return `value` as `kind`, or None after noting what is wrong with its shape.

    Only the keys are checked here; what stands under them is checked with the
    values that are given as such.
    """
    if isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        name = type(value).__name__
        faults.add(path, f"must be a {kind.__name__} or a mapping, not {name}")
        return None
    if not all(isinstance(key, str) for key in value):
        faults.add(path, "has a key that is not text")
        return None
    return _from_mapping(kind, value, path, faults)


def _from_mapping(
    kind: type[V], value: Mapping[str, Any], path: str, faults: Faults
) -> V | None:
    import cattrs

    try:
        return _converter().structure(value, kind)
    except cattrs.ClassValidationError as error:
        _note(error, path, faults)
        return None


def _note(error: cattrs.ClassValidationError, path: str, faults: Faults) -> None:
    import cattrs

    for inner in error.exceptions:
        if isinstance(inner, cattrs.ForbiddenExtraKeysError):
            for name in sorted(inner.extra_fields):
                faults.add(f"{path}.{name}", "is not known here")
        elif isinstance(inner, KeyError):
            faults.add(f"{path}.{inner.args[0]}", "is missing")
        else:
            faults.add(path, str(inner))


@functools.cache
def _converter() -> cattrs.Converter:
    import cattrs

    converter = cattrs.Converter(forbid_extra_keys=True, detailed_validation=True)
    # Every field passes as it is: cattrs would turn 5 into "5" and a text into a
    # list of characters, where a fault is due.
    converter.register_structure_hook_func(_is_field, lambda value, _: value)
    return converter


def _is_field(kind: Any) -> bool:
    import attrs

    return not (isinstance(kind, type) and attrs.has(kind))
