"""Search: in process against raw tantivy, a rare identifier against ripgrep."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import tantivy

import hsum
from benchmarks.corpora import Corpus, Here
from benchmarks.harness import (
    Row,
    Taken,
    at_least,
    at_most,
    in_turn,
    percentile,
    shown,
    spent,
)
from benchmarks.ingesting import ingest
from benchmarks.samples import questions, texts
from hsum.index.lexical import analyze

__all__ = ["Raw", "measure", "rarest", "ripgrep", "samples"]

_IDENTIFIER = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]{2,}\b")
_USUAL = 16


def measure(here: Here) -> Iterator[Row]:
    corpus = here.corpus()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        with ingest(corpus, corpus.root, folder) as index:
            sources = texts(index, corpus.root)
            queries = questions(sources, 20 if here.smoke else 200)
            yield from _latency(index, folder, corpus, queries)
            if shutil.which("rg"):
                yield _rare(index, corpus, sources, here.times)


def _latency(
    index: hsum.Index, folder: Path, corpus: Corpus, queries: Sequence[str]
) -> Iterator[Row]:
    raw = Raw(folder)
    asked = [raw.query(query) for query in queries]
    ours, theirs = samples(index.search, queries), samples(raw.search, asked)
    p50, p99 = _at(ours, 0.5), _at(ours, 0.99)
    raw50, raw99 = _at(theirs, 0.5), _at(theirs, 0.99)
    name, against = corpus.name, "raw tantivy, same terms"
    yield Row(
        "search p50, warm",
        name,
        "ms",
        p50.seconds * 1e3,
        against,
        raw50.seconds * 1e3,
        at_most(2, plus=1),
        spent(p50, raw50),
    )
    slow = Row(
        "search p99, warm",
        name,
        "ms",
        p99.seconds * 1e3,
        "25 ms",
        25.0,
        at_most(1),
        f"raw tantivy {raw99.seconds * 1e3:.1f}; {spent(p99, raw99)}",
    )
    yield slow if name == "large" else shown(slow)


class Raw:
    """The newest lexical directory of an index, asked without hsum."""

    def __init__(self, folder: Path) -> None:
        newest = max(
            (folder / "lexical").glob("g*-*"), key=lambda path: path.stat().st_mtime
        )
        index = tantivy.Index.open(str(newest))
        self._schema, self._searcher = index.schema, index.searcher()

    def query(self, text: str) -> tantivy.Query:
        terms = {token.text for token in analyze(text)}
        return tantivy.Query.boolean_query(
            [
                (
                    tantivy.Occur.Should,
                    tantivy.Query.term_query(self._schema, "body", term),
                )
                for term in sorted(terms)
            ]
        )

    def search(self, query: tantivy.Query) -> object:
        return self._searcher.search(query, 10).hits


def samples(call: Callable[[Any], object], asked: Sequence[Any]) -> list[Taken]:
    """Return what each query takes the second time it is asked."""
    return [[_taken(call, one) for _ in range(2)][1] for one in asked]


def _taken(call: Callable[[Any], object], argument: object) -> Taken:
    # No collection of garbage here: it would take longer than what is measured.
    start, spent = time.perf_counter(), time.process_time()
    call(argument)
    return Taken(time.perf_counter() - start, time.process_time() - spent)


def _at(found: Sequence[Taken], share: float) -> Taken:
    """Return a percentile by either clock."""
    return Taken(
        percentile([one.seconds for one in found], share),
        percentile([one.cpu for one in found], share),
    )


def rarest(sources: Sequence[str]) -> str:
    """Return an identifier of usual length that stands in as few places as any."""
    counts = Counter(word for text in sources for word in _IDENTIFIER.findall(text))
    return min(counts, key=lambda word: (counts[word], abs(len(word) - _USUAL), word))


def ripgrep(needle: str, root: Path) -> None:
    """Look for the files that hold a word."""
    command = ["rg", "-Fwl", "--no-ignore", "--hidden", needle, str(root)]
    subprocess.run(command, check=False, capture_output=True)


def _rare(index: hsum.Index, corpus: Corpus, sources: Sequence[str], times: int) -> Row:
    needle = rarest(sources)
    ours, theirs = in_turn(
        lambda: index.search(needle),
        lambda: ripgrep(needle, corpus.root),
        times=times,
    )
    row = Row(
        "rare identifier, searches a second",
        corpus.name,
        "/s",
        1 / ours,
        "ripgrep over the tree",
        1 / theirs,
        at_least(30),
    )
    return row if corpus.name == "large" else shown(row)
