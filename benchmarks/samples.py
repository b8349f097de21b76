"""Needles and queries drawn from what an index holds, alike in every run."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import hsum

__all__ = ["crossing", "identifiers", "phrases", "questions", "texts"]

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_PLAIN = re.compile(r'[^\s"]+')


def texts(index: hsum.Index, root: Path, most: int = 3_000) -> list[str]:
    """Return the text of so many indexed files, spread evenly over the paths."""
    documents = index.documents()
    step = max(1, len(documents) // most)
    found = (_text(root / document.path) for document in documents[::step])
    return [text for text in found if text]


def _text(path: Path) -> str:
    """Return the file's text; nothing where it is not UTF-8, for rg reads bytes."""
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        return ""


def questions(sources: Sequence[str], count: int) -> list[str]:
    """Return queries of one to five words that stand in the files."""
    chance = random.Random(1)
    return [
        " ".join(chance.choice(words) for _ in range(1 + at % 5))
        for at, words in enumerate(_words(sources, chance, count))
    ]


def _words(
    sources: Sequence[str], chance: random.Random, count: int
) -> Iterator[list[str]]:
    while count:
        words = _IDENTIFIER.findall(chance.choice(sources))
        if words:
            count -= 1
            yield words


def identifiers(sources: Sequence[str], count: int) -> list[str]:
    """Return different identifiers that stand in the files."""
    chance = random.Random(2)
    found: dict[str, None] = {}
    for words in _words(sources, chance, 20 * count):
        found[chance.choice(words)] = None
        if len(found) == count:
            break
    return list(found)


def phrases(sources: Sequence[str], count: int) -> list[str]:
    """Return different runs of two to five words as they stand on a line."""
    chance = random.Random(3)
    found: dict[str, None] = {}
    for _ in range(40 * count):
        line = chance.choice(chance.choice(sources).split("\n"))
        phrase = _run(line, chance)
        if phrase:
            found[phrase] = None
        if len(found) == count:
            break
    return list(found)


def _run(line: str, chance: random.Random) -> str:
    words = list(_PLAIN.finditer(line.strip("\r")))
    if len(words) < 2:
        return ""
    first = chance.randrange(len(words) - 1)
    last = min(len(words) - 1, first + chance.randrange(1, 5))
    phrase = line[words[first].start() : words[last].end()]
    return phrase if '"' not in phrase and any(map(str.isalnum, phrase)) else ""


def crossing(index: hsum.Index, root: Path, count: int) -> list[str]:
    """Return phrases that end one passage and begin the next: two words on each side."""
    from hsum.index.passages import cut

    found: dict[str, None] = {}
    for document in index.documents():
        data = (root / document.path).read_bytes()
        path = document.path.encode(errors="surrogateescape")
        for passage in cut(data, path=path, encoding="utf-8")[1:2]:
            found[_across(data, passage.start)] = None
        if len(found) > count:
            break
    return [phrase for phrase in found if phrase][:count]


def _across(data: bytes, at: int) -> str:
    before = re.search(rb"[^\s\"]+[ \t]+[^\s\"]+\s*\Z", data[max(0, at - 200) : at])
    after = re.match(rb"\s*[^\s\"]+[ \t]+[^\s\"]+", data[at : at + 200])
    if not (before and after):
        return ""
    phrase = (before[0] + after[0]).strip()
    return phrase.decode() if phrase.isascii() else ""
