"""Retrieval: nDCG@10 of the right file, against the best peer that sees content."""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean

import attrs

import hsum
from benchmarks.corpora import HERE, Here, sdist
from benchmarks.harness import Row, Target, at_least, shown
from benchmarks.peers import Ranker, content_peers, tantivy_with_path

__all__ = ["measure", "ndcg"]

_BEST = 10


@attrs.frozen
class Judged:
    """A query and the names of the files that answer it."""

    query: str
    relevant: frozenset[str]


def measure(here: Here) -> Iterator[Row]:
    data = here.data or HERE / "data"
    for path in sorted((data / "localise").glob("*.jsonl")):
        root = _release(path.stem, here)
        if root is not None:
            yield from _localise(path, root)
    yield from _cranfield(data / "cranfield", sample=here.data is None)


def _release(stem: str, here: Here) -> Path | None:
    """Return the source of `project-1.2.3`; None where a smoke run would fetch it."""
    name, _, release = stem.rpartition("-")
    wanted = here.cache / stem
    if here.smoke and not wanted.is_dir():
        print(f"{stem} is not in {here.cache}: left out", file=sys.stderr)
        return None
    return sdist(name, release, here.cache)


def _localise(path: Path, root: Path) -> Iterator[Row]:
    with hsum.in_memory() as index:
        index.ingest(root)
        files = {
            document.path: _text(root / document.path) for document in index.documents()
        }
        judged = [_judged(line, files) for line in _lines(path)]
        judged = [one for one in judged if one.relevant]
        ours = _mean(_ours(index), judged)
    # Sixteen queries are a sanity check only.
    enough = len(judged) > 50
    rows = _compared(path.stem, ours, judged, files, at_least(1.35))
    yield from rows if enough else map(shown, rows)


def _cranfield(folder: Path, *, sample: bool) -> Iterator[Row]:
    files = {
        f"{record['id']}.txt": record["text"]
        for record in _lines(folder / "docs.jsonl")
    }
    judged = [
        Judged(line["query"], frozenset(f"{name}.txt" for name in line["relevant"]))
        for line in _lines(folder / "queries.jsonl")
    ]
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        for file, text in files.items():
            Path(name, file).write_text(text, encoding="utf-8")
        with hsum.in_memory() as index:
            index.ingest(name)
            ours = _mean(_ours(index), judged)
    corpus = "cranfield, 50 abstracts" if sample else "cranfield"
    rows = _compared(corpus, ours, judged, files, at_least(1.08))
    yield from map(shown, rows) if sample else rows


def _compared(
    corpus: str,
    ours: float,
    judged: Sequence[Judged],
    files: Mapping[str, str],
    target: Target,
) -> Iterator[Row]:
    scores = {name: _mean(rank, judged) for name, rank in content_peers(files).items()}
    best = max(scores, key=scores.__getitem__)
    note = ", ".join(f"{name} {score:.3f}" for name, score in scores.items())
    unit = "nDCG@10"
    yield Row(
        "retrieval",
        corpus,
        unit,
        ours,
        f"best content peer, {best}",
        scores[best],
        target,
        note,
    )
    beside = _mean(tantivy_with_path(files), judged)
    yield Row("retrieval", corpus, unit, ours, "tantivy with a path field", beside)


def _ours(index: hsum.Index) -> Ranker:
    def rank(query: str) -> Sequence[str]:
        # A commit's message may hold quotes in pairs that quote nothing.
        hits = index.search(query.replace('"', " ")[:1_000], limit=_BEST)
        return list(dict.fromkeys(hit.path for hit in hits))

    return rank


def _mean(rank: Ranker, judged: Sequence[Judged]) -> float:
    return mean(ndcg(rank(one.query), one.relevant) for one in judged)


def ndcg(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Return the normalised discounted cumulative gain of the first ten, binary."""
    gains = (name in relevant for name in ranked[:_BEST])
    got = sum(gain / math.log2(at + 2) for at, gain in enumerate(gains))
    return got / sum(1 / math.log2(at + 2) for at in range(min(_BEST, len(relevant))))


def _judged(line: Mapping[str, list[str]], files: Mapping[str, str]) -> Judged:
    return Judged(str(line["query"]), frozenset(line["relevant"]) & files.keys())


def _lines(path: Path) -> list[dict[str, list[str]]]:
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _text(path: Path) -> str:
    return path.read_bytes().decode(errors="replace")
