"""Backup and restore: online, verified, whole or not at all."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hsum
from tests.generations import writer
from tests.index.trees import contents, plant


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root")


@pytest.fixture
def index(tmp_path: Path, root: Path):
    with hsum.open(tmp_path / "ix") as made:
        made.ingest(root)
        yield made


def test_a_backup_taken_while_another_process_ingests(tmp_path: Path) -> None:
    """Each copy is one whole generation; its citations answer, here and there."""
    folder, root = tmp_path / "index", tmp_path / "root"
    root.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", writer.__name__, str(folder), str(root), "0"],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )
    process.stdout.readline()
    with hsum.open(folder) as live:
        copies = [live.backup(tmp_path / f"copy{at}") for at in range(4)]
        process.kill()
        process.communicate()
        for at, made in enumerate(copies):
            restored = hsum.restore(tmp_path / f"copy{at}", tmp_path / f"ix{at}")
            with hsum.open(tmp_path / f"ix{at}") as again:
                bodies = contents(again)
                markers = {body.split(b" ")[0] for body in bodies.values()}

                assert 1 == len(markers)
                assert again.doctor().healthy
                assert live.documents(made.generation) == again.documents()
                assert again.search(markers.pop().decode()).hits
                for document in again.documents():
                    there = again.get(document.citation).content
                    assert live.get(document.citation).content == there
            assert made.generation == restored.generation


def test_a_backup_is_private_and_leaves_no_other_file(
    index: hsum.Index, tmp_path: Path
) -> None:
    """It is one file, for its owner alone."""
    copies = tmp_path / "copies"
    copies.mkdir()
    made = index.backup(copies / "one")

    assert ["one"] == os.listdir(copies)
    assert 0o600 == (copies / "one").stat().st_mode & 0o777
    assert made.bytes == (copies / "one").stat().st_size


def test_a_backup_knows_what_was_forgotten_and_pruned(
    index: hsum.Index, root: Path, tmp_path: Path
) -> None:
    """Tombstones, and what may never be indexed again, are part of it."""
    cited = {one.path: one.citation for one in index.documents()}
    plant(root, {"README.md": b"anew\n"})
    index.ingest()
    index.prune(keep_generations=1)
    index.forget("notes.txt")
    index.backup(tmp_path / "copy")
    hsum.restore(tmp_path / "copy", tmp_path / "again")
    codes = []
    with hsum.open(tmp_path / "again") as again:
        for path in ("README.md", "notes.txt"):
            with pytest.raises(hsum.NotFound) as gone:
                again.get(cited[path])
            codes.append(gone.value.code)
        again.ingest()

        assert "notes.txt" not in contents(again)
    assert ["EVIDENCE_PRUNED", "EVIDENCE_FORGOTTEN"] == codes


@pytest.mark.parametrize("call", ["replace", "fsync"])
@pytest.mark.parametrize("there", [False, True])
def test_a_restore_that_fails_leaves_nothing(
    index: hsum.Index,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    *,
    there: bool,
) -> None:
    """Neither a directory nor half an index; what was in a directory stays."""
    index.backup(tmp_path / "copy")
    target = tmp_path / "again"
    if there:
        plant(target, {"mine.txt": b"mine\n"})

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patched:
        patched.setattr(os, call, fail)
        with pytest.raises(hsum.StorageFull):
            hsum.restore(tmp_path / "copy", target)

    kept = {"mine.txt", "writer.lock"} if there else set()
    assert kept == (set(os.listdir(target)) if target.exists() else set())
    assert hsum.restore(tmp_path / "copy", target).generation == 1


def test_a_backup_of_nothing_restores_to_nothing(tmp_path: Path) -> None:
    """An index that was never filled can be copied as well."""
    with hsum.open(tmp_path / "ix") as empty:
        empty.projects.add("docs")
        made = empty.backup(tmp_path / "copy")
    hsum.restore(tmp_path / "copy", tmp_path / "again")
    with hsum.open(tmp_path / "again") as again:
        assert ["default", "docs"] == [one.name for one in again.projects]
        assert () == again.generations()
    assert made.generation is None


@pytest.mark.parametrize("content", [b"", b"no database" * 100, b"SQLite format 3\0"])
def test_what_is_no_backup_is_refused(tmp_path: Path, content: bytes) -> None:
    """Before anything is made."""
    (tmp_path / "copy").write_bytes(content)
    with pytest.raises(hsum.HsumError) as refused:
        hsum.restore(tmp_path / "copy", tmp_path / "again")

    assert refused.value.code in ("STORE_DAMAGED", "INDEX_NOT_FOUND")
    assert not (tmp_path / "again").exists()


def test_a_copy_that_cannot_be_written_is_refused(
    index: hsum.Index, tmp_path: Path
) -> None:
    """A folder that is not there, or a file in its place, is no traceback."""
    for target in (tmp_path / "no" / "copy", tmp_path / "ix" / "index.sqlite" / "copy"):
        with pytest.raises(hsum.HsumError):
            index.backup(target)
