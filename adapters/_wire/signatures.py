"""What a public function takes, read from its signature.

Annotations are read as text: the libraries import many of their types for the
type checker alone, and nothing here needs more than their shape.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections import abc
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin

import attrs

__all__ = ["Parameter", "parameters", "resolve"]

_SCALARS = {
    "str": "text",
    "int": "integer",
    "float": "number",
    "bool": "flag",
}
_MANY = re.compile(
    r"(?:Sequence|Iterable|Collection|list|tuple|set|frozenset)\[(.+?)(?:, \.\.\.)?\]"
)
_LITERAL = re.compile(r"Literal\[(.+)\]")


@attrs.frozen
class Parameter:
    """One argument of a public function.

    Attributes:
        kind: `text`, `integer`, `number`, `flag`, `switch` (yes, no or not said),
            or `json` for everything that has a shape of its own.
        many: whether it takes a list.
    """

    name: str
    kind: str
    many: bool = False
    required: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()


def resolve(function: str) -> Callable[..., Any]:
    """Return the function that `package:Name.method` names."""
    module, _, path = function.partition(":")
    target: Any = importlib.import_module(module)
    for part in path.split("."):
        target = getattr(target, part)
    return target  # type: ignore[no-any-return]


def parameters(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Return the parameters of a function by name, without `self`."""
    known = inspect.signature(function).parameters
    scope = getattr(inspect.unwrap(function), "__globals__", {})
    return {
        name: _parameter(item, scope)
        for name, item in known.items()
        if name != "self" and item.kind is not item.VAR_KEYWORD
    }


def _parameter(item: inspect.Parameter, scope: dict[str, Any]) -> Parameter:
    required = item.default is item.empty and item.kind is not item.VAR_POSITIONAL
    default = None if item.default is item.empty else item.default
    kind, many, choices = _shape(str(item.annotation), scope)
    return Parameter(
        name=item.name,
        kind=kind,
        many=many or item.kind is item.VAR_POSITIONAL,
        required=required,
        default=default,
        choices=choices,
    )


def _shape(annotation: str, scope: dict[str, Any]) -> tuple[str, bool, tuple[str, ...]]:
    """Return kind, whether it is a list, and choices."""
    alternatives = [_aliased(part, scope) for part in _alternatives(annotation)]
    text = " | ".join(part for part in alternatives if part != "None")
    lists = [match for part in alternatives if (match := _MANY.fullmatch(part))]
    if lists:
        kind, _, choices = _shape(lists[0][1].strip("\"'"), scope)
        return kind, True, choices
    if match := _LITERAL.fullmatch(text):
        words = (part.strip().strip("\"'") for part in match[1].split(","))
        return "text", False, tuple(words)
    if text == "bool" and "None" in alternatives:
        return "switch", False, ()
    if any(part.startswith("Mapping[") for part in alternatives):
        return "json", False, ()
    if "str" in alternatives:  # a text, or a value that can be written as one
        return "text", False, ()
    return _SCALARS.get(text, "json"), False, ()


def _alternatives(annotation: str) -> list[str]:
    """Split a union at its own bars, not at those inside brackets."""
    parts, depth = [""], 0
    for character in annotation:
        depth += (character == "[") - (character == "]")
        if character == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _aliased(part: str, scope: dict[str, Any]) -> str:
    """Return a part of an annotation with a module's own name for it replaced."""
    alias = scope.get(part)
    if get_origin(alias) is Literal:
        return f"Literal[{', '.join(map(str, get_args(alias)))}]"
    if get_origin(alias) in (abc.Iterable, abc.Sequence):
        return "Iterable[str]"
    return part
