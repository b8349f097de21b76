"""A word to try a new index with."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hsum.index.catalogue import Snapshot

__all__ = ["sample_query"]

_WORD = re.compile(r"[^\W\d_]\w{4,30}")
_FILES = 5
_READ_BYTES = 8_192


def sample_query(snapshot: Snapshot) -> str:
    """Return a word that stands often in a file people know; empty for none."""
    near = heapq.nsmallest(_FILES, snapshot.paths(), key=lambda row: _rank(row[1]))
    versions = snapshot.versions([key for key, _, _ in near])
    for key, _, _ in near:
        version = versions[key]
        data = snapshot.read(version, 0, min(version.size, _READ_BYTES))
        words: Counter[str] = Counter(_WORD.findall(data.decode("utf-8", "ignore")))
        if words:
            return max(words, key=lambda word: (words[word], len(word), word))
    return ""


def _rank(path: bytes) -> tuple[bool, int, bytes]:
    """Put a README first, then what lies near the root."""
    name = path.rpartition(b"/")[2].lower()
    return not name.startswith(b"readme"), path.count(b"/"), path
