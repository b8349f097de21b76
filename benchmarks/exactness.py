"""Exact search: recall and false hits against `rg -Fw` over the indexed files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import attrs

import hsum
from benchmarks.corpora import Corpus, Here
from benchmarks.harness import Row, at_least, at_most
from benchmarks.ingesting import ingest
from benchmarks.samples import crossing, identifiers, phrases, texts

__all__ = ["measure"]

_COUNTS = {"smoke": 5, "small": 1_000, "medium": 300, "large": 100}
_PAGE = 100
_REACHABLE = 1_000
"""A needle with so many hits is not counted: no more of them can be had."""
_MOST_FILES = 200


@attrs.define
class Tally:
    """How many files ripgrep names, how many of them are hits, how many proved are not."""

    named: int = 0
    found: int = 0
    false: int = 0
    needles: int = 0

    def add(
        self, theirs: frozenset[str], ours: frozenset[str], proved: frozenset[str]
    ) -> None:
        self.needles += 1
        self.named += len(theirs)
        self.found += len(theirs & ours)
        self.false += len(proved - theirs)


def measure(here: Here) -> Iterator[Row]:
    if not shutil.which("rg"):
        print("ripgrep (rg) is not installed: exactness left out", file=sys.stderr)
        return
    corpus = here.corpus()
    count = _COUNTS[corpus.name]
    with (
        tempfile.TemporaryDirectory(prefix="benchmark-") as folder,
        ingest(corpus, corpus.root, Path(folder)) as index,
    ):
        sources = texts(index, corpus.root)
        kinds = {
            "identifiers": identifiers(sources, count),
            "phrases": phrases(sources, count),
            "phrases across passages": crossing(index, corpus.root, count // 5),
        }
        for kind, needles in kinds.items():
            yield from _rows(kind, corpus, _tally(index, corpus, needles))


def _rows(kind: str, corpus: Corpus, tally: Tally) -> Iterator[Row]:
    note = f"{tally.needles} needles"
    yield Row(
        f"exact {kind}, files found",
        corpus.name,
        "files",
        tally.found,
        "rg -Fw",
        tally.named,
        at_least(1),
        note,
    )
    yield Row(
        f"exact {kind}, false files",
        corpus.name,
        "files",
        tally.false,
        "none",
        0,
        at_most(1),
        note,
    )


def _tally(index: hsum.Index, corpus: Corpus, needles: Sequence[str]) -> Tally:
    documents = {document.document_id: document.path for document in index.documents()}
    indexed = frozenset(documents.values())
    tally = Tally()
    for needle in needles:
        theirs = _ripgrep(needle, corpus.root) & indexed
        if not 0 < len(theirs) <= _MOST_FILES:
            continue
        hits, ours, proved = 0, frozenset[str](), frozenset[str]()
        for page in _pages(index, needle):
            hits += len(page)
            ours |= _paths(_standing(needle, page), documents)
            proved |= _paths(_proved(page), documents)
            if theirs <= ours:
                break
        if theirs <= ours or hits < _REACHABLE:
            tally.add(theirs, ours, proved)
    return tally


def _ripgrep(needle: str, root: Path) -> frozenset[str]:
    command = ["rg", "-Fwla", "--null", "--no-ignore", "--hidden", "--no-config"]
    command += ["--multiline"] if "\n" in needle else []
    done = subprocess.run(
        [*command, "--", needle, "."], cwd=root, capture_output=True, check=False
    )
    names = done.stdout.split(b"\0")[:-1]
    return frozenset(os.fsdecode(name).removeprefix("./") for name in names)


def _pages(index: hsum.Index, needle: str) -> Iterator[hsum.Hits]:
    cursor, more = None, True
    while more:
        page = index.search(
            f'"{needle}"', limit=_PAGE, cursor=cursor, timeout_ms=60_000
        )
        yield page
        cursor = page.cursor
        more = cursor is not None


def _standing(needle: str, hits: Iterable[hsum.Hit]) -> list[hsum.Hit]:
    """Return the hits whose text holds the needle, whatever retriever found them."""
    stands = re.compile(rf"(?<!\w){re.escape(needle)}(?!\w)")
    return [hit for hit in hits if stands.search(hit.text)]


def _proved(hits: Iterable[hsum.Hit]) -> list[hsum.Hit]:
    return [hit for hit in hits if hit.ranks.exact or hit.ranks.phrase]


def _paths(hits: Iterable[hsum.Hit], documents: dict[str, str]) -> frozenset[str]:
    return frozenset(
        documents[cited.document_id]
        for hit in hits
        for cited in (hit.citation, *hit.duplicates)
    )
