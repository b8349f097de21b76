"""Growth of hsum: what it costs at 1,000 files and at many more, drawn as curves.

All times are CPU time: a run takes so long that no machine is at rest all the while.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median

import attrs

import hsum
from benchmarks.corpora import Here
from benchmarks.curves import Panel, Point
from benchmarks.fetching import citations, connected, get_all, select_all
from benchmarks.harness import both_in_turn, middle, percentile
from benchmarks.ingesting import ingest_again, settle, ten_files, walk
from benchmarks.samples import questions, texts
from benchmarks.scales import rungs
from benchmarks.searching import Raw, rarest, ripgrep, samples
from benchmarks.space import ingest_alone, stored_bytes

__all__ = ["measure"]

_ingest = partial(Panel, "growth-ingest", across="files")
_search = partial(Panel, "growth-search", across="files")
_COLD = _ingest("Cold ingest", unit="s CPU", guided=True)
_EACH = _ingest("Cold ingest, for each file", unit="ms CPU")
_AGAIN = _ingest("Ingest again", unit="ms CPU", guided=True)
_MEMORY = _ingest("Memory of a cold ingest", unit="MB at the peak")
_ANY = _search("Search", unit="ms CPU")
_RARE = _search("A rare identifier", unit="ms CPU")
_GET = _search("Get", unit="ms CPU")
_DISK = _search("Disk", unit="bytes for each byte indexed")

Draw = Callable[[Panel, str, float], Point]


@attrs.frozen
class _Asked:
    """What is looked for at every size; it stands in the smallest tree."""

    queries: Sequence[str]
    needle: str


def measure(here: Here) -> Iterator[Point]:
    corpus, asked = here.corpus(), None
    for size in rungs(len(corpus.files()), 2 if here.smoke else 5):
        print(f"growth: {size:,} files", file=sys.stderr)
        with (
            corpus.copied(most=size) as root,
            tempfile.TemporaryDirectory(prefix="benchmark-") as name,
        ):
            draw = partial(_point, corpus.name, size)
            folder = Path(name, "index")
            yield from _cold(draw, root, folder, size, 1 if here.smoke else 3)
            with hsum.open(folder) as index:
                settle(index)
                asked = asked or _chosen(index, root, 20 if here.smoke else 500)
                yield from _searches(draw, index, folder, asked)
                yield from _rare(draw, index, root, asked.needle, here.times)
                yield from _gets(draw, index, folder, asked.queries, here.times)
                yield from _space(draw, index, folder)
                yield from _again(draw, index, root, here.times)


def _point(corpus: str, size: int, panel: Panel, line: str, value: float) -> Point:
    return Point(panel, line, corpus, size, value)


def _chosen(index: hsum.Index, root: Path, count: int) -> _Asked:
    sources = texts(index, root)
    return _Asked(questions(sources, count), rarest(sources))


def _cold(
    draw: Draw, root: Path, folder: Path, size: int, times: int
) -> Iterator[Point]:
    rounds = []
    for _ in range(times):
        shutil.rmtree(folder, ignore_errors=True)
        rounds.append(ingest_alone(root, folder))
    spent = median(took.cpu for took, _ in rounds)
    yield draw(_COLD, "hsum", spent)
    yield draw(_EACH, "hsum", spent / size * 1e3)
    yield draw(_MEMORY, "hsum", median(peak for _, peak in rounds))


def _again(draw: Draw, index: hsum.Index, root: Path, times: int) -> Iterator[Point]:
    unchanged, walked = both_in_turn(
        lambda: ingest_again(index), lambda: walk(root), times=times
    )
    ten = middle([ten_files(index, root, round_) for round_ in range(times)])
    yield draw(_AGAIN, "nothing changed", unchanged.cpu * 1e3)
    yield draw(_AGAIN, "10 files changed", ten.cpu * 1e3)
    yield draw(_AGAIN, "scandir and stat", walked.cpu * 1e3)


def _searches(
    draw: Draw, index: hsum.Index, folder: Path, asked: _Asked
) -> Iterator[Point]:
    raw = Raw(folder)
    theirs = samples(raw.search, [raw.query(query) for query in asked.queries])
    ours = samples(index.search, asked.queries)
    for name, taken in (("", ours), ("raw tantivy ", theirs)):
        spent = [one.cpu * 1e3 for one in taken]
        yield draw(_ANY, f"{name}p50", median(spent))
        yield draw(_ANY, f"{name}p99", percentile(spent, 0.99))


def _rare(
    draw: Draw, index: hsum.Index, root: Path, needle: str, times: int
) -> Iterator[Point]:
    # Many, for the CPU time of one search is near what a clock can tell.
    (ours,) = both_in_turn(
        lambda: [index.search(needle) for _ in range(20)], times=times
    )
    yield draw(_RARE, "hsum", ours.cpu / 20 * 1e3)
    if shutil.which("rg"):
        (theirs,) = both_in_turn(lambda: ripgrep(needle, root), times=times)
        yield draw(_RARE, "ripgrep over the tree", theirs.cpu * 1e3)


def _gets(
    draw: Draw, index: hsum.Index, folder: Path, queries: Sequence[str], times: int
) -> Iterator[Point]:
    cited = citations(index, queries)
    with connected(folder) as connection:
        ours, theirs = both_in_turn(
            partial(get_all, index, cited),
            partial(select_all, connection, cited),
            times=times,
        )
    yield draw(_GET, "hsum", ours.cpu / len(cited) * 1e3)
    yield draw(_GET, "select, inflate, SHA-256", theirs.cpu / len(cited) * 1e3)


def _space(draw: Draw, index: hsum.Index, folder: Path) -> Iterator[Point]:
    indexed = sum(document.size for document in index.documents())
    whole, lexical = stored_bytes(folder), stored_bytes(folder / "lexical")
    yield draw(_DISK, "in all", whole / indexed)
    yield draw(_DISK, "lexical index", lexical / indexed)
    yield draw(_DISK, "SQLite", (whole - lexical) / indexed)
