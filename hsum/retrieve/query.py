"""Read what a user typed: exact identifiers, quoted phrases, and words.

User text is never a query language. A pair of double quotes marks a phrase; all else
is words, and words that look like identifiers are looked for exactly as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

import attrs

from hsum.errors import fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hsum._kernel.faults import Fault

__all__ = ["MAX_BYTES", "STOP_WORDS", "Needle", "Query", "last_name", "parse"]

MAX_BYTES: Final = 4_096
"""The longest query, in UTF-8."""

MAX_NEEDLES: Final = 32
"""How many identifiers of a query are proved; phrases count first, then order."""

_ENGLISH: Final = """
    a about above after again all also am an and any are as at be because been before
    being below between both but by can could d did do does doing don down during each
    few for from further had has have having he her here hers him his how i if in into
    is isn it its itself just ll m me might more most must my no nor not now of off on
    once only or other our out over own re s same shall she should so some such t than
    that the their them then there these they this those through to too under until up
    ve very was we were what when where which while who whom why will with would you
    your
"""
STOP_WORDS: Final = frozenset(_ENGLISH.split())
"""English words that say nothing of a subject, as the index's tokens."""

_OPENERS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}
_LEADING: Final = ",;'\"`([{<"
_TRAILING: Final = ".,:;!?'\"`)]}>"
_CAMEL: Final = re.compile(r"[^\W\d_]*[a-z0-9][A-Z]|[A-Z]{2,}[a-z]")
_DIGITS_IN_WORD: Final = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
_NAMES: Final = re.compile(r"[^\W\d]\w*")
_CODED: Final = re.compile(r"`([^`\s][^`]*)`")


@attrs.frozen
class Needle:
    """Text to be found as it stands, between characters that are of no word.

    A definition stands in a passage that declares its last name, too.
    """

    text: str
    kind: Literal["identifier", "phrase", "definition"]


@attrs.frozen
class Query:
    """A query in its parts.

    Attributes:
        text: the whole of it.
        words: the pieces between white space, those of phrases too, in order.
        needles: what is looked for exactly, phrases first, each once.
        cut: whether there were more needles than are looked for.
    """

    text: str
    words: tuple[str, ...]
    needles: tuple[Needle, ...]
    cut: bool = False


def parse(text: Any) -> Query:
    """Read a query.

    Raises:
        Fault: `QUERY_EMPTY`, `QUERY_TOO_LONG`, `QUERY_NUL`, `QUERY_INVALID_TEXT`,
            `QUERY_UNCLOSED_QUOTE`, `QUERY_EMPTY_QUOTE`, each with the `column`: the
            number, from 1, of the character where it goes wrong.
    """
    if not isinstance(text, str):
        raise fault("INVALID_ARGUMENT", f"a query is text, not {type(text).__name__}")
    _check(text)
    phrases, parts = _unquoted(text)
    chunks = [chunk for part in parts for chunk in part.split()]
    words = (*chunks, *(word for phrase in phrases for word in phrase.split()))
    found = [Needle(phrase, "phrase") for phrase in phrases]
    found += [Needle(name, "identifier") for name in _identifiers(parts, chunks)]
    if not any(map(_has_word, (*words, *(needle.text for needle in found)))):
        found += [Needle(chunk, "identifier") for chunk in chunks]
    needles = tuple(dict.fromkeys(found))
    return Query(text, words, needles[:MAX_NEEDLES], len(needles) > MAX_NEEDLES)


def _check(text: str) -> None:
    for column, character in enumerate(text, 1):
        if "\ud800" <= character <= "\udfff":
            raise _refused("QUERY_INVALID_TEXT", column, "a lone surrogate")
        if character == "\0":
            raise _refused("QUERY_NUL", column, "a NUL character")
    encoded = text.encode()
    if len(encoded) > MAX_BYTES:
        column = len(encoded[:MAX_BYTES].decode("utf-8", "ignore")) + 1
        raise _refused(
            "QUERY_TOO_LONG", column, f"what is beyond {MAX_BYTES:,} bytes of UTF-8"
        )
    if not text.strip():
        raise _refused("QUERY_EMPTY", 1, "nothing but white space")


def _refused(code: str, column: int, what: str) -> Fault:
    return fault(code, f"column {column} of the query has {what}", column=column)


def _unquoted(text: str) -> tuple[list[str], list[str]]:
    """Split into the quoted phrases and the parts around them."""
    phrases, rest = [], []
    at = 0
    for opening, closing in _quotes(text):
        phrase = text[opening + 1 : closing]
        if not phrase.strip():
            raise _refused(
                "QUERY_EMPTY_QUOTE", opening + 1, "a quote with nothing in it"
            )
        phrases.append(phrase)
        rest.append(text[at:opening])
        at = closing + 1
    return phrases, [*rest, text[at:]]


def _quotes(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while (opening := text.find('"', at)) >= 0:
        closing = text.find('"', opening + 1)
        if closing < 0:
            raise _refused(
                "QUERY_UNCLOSED_QUOTE", opening + 1, "a quote that is never closed"
            )
        at = closing + 1
        # `adapter""`: two inch marks, or a slip after a word; no phrase was begun.
        if closing > opening + 1 or not text[:opening][-1:].isalnum():
            yield opening, closing


def last_name(text: str) -> str:
    """Return the name that an identifier is declared by: `run` of `Engine.run()`."""
    names = _NAMES.findall(text)
    return names[-1] if names else ""


def _identifiers(parts: list[str], chunks: list[str]) -> Iterator[str]:
    coded = (name for part in parts for name in _CODED.findall(part))
    yield from (name for name in coded if not name.isdigit())
    for chunk in chunks:
        name = _trimmed(chunk)
        if _is_identifier(name):
            yield name
            if name.endswith("()") and _has_word(name[:-2]):
                yield name[:-2]


def _trimmed(chunk: str) -> str:
    """Drop the punctuation of the sentence around a name, but not the name's own."""
    while chunk and chunk[-1] in _TRAILING and not _balanced(chunk):
        chunk = chunk[:-1]
    while chunk and chunk[0] in _LEADING and not _wraps(chunk):
        chunk = chunk[1:]
    if chunk.startswith("(") and chunk.endswith(")"):
        return _trimmed(chunk[1:-1])
    return chunk


def _wraps(chunk: str) -> bool:
    return _OPENERS.get(chunk[-1]) == chunk[0]


def _balanced(chunk: str) -> bool:
    opener = _OPENERS.get(chunk[-1])
    return opener is not None and chunk.count(opener) >= chunk.count(chunk[-1])


def _is_identifier(name: str) -> bool:
    if not _has_word(name):
        return False
    if _CAMEL.search(name) or _DIGITS_IN_WORD.search(name):
        return True
    return any(not c.isalnum() for c in name.replace("'", "").replace("\u2019", ""))


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))
