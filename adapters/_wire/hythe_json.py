"""hythe's values as JSON: camelCase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters._wire.encode import Encoder, camel, readable
from adapters._wire.outcomes import written
from hythe import Checkpoint, Fetched, Plan, Relation, Resume

if TYPE_CHECKING:
    from adapters._wire.verbs import Verb

__all__ = ["document", "encode"]


def _plan(plan: Plan, encode: Encoder) -> dict[str, Any]:
    """Spell the names of state fields and arguments as in all other JSON."""
    named = {
        name: {camel(key): encode(item) for key, item in getattr(plan, name).items()}
        for name in ("differing", "request")
    }
    return {**encode.fields(plan), **named}


def _relation(relation: Relation, encode: Encoder) -> dict[str, Any]:
    """Call the ends of an edge `from` and `to`, which Python cannot."""
    ends = {"source": "from", "target": "to"}
    return {ends.get(key, key): item for key, item in encode.fields(relation).items()}


def _fetched(piece: Fetched, encode: Encoder) -> dict[str, Any]:
    data = encode.fields(piece, without={"data", "untrusted_content"})
    return {**data, "next": piece.next, "text": readable(piece.text)}


encode = Encoder(
    camel,
    {
        Fetched: _fetched,
        Plan: _plan,
        Relation: _relation,
        Resume: lambda resume, _: resume.as_dict(),
    },
)


def document(verb: Verb, result: Any) -> Any:
    """Return the JSON document of what a verb gave back.

    What agents recorded is data, not instructions, and is marked so.
    """
    if isinstance(result, Checkpoint):
        return {**written(result, encode), "untrustedContent": True}
    return {**_named(verb, encode(result)), "untrustedContent": True}


def _named(verb: Verb, data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        return {verb.result or "result": data}
    if verb.result and "items" in data:
        return {verb.result if key == "items" else key: data[key] for key in data}
    return data
