"""Needles and queries drawn from what an index holds, alike in every run."""

from __future__ import annotations

import itertools
import os
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import hsum
from hsum.index.decode import encoding_of

__all__ = ["crossing", "identifiers", "phrases", "questions", "texts"]

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_PLAIN = re.compile(r'[^\s"]+')
_PATIENCE = 1_000
"""Draws in a row that give nothing new before a corpus counts as exhausted."""
_LONGEST = 4_000
"""Bytes of a needle that a query has room for."""


def texts(index: hsum.Index, root: Path, most: int = 3_000) -> list[str]:
    """Return the text of so many indexed files, spread evenly over the paths."""
    documents = index.documents()
    step = max(1, len(documents) // most)
    found = (_text(root / document.path) for document in documents[::step])
    return [text for text in found if text]


def _text(path: Path) -> str:
    """Return the text as rg reads it, without its mark; nothing where it is not UTF-8."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return ""


def questions(sources: Sequence[str], count: int) -> list[str]:
    """Return queries of one to five words that stand in the files."""
    chance = random.Random(1)
    drawn = itertools.islice(_words(sources, chance), count)
    return [
        " ".join(chance.choice(words) for _ in range(1 + at % 5))
        for at, words in enumerate(drawn)
    ]


def _words(sources: Sequence[str], chance: random.Random) -> Iterator[list[str]]:
    while True:
        words = _IDENTIFIER.findall(chance.choice(sources))
        if words:
            yield words


def identifiers(sources: Sequence[str]) -> Iterator[str]:
    """Yield different identifiers that stand in the files, frequent ones sooner."""
    chance = random.Random(2)
    return _different(chance.choice(words) for words in _words(sources, chance))


def phrases(sources: Sequence[str]) -> Iterator[str]:
    """Yield different runs of two to five words as they stand on a line."""
    chance = random.Random(3)
    lines = (
        chance.choice(chance.choice(sources).split("\n")) for _ in itertools.count()
    )
    return _different(_run(line.strip("\r"), chance) for line in lines)


def crossing(index: hsum.Index, root: Path) -> Iterator[str]:
    """Yield different phrases that end one passage and begin the next.

    Two words stand on each side, and what is between them as in the file.
    """
    chance = random.Random(4)
    documents = index.documents()
    paths = (root / chance.choice(documents).path for _ in itertools.count())
    return _different(_over_border(path, chance) for path in paths)


def _different(drawn: Iterable[str]) -> Iterator[str]:
    """Yield what was drawn, each once, and nothing that cannot be asked for."""
    seen: set[str] = {""}
    fruitless = 0
    for needle in drawn:
        fruitless += 1
        if fruitless > _PATIENCE:
            return
        if needle in seen or "\0" in needle or len(needle.encode()) > _LONGEST:
            continue
        seen.add(needle)
        fruitless = 0
        yield needle


def _run(line: str, chance: random.Random) -> str:
    words = list(_PLAIN.finditer(line))
    if len(words) < 2:
        return ""
    first = chance.randrange(len(words) - 1)
    last = min(len(words) - 1, first + chance.randrange(1, 5))
    phrase = line[words[first].start() : words[last].end()]
    return phrase if '"' not in phrase and any(map(str.isalnum, phrase)) else ""


def _over_border(path: Path, chance: random.Random) -> str:
    from hsum.index.passages import cut

    data = path.read_bytes()
    passages = cut(data, path=os.fsencode(path.name), encoding=encoding_of(data))
    if len(passages) < 2:
        return ""
    at = chance.choice(passages[1:]).start
    before = re.search(rb"[^\s\"]+[ \t]+[^\s\"]+\s*\Z", data[max(0, at - 200) : at])
    after = re.match(rb"\s*[^\s\"]+[ \t]+[^\s\"]+", data[at : at + 200])
    if not (before and after):
        return ""
    try:
        return (before[0] + after[0]).strip().decode()
    except UnicodeDecodeError:
        return ""
