"""JSON that comes in, as the arguments of a library function.

cattrs checks what front ends cannot leave to the library: that no argument is
unknown or missing, and that each is of its kind; every fault is reported at once,
with its path. What has a shape of its own (a state, facts) goes to the library
under its Python names, and the library checks it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import attrs

from adapters._wire.encode import camel
from adapters._wire.signatures import Parameter
from hsum import Fault

__all__ = ["arguments", "pythonic"]

_TYPES: dict[str, Any] = {
    "text": str,
    "integer": int,
    "number": float,
    "flag": bool,
    "switch": bool,
    "json": Any,
}
_WORDS = {str: "text", int: "an integer", float: "a number", bool: "true or false"}
_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")


def arguments(
    parameters: Mapping[str, Parameter],
    given: Mapping[str, Any],
    *,
    aliases: Mapping[str, str] | None = None,
    camelled: bool = False,
) -> dict[str, Any]:
    """Return the arguments to call a function with.

    Args:
        parameters: what the function takes.
        given: the JSON object that came in.
        aliases: other names of parameters.
        camelled: whether the object spells names as hythe's JSON does.

    Raises:
        Fault: `INVALID_ARGUMENT`; its details list every fault with its path.
    """
    import cattrs

    spell = camel if camelled else str
    named = _named(parameters, given, aliases or {}, spell)
    try:
        made = _converter().structure(named, _shape(tuple(parameters.values())))
    except cattrs.ClassValidationError as exc:
        raise _refusal(list(_faults(exc, "$", spell))) from None
    found = {name: getattr(made, name) for name in parameters if name in named}
    if not camelled:
        return found
    return {
        name: pythonic(value, f"$.{camel(name)}")
        if parameters[name].kind == "json" and name != "metadata"
        else value
        for name, value in found.items()
    }


def _named(
    parameters: Mapping[str, Parameter],
    given: Mapping[str, Any],
    aliases: Mapping[str, str],
    spell: Callable[[str], str],
) -> dict[str, Any]:
    """Return the object under Python names; a null stands for nothing given."""
    names = {spell(name): name for name in parameters}
    names |= {alias: name for alias, name in aliases.items() if name in parameters}
    twice = sorted(key for key in given if _other(key, names, given))
    if twice:
        raise _refusal([(f"$.{key}", "is given under two names") for key in twice])
    return {
        names.get(key, key + "\0"): value
        for key, value in given.items()
        if value is not None or key not in names or _takes_null(parameters[names[key]])
    }


def _other(key: str, names: Mapping[str, str], given: Mapping[str, Any]) -> bool:
    same = [other for other in given if names.get(other, other) == names.get(key, key)]
    return key != same[0]


def _takes_null(parameter: Parameter) -> bool:
    return parameter.kind == "json" and parameter.required


@cache
def _shape(parameters: tuple[Parameter, ...]) -> type:
    fields = {
        item.name: attrs.field(type=_type(item), default=attrs.NOTHING)
        if item.required
        else attrs.field(type=_type(item), default=None)
        for item in sorted(parameters, key=lambda item: not item.required)
    }
    return attrs.make_class("Arguments", fields, kw_only=True)


def _type(parameter: Parameter) -> Any:
    one = _TYPES[parameter.kind]
    many = parameter.many and parameter.kind != "json"
    return list.__class_getitem__(one) if many else one


@cache
def _converter() -> Any:
    import cattrs

    converter = cattrs.Converter(forbid_extra_keys=True, detailed_validation=True)
    for kind in (str, int, float, bool):
        converter.register_structure_hook(kind, _strictly)
    return converter


def _strictly(value: Any, kind: type) -> Any:
    """Take a value of its kind; cattrs alone would turn 5 into "5"."""
    whole = kind is float and type(value) is int
    if type(value) is not kind and not whole:
        raise TypeError(f"must be {_WORDS[kind]}, not {_called(value)}")
    return value


def _called(value: Any) -> str:
    return {
        type(None): "null",
        dict: "an object",
        list: "a list",
    }.get(type(value)) or _WORDS.get(type(value), type(value).__name__)


def _faults(
    exc: BaseException, path: str, spell: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    """Walk a group of cattrs to its leaves; the notes say where each stands."""
    import cattrs

    if isinstance(exc, cattrs.BaseValidationError):
        for inner in exc.exceptions:
            yield from _faults(inner, path + _step(inner, spell), spell)
    elif isinstance(exc, cattrs.ForbiddenExtraKeysError):
        for name in sorted(exc.extra_fields):
            yield f"{path}.{name.rstrip(chr(0))}", "is not known here"
    elif isinstance(exc, KeyError):
        yield f"{path}.{spell(str(exc.args[0]))}", "is missing"
    else:
        yield path, str(exc)


def _step(exc: BaseException, spell: Callable[[str], str]) -> str:
    from cattrs.errors import AttributeValidationNote, IterableValidationNote

    for note in getattr(exc, "__notes__", ()):
        if isinstance(note, IterableValidationNote):
            return f"[{note.index}]"
        if isinstance(note, AttributeValidationNote) and not isinstance(exc, KeyError):
            return f".{spell(note.name)}"
    return ""


def _refusal(faults: Iterable[tuple[str, str]]) -> Fault:
    found = [{"path": path, "message": message} for path, message in faults]
    return Fault(
        "INVALID_ARGUMENT",
        "; ".join(f"{item['path']} {item['message']}" for item in found[:20]),
        details={"path": found[0]["path"], "faults": found[:100]},
    )


def pythonic(value: Any, path: str = "$") -> Any:
    """Return a value whose own keys, or its items' keys, have their Python names.

    Raises:
        Fault: `INVALID_ARGUMENT` for a key that is not camelCase.
    """
    faults: list[tuple[str, str]] = []
    renamed = _renamed(value, path, faults)
    if faults:
        raise _refusal(faults)
    return renamed


def _renamed(value: Any, path: str, faults: list[tuple[str, str]]) -> Any:
    if isinstance(value, list):
        return [
            _renamed(item, f"{path}[{number}]", faults)
            if isinstance(item, dict)
            else item
            for number, item in enumerate(value)
        ]
    if not isinstance(value, dict):
        return value
    faults += [
        (f"{path}.{key}", f"is not known here; it may be {camel(key)}")
        for key in value
        if camel(key) != key
    ]
    return {_HUMP.sub(r"_\1", key).lower(): item for key, item in value.items()}
