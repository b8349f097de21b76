"""A full disk, at every stage: a typed error, the state before, and all well again."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hsum
from hsum.index.lexical import LexicalDocument, Writer
from tests.index.trees import plant

SHARES = [0, 0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.85]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of our own, where that is allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(place)]
    mount = shutil.which("mount")
    if (
        not mount
        or subprocess.run(command, capture_output=True, check=False).returncode
    ):
        pytest.skip("this needs the right to mount a file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def resize(disk: Path, size: str) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)


def used(disk: Path) -> int:
    """Return the KiB in use."""
    found = os.statvfs(disk)
    return (found.f_blocks - found.f_bfree) * found.f_frsize // 1_024


@contextlib.contextmanager
def nearly_full(disk: Path, room: int) -> Iterator[None]:
    """Leave so many KiB."""
    resize(disk, f"{max(4, used(disk) + room)}k")
    try:
        yield
    finally:
        resize(disk, "48m")


def text(tag: str, at: int) -> bytes:
    return b"".join(
        f"{tag} {at} word{(at * 7 + line * 13) % 5_000} {os.urandom(9).hex()}\n".encode()
        for line in range(500)
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root", {f"a{at}.txt": text("a", at) for at in range(20)})


@pytest.mark.parametrize("share", SHARES)
def test_an_ingest_that_finds_no_room(disk: Path, root: Path, share: float) -> None:
    """Whichever file is the one that does not fit: room is a share of what it needs."""
    fresh = {f"b{at}.txt": text("b", at) for at in range(40)}
    with hsum.open(disk / "ix") as index:
        index.ingest(root)
        before = index.documents(), index.generations()
    room = int(used(disk) * 2 * share)
    plant(root, fresh)
    with hsum.open(disk / "ix") as index:
        with nearly_full(disk, room), pytest.raises(hsum.StorageFull) as full:
            index.ingest()

        assert "DISK_FULL" == full.value.code
        assert before == (index.documents(), index.generations())
        assert index.doctor().healthy
        assert index.search("word17 a").hits
        assert 60 == index.ingest().documents
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


@pytest.mark.parametrize("room", [4, 30, 150, 600])
def test_a_first_ingest_that_finds_no_room(disk: Path, root: Path, room: int) -> None:
    """There is no index then, or an empty one."""
    with hsum.open(disk / "ix") as index:
        with nearly_full(disk, room), pytest.raises(hsum.StorageFull):
            index.ingest(root)

        assert () == index.generations()
        assert () == index.doctor().problems
        assert 20 == index.ingest(root).documents


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
