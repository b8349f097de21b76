"""Turn the passages of a version into the documents of the lexical index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from hsum.index.lexical import LexicalDocument
from hsum.index.passages import Passage
from hsum.index.views import bigrams, parts, path_words, view

__all__ = ["BORDER_TOKENS", "entries"]

BORDER_TOKENS = 8
"""A phrase across passages has a candidate if each side has at most so many tokens."""

_TOKEN = re.compile(r"[^\W_]+")
_ON = re.compile(rf"(?:[\W_]*[^\W_]+){{0,{BORDER_TOKENS}}}")
# So far back eight tokens begin, nearly always.
_NEAR = 300


def entries(
    version: int,
    path: bytes,
    texts: Sequence[str],
    passages: Sequence[Passage],
    first: int = 0,
) -> Iterator[LexicalDocument]:
    """Yield one document for each passage.

    Args:
        version: the key of the version.
        path: the version's path below the root.
        texts: the decoded bytes of each passage; joined, they are the document.
        passages: those of the document, in order.
        first: the ordinal of the first one in its revision.
    """
    whole = "".join(texts)
    words = path_words(path)
    starts = accumulate(map(len, texts), initial=0)
    for ordinal, (start, text, passage) in enumerate(
        zip(starts, texts, passages, strict=False), first
    ):
        body = view(text)
        yield LexicalDocument(
            version=version,
            ordinal=ordinal,
            body=body,
            border=view(_around(whole, start)) if start else "",
            parts=parts(text),
            cjk=bigrams(text),
            stem=body if passage.kind == "prose" else "",
            symbols=_names(passage),
            path=words,
        )


def _around(text: str, at: int) -> str:
    """Return the text from the eighth token before a place to the eighth after it."""
    found = _ON.match(text, at)
    end = found.end() if found else at
    return text[_back(text, at) : end]


def _back(text: str, at: int) -> int:
    for begin in (max(0, at - _NEAR), 0):
        tokens = list(_TOKEN.finditer(text, begin, at))
        # The first token of a window may be the rest of one.
        if len(tokens) > BORDER_TOKENS or begin == 0:
            break
    return tokens[-BORDER_TOKENS:][0].start() if tokens else at


def _names(passage: Passage) -> str:
    names = " ".join(filter(None, (passage.symbol, *passage.declares)))
    return f"{names} {parts(names)}" if names else ""
