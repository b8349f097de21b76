"""A word to try a new index with."""

from __future__ import annotations

import heapq
import itertools
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hsum.index.catalogue import Snapshot, Version

__all__ = ["sample_query"]

_WORD = re.compile(r"[^\W\d_]\w{4,30}")
_NAME = re.compile(r"[^\W\d]\w{5,40}")
_BESIDE = re.compile(
    rb"(^|/)(tests?|docs?|examples?)/|change|licen[sc]e|\block\b", re.IGNORECASE
)
_FILES = 5
_READ_BYTES = 8_192


def sample_query(snapshot: Snapshot) -> str:
    """Return a name that a central file declares, or a frequent word; empty for none."""
    central = heapq.nlargest(
        _FILES,
        snapshot.paths(),
        key=lambda row: (not _BESIDE.search(row[1]), row[2], row[1]),
    )
    versions = snapshot.versions([key for key, _, _ in central])
    found = [versions[key] for key, _, _ in central]
    names = (_declared(snapshot, version) for version in found)
    words = (_frequent(snapshot, version) for version in found)
    return next(filter(None, itertools.chain(names, words)), "")


def _declared(snapshot: Snapshot, version: Version) -> str:
    """Return the name of the largest declaration; a method goes before a function."""
    passages = snapshot.passages(version)
    sizes: Counter[str] = Counter()
    for passage in passages:
        if passage.kind == "code" and passage.symbol:
            sizes[passage.symbol] += passage.end - passage.start
    symbols = sorted(sizes, key=lambda symbol: ("." in symbol, sizes[symbol], symbol))
    names = (symbol.rpartition(".")[2] for symbol in reversed(symbols))
    return next((name for name in names if _NAME.fullmatch(name)), "")


def _frequent(snapshot: Snapshot, version: Version) -> str:
    data = snapshot.read(version, 0, min(version.size, _READ_BYTES))
    words: Counter[str] = Counter(_WORD.findall(data.decode("utf-8", "ignore")))
    return max(words, key=lambda word: (words[word], len(word), word), default="")
