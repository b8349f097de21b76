"""Start: imports and whole processes, against bare Python."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.corpora import Here
from benchmarks.harness import Row, at_most, in_turn
from benchmarks.ingesting import ingest

__all__ = ["measure"]

_IMPORT = "from time import perf_counter as now; s = now(); import {}; print((now() - s) * 1e3)"

_SEARCH = [sys.executable, "-c", "import sys; from adapters.cli import hsum; hsum()"]


def measure(here: Here) -> Iterator[Row]:
    times = 1 if here.smoke else 15
    yield from _imports(times)
    yield from _search(here, times)


def _imports(times: int) -> Iterator[Row]:
    modules = ("hsum", "hythe", "sqlite3")
    taken = [[_import(name) for name in modules] for _ in range(times)]
    *ours, theirs = map(median, zip(*taken, strict=True))
    for name, milliseconds in zip(modules, ours, strict=False):
        yield Row(
            f"import {name}",
            "-",
            "ms",
            milliseconds,
            "import sqlite3",
            theirs,
            at_most(3),
        )


def _import(name: str) -> float:
    """Return the milliseconds of an import in a fresh interpreter."""
    command = [sys.executable, "-c", _IMPORT.format(name)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def _search(here: Here, times: int) -> Iterator[Row]:
    corpus = here.corpus()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        home = {**os.environ, "HSUM_HOME": folder}
        index = Path(folder, "data", "indexes", "corpus")
        ingest(corpus, corpus.root, index).close()
        search = [*_SEARCH, "search", "open file", "--index", "corpus"]
        ours, bare = in_turn(
            partial(_run, search, home),
            partial(_run, [sys.executable, "-c", "pass"], None),
            times=times,
        )
    yield Row(
        "hsum search, whole process",
        corpus.name,
        "ms",
        ours * 1e3,
        "python -c pass",
        bare * 1e3,
        at_most(1, plus=150),
    )


def _run(command: list[str], environment: dict[str, str] | None) -> None:
    subprocess.run(command, check=True, capture_output=True, env=environment)
