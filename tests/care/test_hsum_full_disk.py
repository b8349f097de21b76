"""A full disk, at every stage: a typed error, the state before, and all well again."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hsum
from hsum.index.lexical import LexicalDocument, Writer
from tests.care.disks import STEPS, mounted, nearly_full, rooms, used
from tests.index.trees import plant

# What the log of the database may keep of a write that failed.
GROWN_KIB = 1_200


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk") as place:
        yield place


def text(tag: str, at: int) -> bytes:
    return b"".join(
        f"{tag} {at} word{(at * 7 + line * 13) % 5_000} {os.urandom(9).hex()}\n".encode()
        for line in range(500)
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root", {f"a{at}.txt": text("a", at) for at in range(20)})


def test_an_ingest_that_finds_no_room_at_any_stage(disk: Path, root: Path) -> None:
    """From no room upwards: the state before, and its room, until there is enough."""
    with hsum.open(disk / "ix") as index:
        index.ingest(root)
        before, full = (index.documents(), index.generations()), used(disk)
        plant(root, {f"b{at}.txt": text("b", at) for at in range(40)})
        codes = []
        for room in rooms(2 * full):
            try:
                with nearly_full(disk, room):
                    report = index.ingest()
                break
            except hsum.StorageFull as fault:
                codes.append(fault.code)

            assert before == (index.documents(), index.generations())
            assert index.doctor().healthy
            assert index.search("word17 a").hits
            assert used(disk) <= full + GROWN_KIB

        assert len(codes) >= STEPS // 2
        assert {"DISK_FULL"} == set(codes)
        assert (2, 60) == (report.generation, report.documents)
        assert index.doctor().healthy


@pytest.mark.parametrize("room", [6, 12, 16, 20, 24, 28])
def test_a_worker_that_dies_of_no_room(disk: Path, room: int) -> None:
    """Where tantivy does not say what its worker died of, it is found out."""
    lexical = disk / "lexical"
    documents = [
        LexicalDocument(at, 0, body=text("a", at).decode()) for at in range(300)
    ]
    with nearly_full(disk, room * 4), pytest.raises(hsum.Fault) as full:
        writer = Writer(lexical)
        try:
            for document in documents:
                writer.extend([document])
            writer.commit()
        finally:
            writer.abort()

    assert "DISK_FULL" == full.value.code


def test_a_first_ingest_that_finds_no_room_at_any_stage(disk: Path, root: Path) -> None:
    """There is no index then, or an empty one, until there is room enough."""
    codes = []
    with hsum.open(disk / "ix") as index:
        for room in rooms(4_000):
            try:
                with nearly_full(disk, room):
                    report = index.ingest(root)
                break
            except hsum.StorageFull as fault:
                codes.append(fault.code)

            assert () == index.generations()
            assert () == index.doctor().problems

        assert len(codes) >= STEPS // 3
        assert {"DISK_FULL"} == set(codes)
        assert 20 == report.documents
        assert index.doctor().healthy


@pytest.mark.parametrize("room", [0, 100, 300])
def test_care_that_finds_no_room(disk: Path, root: Path, room: int) -> None:
    """A copy is not made; what must be forgotten is, or is not, and can be again."""
    with hsum.open(disk / "ix") as index:
        index.ingest(root)
        with nearly_full(disk, room):
            with pytest.raises(hsum.StorageFull):
                index.backup(disk / "copy")
            with contextlib.suppress(hsum.StorageFull):
                index.forget("a1.txt")
            with contextlib.suppress(hsum.StorageFull):
                index.prune(keep_generations=1)
        left = [path.name for path in disk.iterdir()]
        index.forget("a1.txt")
        index.prune(keep_generations=1)

        assert ["ix"] == left
        assert 19 == len(index)
        assert index.doctor().healthy


_LIMITED = """
import resource, sys, hsum
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    with hsum.open(sys.argv[1]) as index:
        index.ingest(sys.argv[2])
except hsum.HsumError as fault:
    print(fault.code)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no such limit")
@pytest.mark.parametrize("limit", [4_096, 50_000, 150_000, 400_000])
def test_a_file_that_may_not_grow(tmp_path: Path, root: Path, limit: int) -> None:
    """A limit of the process, or a quota, is told as what it is."""
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(tmp_path / "ix"), str(root), str(limit)],
        capture_output=True,
        text=True,
        check=False,
    )
    with hsum.open(tmp_path / "ix") as index:
        assert done.stdout.strip() in ("QUOTA_EXCEEDED", "DISK_FULL")
        assert (0, () == index.generations()) == (done.returncode, True)
        assert 20 == index.ingest(root).documents
        assert index.doctor().healthy
