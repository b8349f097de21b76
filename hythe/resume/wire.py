"""The JSON of resume, as its clients know it: camelCase, empty fields left out."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs

from hsum._kernel.clock import micros, rfc3339
from hsum._kernel.escape import json_text
from hythe.resume.evidence import Cited
from hythe.resume.sections import SECTIONS

if TYPE_CHECKING:
    from hythe.resume.bundle import Resume
    from hythe.resume.coverage import Coverage

__all__ = ["compact", "item", "payload", "wire"]


def wire(resume: Resume) -> dict[str, Any]:
    """Return an answer as plain JSON data.

    Section names are keys as they are; `coverage` has a row for each: included,
    total, complete, reason.
    """
    return {
        "untrustedContent": True,
        "resultVersion": resume.result_version,
        "scope": item(resume.scope),
        "agent": resume.agent,
        "asOf": item(resume.as_of),
        "coverage": {name: _row(resume.coverage[name]) for name in SECTIONS},
        **{name: item(getattr(resume, name)) for name in SECTIONS},
        "oversize": item(resume.oversize),
        "next": resume.next,
    }


def compact(value: Any) -> str:
    """Return JSON data in its shortest form."""
    return json_text(value)


def item(value: Any) -> Any:
    """Return one value as JSON data; what is None or empty is left out of objects."""
    if isinstance(value, Cited):
        return _checked(value)
    if isinstance(value, (list, tuple)):
        return [item(part) for part in value]
    if isinstance(value, datetime):
        return rfc3339(micros(value))
    return _object(value) if attrs.has(type(value)) else value


def payload(value: Any) -> bytes:
    """Return the bytes that a handle of this value reads: it alone, as JSON.

    A handle names the place of a value, so that its provenance is left out.
    """
    inner = getattr(value, "value", value)
    if getattr(inner, "provenance", None) is not None:
        inner = attrs.evolve(inner, provenance=None)
    return compact(item(inner)).encode()


def _object(value: Any) -> dict[str, Any]:
    kind: Any = type(value)
    found = ((sent, getattr(value, name)) for name, sent in _names(kind))
    return {sent: item(part) for sent, part in found if not _is_void(part)}


@cache
def _names(kind: Any) -> tuple[tuple[str, str], ...]:
    """Return the fields of a value, each with the name it is sent under."""
    return tuple((field.name, _camel(field.name)) for field in attrs.fields(kind))


def _is_void(part: Any) -> bool:
    return part is None or part is False or part in ((), {})


def _checked(citation: Cited) -> dict[str, Any]:
    return {
        "citation": str(citation),
        "sourceState": citation.source_state,
        "spanState": citation.span_state,
    }


def _row(coverage: Coverage) -> list[Any]:
    return [coverage.included, coverage.total, coverage.complete, coverage.reason]


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)
