"""Eight processes that write one store, against one."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import attrs

import hythe
from benchmarks.corpora import Here
from benchmarks.harness import Row, Target, at_least, at_most, percentile
from benchmarks.hythe_work import DURABILITY, facts, state

__all__ = ["measure"]

_WRITERS = 8


def measure(here: Here) -> Iterator[Row]:
    count = 16 if here.smoke else 1_600
    runs = [(_run(1, count), _run(_WRITERS, count)) for _ in range(here.times)]
    alone = median(one.rate for one, _ in runs)
    together = median(many.rate for _, many in runs)
    lost = sum(run.lost for pair in runs for run in pair)
    errors = sum(run.errors for pair in runs for run in pair)
    p50 = median(many.p50 for _, many in runs)
    p99 = median(many.p99 for _, many in runs)
    yield _row("throughput", "/s", together, "1 process", alone, at_least(0.6))
    yield _row("p99 of a write", "ms", p99, "p50", p50, at_most(50))
    yield _row("writes lost", "writes", lost, "none", 0, at_most(1))
    yield _row("errors", "writes", errors, "none", 0, at_most(1))


def _row(
    what: str, unit: str, ours: float, against: str, theirs: float, target: Target
) -> Row:
    whole = f"{what}, {_WRITERS} processes"
    return Row(whole, "-", unit, ours, against, theirs, target, note=DURABILITY)


@attrs.frozen
class _Run:
    """What one crowd of writers did."""

    rate: float
    p50: float
    p99: float
    lost: int
    errors: int


def _run(writers: int, count: int) -> _Run:
    """Let so many processes write `count` checkpoints in all, each to its own task."""
    each = count // writers
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        path = Path(folder, "store.sqlite")
        crowd = [_start(path, f"writer-{at}", each) for at in range(writers)]
        for process in crowd:
            _say(process)
        start = time.perf_counter()
        for process in crowd:
            process.stdin.write("go\n")
            process.stdin.flush()
        said = [json.loads(_say(process)) for process in crowd]
        taken = time.perf_counter() - start
        errors = sum(process.wait() != 0 for process in crowd)
        with hythe.open(path, agent="reader", read_only=True) as store:
            found = [
                store.scope(project="atlas", task=f"writer-{at}").current().revision
                for at in range(writers)
            ]
            errors += len(store.doctor().problems)
    times = [took for one in said for took in one]
    lost = writers * (each + 1) - sum(found)
    return _Run(
        len(times) / taken,
        percentile(times, 0.50) * 1e3,
        percentile(times, 0.99) * 1e3,
        lost,
        errors,
    )


def _start(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.hythe_writers"]
    return subprocess.Popen(
        [*command, str(path), name, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _say(process: subprocess.Popen[str]) -> str:
    return process.stdout.readline()


def _write(path: str, name: str, count: int) -> None:
    """Write when told to; print how long each write took."""
    with hythe.open(path, agent=name) as store:
        scope = store.scope(project="atlas", task=name)
        parent = scope.checkpoint(state(0), parent=None)
        list(map(state, range(count + 1)))
        print("ready", flush=True)
        sys.stdin.readline()
        taken = []
        for number in range(1, count + 1):
            start = time.perf_counter()
            parent = scope.checkpoint(state(number), parent=parent, facts=facts(number))
            taken.append(time.perf_counter() - start)
        print(json.dumps(taken), flush=True)


if __name__ == "__main__":
    _write(sys.argv[1], sys.argv[2], int(sys.argv[3]))
