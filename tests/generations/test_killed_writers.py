"""A writer may die at any instruction; a reader never sees half of its work."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hsum
from tests.generations import writer

ROUNDS = int(os.environ.get("HSUM_KILL_ROUNDS", "8"))
_MARKER = re.compile(r"marker(\d+) ")


def _markers(index: hsum.Index) -> set[str]:
    with index._store.reading() as snapshot:
        bodies = [snapshot.whole(version).decode() for version in snapshot.live()]
    return {found for body in bodies for found in _MARKER.findall(body)}


def _start(folder: Path, root: Path, number: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", writer.__name__, str(folder), str(root), str(number)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )


def _watch(index: hsum.Index, until: float) -> None:
    """Read and search as long as the writer lives."""
    while time.monotonic() < until:
        assert len(_markers(index)) <= 1
        if index.generations():
            hits = index.search("marker stands", limit=50)
            texts = {found for hit in hits for found in _MARKER.findall(hit.text)}

            assert len(texts) <= 1


def _acknowledged(output: str) -> int:
    lines = [line.split() for line in output.splitlines()]
    return max((int(number) for number, _ in lines), default=-1)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_killed_writer_leaves_one_whole_generation(tmp_path: Path, seed: int) -> None:
    """After SIGKILL the index is as before or after an ingest, and nothing is lost."""
    folder, root = tmp_path / "index", tmp_path / "root"
    root.mkdir()
    draw = random.Random(seed)
    number, acknowledged = 0, -1
    with hsum.open(folder) as reader:
        for _ in range(3):
            process = _start(folder, root, number)
            _watch(reader, time.monotonic() + draw.uniform(0.3, 1.2))
            process.send_signal(signal.SIGKILL)
            output, _ = process.communicate()
            acknowledged = max(acknowledged, _acknowledged(output))
            markers = _markers(reader)
            number = max(map(int, markers), default=0) + 1

            assert len(markers) == (acknowledged >= 0) or len(markers) == 1
            assert number - 1 >= acknowledged
            assert () == reader.doctor().problems
        reader.ingest(root, allow=["mass-delete"])

        assert reader.ingest(dry_run=True).unchanged
        assert () == reader.doctor().problems
