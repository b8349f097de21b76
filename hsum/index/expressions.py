"""What can be asked of a lexical index, as plain values.

User text never becomes an engine's query language: it is cut into tokens, and
these expressions are built from the tokens.
"""

from __future__ import annotations

from typing import TypeAlias

import attrs

__all__ = [
    "AnyOf",
    "Boosted",
    "Expression",
    "Phrase",
    "Preferring",
    "Term",
    "Within",
]


@attrs.frozen
class Term:
    """One token in one field."""

    field: str
    token: str


@attrs.frozen
class Phrase:
    """Tokens in one field at fixed distances; each is (position, token)."""

    field: str
    tokens: tuple[tuple[int, str], ...]


@attrs.frozen
class AnyOf:
    """At least one of the parts; the scores of those that match add up."""

    parts: tuple[Expression, ...]


@attrs.frozen
class Preferring:
    """A part, with what adds to the score of what it finds but finds nothing itself."""

    part: Expression
    extra: Expression


@attrs.frozen
class Boosted:
    """A part whose score is multiplied."""

    part: Expression
    factor: float


@attrs.frozen
class Within:
    """A part, in the passages of these versions only; adds nothing to the score."""

    part: Expression
    versions: tuple[int, ...]


Expression: TypeAlias = Term | Phrase | AnyOf | Preferring | Boosted | Within
