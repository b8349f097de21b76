"""The words of a text, as the derived full-text table stores and asks for them.

Both sides cut text here, so that SQLite's tokenizer never meets user text: what it
sees is words of letters and digits, separated by spaces. Scripts written without
spaces are cut into overlapping pairs. What would break the adjacency of phrases
(the last character of such a run, the parts of a camelCase word) stands at the end
of a document.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

__all__ = ["document", "expression", "words"]

# FTS5 cuts longer tokens off silently; both sides cut at the same place first.
_LONGEST = 128
_MOST_TERMS = 256

# Han with its extensions and compatibility forms, kana, bopomofo, Thai, Lao, Khmer,
# Myanmar, Tibetan put no space between words; Hangul glues particles to them.
_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff"
    "\u3005-\u3007\u3040-\u30ff\u3100-\u318f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003fffd"
)
_UNSPACED_CHAR = re.compile(f"[{_UNSPACED}]")
_RUN = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+|[^\w\s\x00-\x7f]")
_NAME = re.compile(r"[A-Za-z0-9]+")
_HUMP = re.compile(r"[a-z0-9][A-Z]")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def words(text: str) -> list[str]:
    """Return the words of `text` in order, folded for comparison."""
    return [word for run in _runs(text) for word in _cut(run)]


def document(text: str) -> str:
    """Return what the full-text table stores of `text`."""
    runs = _runs(text)
    ends = [run[-1] for run in runs if len(run) > 1 and _is_unspaced(run)]
    parts = [part for name in _camels(text) for part in _PART.findall(name)]
    ordered = [word for run in runs for word in _cut(run)]
    return " ".join([*ordered, *ends, *(part[:_LONGEST].lower() for part in parts)])


def expression(query: str) -> str | None:
    """Return the FTS5 expression that finds any word of `query`.

    A chunk without spaces that has several words (`sched_setaffinity`, a Chinese
    sentence) is asked for as a phrase besides, so that exact matches rank first.
    None means that the query has no word.
    """
    terms: dict[str, None] = {}
    for chunk in query.split():
        found = words(chunk)
        if len(found) > 1:
            terms[_quoted(" ".join(found))] = None
        terms |= dict.fromkeys(map(_term, found))
    return " OR ".join(list(terms)[:_MOST_TERMS]) or None


def _runs(text: str) -> list[str]:
    return [run for run in _RUN.findall(_folded(text)) if not _is_punctuation(run)]


def _camels(text: str) -> list[str]:
    return [name for name in _NAME.findall(text) if _HUMP.search(name)]


def _folded(text: str) -> str:
    """Fold case, compatibility forms and the marks of letters."""
    if text.isascii():
        return text.lower()
    # Twice: the compatibility form of a double-struck capital is a plain capital.
    spread = unicodedata.normalize("NFKD", text.casefold()).casefold()
    bare = "".join(char for char in spread if not unicodedata.combining(char))
    return unicodedata.normalize("NFKC", bare)


def _cut(run: str) -> list[str]:
    if len(run) > 1 and _is_unspaced(run):
        return [first + second for first, second in pairwise(run)]
    return [run[:_LONGEST]]


def _is_unspaced(run: str) -> bool:
    return _UNSPACED_CHAR.match(run) is not None


def _is_punctuation(run: str) -> bool:
    return len(run) == 1 and unicodedata.category(run)[0] in "PZC"


def _term(word: str) -> str:
    # One character is the first half of a pair, or stands at a document's end.
    alone = len(word) == 1 and _is_unspaced(word)
    return _quoted(word) + "*" * alone


def _quoted(word: str) -> str:
    return f'"{word}"'
