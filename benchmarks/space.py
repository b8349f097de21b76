"""Space: bytes on disk against bytes indexed, and memory of ingest by size."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpora import Corpus, Here
from benchmarks.harness import Row, at_most, shown
from benchmarks.ingesting import ingest, ingest_again

__all__ = ["measure"]

_FEW = 12_000
_MOST_MEGABYTES = 700
_INGEST = """
import resource, sys, hsum
hsum.open(sys.argv[1]).ingest(sys.argv[2], no_ignore=True, allow=["large"])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak * (1 if sys.platform == "darwin" else 1024))
"""


def measure(here: Here) -> Iterator[Row]:
    corpus = here.corpus()
    yield _disk(corpus)
    yield from _memory(corpus)


def _disk(corpus: Corpus) -> Row:
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        with ingest(corpus, corpus.root, Path(folder)) as index:
            indexed = sum(document.size for document in index.documents())
            ingest_again(index)
        stored = sum(_sizes(Path(folder)))
    return Row(
        "disk, SQLite and lexical",
        corpus.name,
        "MB",
        stored / 1e6,
        "bytes indexed",
        indexed / 1e6,
        at_most(0.75 if corpus.name == "large" else 1.0),
    )


def _sizes(folder: Path) -> Iterator[int]:
    seen = set()
    for path in folder.rglob("*"):
        status = path.lstat()
        if path.is_file() and status.st_ino not in seen:
            seen.add(status.st_ino)
            yield status.st_blocks * 512


def _memory(corpus: Corpus) -> Iterator[Row]:
    large = corpus.name == "large"
    most = _FEW if large else sum(1 for _ in corpus.root.rglob("*")) // 6
    with corpus.copied(most=most) as few:
        theirs = _peak(few)
    ours = _peak(corpus.root)
    row = Row(
        "memory of ingest, all files",
        corpus.name,
        "MB",
        ours,
        "a sixth of them",
        theirs,
        at_most(1.5),
    )
    yield row if large else shown(row)
    yield Row(
        "memory of ingest",
        corpus.name,
        "MB",
        ours,
        f"{_MOST_MEGABYTES} MB",
        _MOST_MEGABYTES,
        at_most(1),
    )


def _peak(root: Path) -> float:
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        command = [sys.executable, "-c", _INGEST, folder, os.fspath(root)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout) / 1e6
