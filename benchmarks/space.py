"""Space: bytes on disk against bytes indexed, and memory of ingest by size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpora import Corpus, Here
from benchmarks.harness import Row, Taken, at_most, shown
from benchmarks.ingesting import ingest, ingest_again

__all__ = ["ingest_alone", "measure", "stored_bytes"]

_FEW = 12_000
_MOST_MEGABYTES = 700
_INGEST = """
import json, re, resource, sys, time
from pathlib import Path
import hsum

def peak():
    status = Path("/proc/self/status")
    if status.exists():
        # `ru_maxrss` of a child begins with what its parent had when it forked.
        return int(re.search(r"VmHWM:\\s*(\\d+) kB", status.read_text())[1]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024)

start, spent = time.perf_counter(), time.process_time()
hsum.open(sys.argv[1]).ingest(sys.argv[2], no_ignore=True, allow=["large"])
took, cpu = time.perf_counter() - start, time.process_time() - spent
print(json.dumps([took, cpu, peak()]))
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
        stored = stored_bytes(Path(folder))
    return Row(
        "disk, SQLite and lexical",
        corpus.name,
        "MB",
        stored / 1e6,
        "bytes indexed",
        indexed / 1e6,
        at_most(0.75 if corpus.name == "large" else 1.0),
    )


def stored_bytes(folder: Path) -> int:
    """Return the bytes that a folder takes on the disk; linked ones count once."""
    found = {
        status.st_ino: status.st_blocks * 512
        for path in folder.rglob("*")
        if path.is_file() and (status := path.lstat())
    }
    return sum(found.values())


def _memory(corpus: Corpus) -> Iterator[Row]:
    large = corpus.name == "large"
    most = _FEW if large else len(corpus.files()) // 6
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
        return ingest_alone(root, Path(folder))[1]


def ingest_alone(root: Path, folder: Path) -> tuple[Taken, float]:
    """Ingest in a process of its own; return what it took and the peak of megabytes."""
    command = [sys.executable, "-c", _INGEST, os.fspath(folder), os.fspath(root)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, spent, peak = json.loads(done.stdout)
    return Taken(seconds, spent), peak / 1e6
