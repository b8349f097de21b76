"""JSON Schemas (2020-12) of what goes into tools and comes out of them.

Made from the same signatures and attrs fields that structure and encode the data,
so that they cannot say anything else.
"""

from __future__ import annotations

import importlib
import types
import typing
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

import attrs

from adapters._wire.encode import camel, public_fields, snake
from adapters._wire.signatures import Parameter

__all__ = ["input_schema", "named", "output_schema", "value_schema"]

_SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    bytes: {"type": "string", "contentEncoding": "base64"},
    datetime: {"type": "string", "format": "date-time"},
    type(None): {"type": "null"},
}
_KINDS = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "switch": {"type": "boolean"},
    "json": {},
}
# How a checkpoint is named in JSON: by id, content hash or revision.
_NAMED = {"type": ["string", "integer"]}


def input_schema(
    parameters: Mapping[str, Parameter],
    *,
    spell: Callable[[str], str],
    meanings: Mapping[str, str],
    shapes: Mapping[str, dict[str, Any]] | None = None,
    aliases: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the schema of an object of arguments; it takes nothing else.

    Args:
        parameters: what the function takes.
        spell: the JSON name of a Python name.
        meanings: what a parameter means, by its Python name.
        shapes: schemas of the parameters that are no scalars.
        aliases: other names of parameters, each of which is offered too.
    """
    properties = {}
    required = []
    other = {name: alias for alias, name in (aliases or {}).items()}
    for name, item in parameters.items():
        schema = _parameter(item, (shapes or {}).get(name), meanings.get(name))
        properties[spell(name)] = schema
        if name in other:
            properties[other[name]] = {
                **schema,
                "description": f"Same as {spell(name)}.",
            }
        elif item.required:
            required.append(spell(name))
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _parameter(
    item: Parameter, shape: dict[str, Any] | None, meaning: str | None
) -> dict[str, Any]:
    schema = dict(_KINDS[item.kind] if shape is None else shape)
    if item.choices:
        schema["enum"] = list(item.choices)
    if item.many and shape is None and item.kind != "json":
        schema = {"type": "array", "items": schema}
    if meaning:
        schema["description"] = meaning
    if isinstance(item.default, (str, int, float)) and item.default != "":
        schema["default"] = item.default
    return schema


def named() -> dict[str, Any]:
    """Return the schema of how a checkpoint is named."""
    return dict(_NAMED)


def value_schema(kind: type, *, spell: Callable[[str], str] = camel) -> dict[str, Any]:
    """Return the schema of a value that comes in: its fields and no others."""
    properties = {}
    required = []
    hints = _hints(kind)
    for field in attrs.fields(kind):
        if field.name in public_fields(kind) and field.name != "provenance":
            properties[spell(field.name)] = _schema(hints[field.name], spell)
            if field.default is attrs.NOTHING:
                required.append(spell(field.name))
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def output_schema(kind: Any, *, spell: Callable[[str], str] = snake) -> dict[str, Any]:
    """Return the schema of a result; what the encoders add is allowed for."""
    schema = _schema(kind, spell)
    return schema if schema.get("type") == "object" else {"type": "object"}


def _schema(kind: Any, spell: Callable[[str], str]) -> dict[str, Any]:
    if kind in _SCALARS:
        return dict(_SCALARS[kind])
    origin = get_origin(kind)
    if origin is Literal:
        return {"enum": list(get_args(kind))}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(part, spell) for part in get_args(kind)]}
    if origin in (tuple, list) or origin is typing.get_origin(typing.Sequence[int]):
        return {"type": "array", "items": _schema(get_args(kind)[0], spell)}
    if origin in (dict, typing.get_origin(typing.Mapping[str, int])):
        return {"type": "object"}
    if isinstance(kind, type) and kind.__name__ == "Citation":
        return {"type": "string", "pattern": "^hsum://v1/"}
    if isinstance(kind, type) and attrs.has(kind):
        return _object(kind, spell)
    return {}


def _object(kind: type, spell: Callable[[str], str]) -> dict[str, Any]:
    hints = _hints(kind)
    return {
        "type": "object",
        "properties": {
            spell(name): _schema(hints[name], spell) for name in public_fields(kind)
        },
    }


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Resolve the annotations of a value, also those that only checkers import."""
    package = kind.__module__.partition(".")[0]
    return typing.get_type_hints(kind, localns=_namespace(package))


@cache
def _namespace(package: str) -> dict[str, Any]:
    import collections.abc

    names: dict[str, Any] = {"datetime": datetime}
    modules = (importlib.import_module(name) for name in _MODULES[package])
    for module in (collections.abc, typing, *modules):
        names |= {key: value for key, value in vars(module).items() if key[0] != "_"}
    return names


# Where the names in annotations are defined; two packages may share a name.
_MODULES = {
    "hsum": ("hsum.model", "hsum.model.check"),
    "hythe": (
        "hythe.model",
        "hythe.identity.model",
        "hythe.mail.model",
        "hythe.observe.model",
    ),
}
