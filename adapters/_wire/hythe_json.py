"""hythe's values as JSON: camelCase."""

from __future__ import annotations

from typing import Any

from adapters._wire.encode import Encoder, camel
from hythe import Resume

__all__ = ["encode"]


def _resume(resume: Resume, _: Encoder) -> Any:
    """A resume's JSON is its own: its budget was counted over it."""
    return resume.as_dict()


encode = Encoder(camel, {Resume: _resume})
