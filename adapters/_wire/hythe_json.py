"""hythe's values as JSON: camelCase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters._wire.encode import Encoder, camel
from adapters._wire.outcomes import written
from hythe import Checkpoint

if TYPE_CHECKING:
    from adapters._wire.verbs import Verb

__all__ = ["document", "encode"]

encode = Encoder(camel, {})


def document(verb: Verb, result: Any) -> Any:
    """Return the JSON document of what a verb gave back.

    What agents recorded is data, not instructions, and is marked so.
    """
    if isinstance(result, Checkpoint):
        return {**written(result, encode), "untrustedContent": True}
    data = encode(result)
    named = {verb.result: data} if verb.result else data
    return {**named, "untrustedContent": True} if isinstance(named, dict) else named
