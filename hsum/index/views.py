"""Turn the text of a passage into what the lexical index is given.

Each view is local: the view of a text holds the words of the view of any part of it
that stands at word borders, contiguous and in order. So a phrase has the same words
alone, in a passage, and across two of them.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from functools import cache, lru_cache
from typing import Final

__all__ = ["bigrams", "parts", "path_words", "view"]

_EAST_ASIAN: Final = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c"
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\uff66-\uff9f\uffa0-\uffdc\U0001aff0-\U0001afff\U0001b000-\U0001b16f"
    "\U00020000-\U000323af"
)
"""Han, Kana, Hangul and Bopomofo letters, half-width and compatibility forms too."""

_RUN: Final = re.compile(f"[{_EAST_ASIAN}]+")
_PART: Final = re.compile(r"[A-Z]?[^A-Z]+|[A-Z]+[0-9]*(?![a-z])")
_SHAPES: Final = bytes(
    ord("A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else " ")
    for c in map(chr, range(128))
) + bytes(128)
_HUMPED: Final = re.compile(
    rb"A(?<!AA)(?:(?<=aA)(?<!0aA)|A++(?=aa)|(?<=0A)(?=aa))[Aa0]*+"
)
"""A compound word from its first hump on, in the shapes of letters and digits.

Neither `0xFF` nor `NFS4ERR` has one. It begins with a literal because the engine then
skips from capital to capital.
"""

_SEPARATORS: Final = re.compile(r"[\W_]+")


@cache
def _border() -> re.Pattern[str]:
    # It takes 15 ms to compile, which a search of ASCII should not wait for.
    return re.compile(
        f"(?<=[{_EAST_ASIAN}])(?=[^\\W{_EAST_ASIAN}])"
        f"|(?<=[^\\W{_EAST_ASIAN}])(?=[{_EAST_ASIAN}])"
    )


def view(text: str) -> str:
    """Return *text* as its words are indexed.

    In NFC, and with a space at each border between Han, Kana or Hangul and the rest.
    """
    if text.isascii():
        return text
    composed = _numerals_apart(unicodedata.normalize("NFC", text))
    return _border().sub(" ", composed) if _RUN.search(composed) else composed


def _numerals_apart(text: str) -> str:
    # The tokenizer takes `²` for a letter, a word border does not: `x²` has the word x.
    for character in set(text):
        if character > "\x7f" and unicodedata.category(character) == "No":
            text = text.replace(character, f" {character} ")
    return text


def bigrams(text: str) -> str:
    """Return the single characters and the pairs of each run of Han, Kana or Hangul.

    In the order of the text: `\u4e91\u5de5\u5f00` gives `\u4e91 \u4e91\u5de5 \u5de5 \u5de5\u5f00 \u5f00`. Forms of
    compatibility are folded (NFKC), so half-width kana find full-width ones.
    """
    if text.isascii():
        return ""
    return " ".join(
        gram
        for run in _RUN.findall(unicodedata.normalize("NFC", text))
        for gram in _grams(unicodedata.normalize("NFKC", run))
    )


def _grams(run: str) -> list[str]:
    grams = [run[0]]
    for left, right in itertools.pairwise(run):
        grams += (left + right, right)
    return grams


def parts(text: str) -> str:
    """Return the parts of each compound word, lower case, in the order of the text.

    `getUserById` gives `get user by id`, `parseHTMLResponse` `parse html response`.
    A word without humps gives nothing: the tokenizer parts `snake_case` already.
    """
    shape = text.encode("ascii", "replace").translate(_SHAPES)
    words = []
    for humped in _HUMPED.finditer(shape):
        start = shape.rfind(b" ", 0, humped.start()) + 1
        words.append(_parted(text[start : humped.end()]))
    return " ".join(filter(None, words))


@lru_cache(maxsize=1 << 16)
def _parted(word: str) -> str:
    """Part a word at its humps; a number such as `0xFFUL` has none."""
    return "" if word[0].isdigit() else " ".join(_PART.findall(word)).lower()


def path_words(path: bytes) -> str:
    """Return the words of *path*, lower case, and then the parts of its compounds."""
    text = view(path.decode("utf-8", "replace"))
    words = _SEPARATORS.sub(" ", text).strip().lower()
    compounds = parts(text)
    return f"{words} {compounds}" if compounds else words
