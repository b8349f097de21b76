"""Turn the passages of a version into the documents of the lexical index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate

from hsum.index.decode import text_of
from hsum.index.lexical import LexicalDocument
from hsum.index.passages import Passage
from hsum.index.views import bigrams, parts, path_words, view

__all__ = ["BORDER_TOKENS", "entries"]

BORDER_TOKENS = 8
"""A phrase across passages has a candidate if each side has at most so many tokens."""

_ON = re.compile(rf"(?:[\W_]*[^\W_]+){{0,{BORDER_TOKENS}}}")
_EIGHT = re.compile(rf"(?:[\W_]*[^\W_]+){{{BORDER_TOKENS}}}")
# So far back eight tokens begin, nearly always.
_NEAR = 300


def entries(
    version: int,
    path: bytes,
    pieces: Sequence[bytes],
    encoding: str,
    passages: Sequence[Passage],
    first: int = 0,
) -> Iterator[LexicalDocument]:
    """Yield one document for each passage.

    Args:
        version: the key of the version.
        path: the version's path below the root.
        pieces: the bytes of each passage; joined, they are the document.
        encoding: the document's.
        passages: those of the document, in order.
        first: the ordinal of the first one in its revision.
    """
    texts = [text_of(piece, encoding) for piece in pieces]
    whole = "".join(texts)
    words, runs = path_words(path), bigrams(path.decode("utf-8", "replace"))
    starts = accumulate(map(len, texts), initial=0)
    for ordinal, (start, text, piece, passage) in enumerate(
        zip(starts, texts, pieces, passages, strict=False), first
    ):
        body = view(text)
        yield LexicalDocument(
            version=version,
            ordinal=ordinal,
            body=body,
            border=view(_around(whole, start)) if start else "",
            parts=parts(text),
            cjk=f"{bigrams(text)} {runs}" if runs else bigrams(text),
            stem=body if passage.kind == "prose" else "",
            symbols=_spelled(passage.symbol, *passage.declares),
            declares=_spelled(*passage.declares),
            path=words,
            kind=passage.kind,
            digest=_digest(piece),
        )


def _around(text: str, at: int) -> str:
    """Return the text from the eighth token before a place to the eighth after it."""
    found = _ON.match(text, at)
    return text[_back(text, at) : found.end() if found else at]


def _back(text: str, at: int) -> int:
    near = max(0, at - _NEAR)
    # Backwards, the tokens before a place are the tokens after it.
    found = _EIGHT.match(text[near:at][::-1])
    if found is None or found.end() == at - near:
        found = _ON.match(text[:at][::-1])
    return at - found.end() if found else at


def _digest(piece: bytes) -> int:
    short = blake2b(piece, digest_size=8).digest()
    return int.from_bytes(short, "big", signed=True)


def _spelled(*names: str) -> str:
    whole = " ".join(filter(None, names))
    return f"{whole} {parts(whole)}" if whole else ""
