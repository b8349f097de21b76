"""A word to try a new index with."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hsum._api import Index
    from hsum.model import Document

__all__ = ["sample_query"]

_WORD = re.compile(r"[^\W\d_]\w{4,30}")
_READ_BYTES = 8_192


def sample_query(index: Index) -> str:
    """Return a word that stands often in a document people know; empty for none."""
    for document in sorted(index.documents(), key=_rank)[:5]:
        text = index.get(document.citation, max_bytes=_READ_BYTES).text
        words = Counter(_WORD.findall(text))
        if words:
            return max(words, key=lambda word: (words[word], len(word), word))
    return ""


def _rank(document: Document) -> tuple[bool, int, str]:
    """Put a README first, then what lies near the root."""
    name = document.path.rsplit("/", 1)[-1].lower()
    return not name.startswith("readme"), document.path.count("/"), document.path
