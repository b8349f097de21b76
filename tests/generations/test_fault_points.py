"""A failing flush, rename or commit, wherever it falls, is typed and changes nothing."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import hsum
from hsum._kernel import files, sqlite, sqlite_files
from tests.index.trees import TREE, contents, plant


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root")


def _full() -> Exception:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _sqlite_full() -> Exception:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


def _failing(
    real: Callable[..., object], at: int, error: Callable[[], Exception]
) -> Callable[..., object]:
    """Wrap a seam of the kernel so that its call number `at` fails."""
    calls = iter(range(1_000))

    def call(*arguments: object, **named: object) -> object:
        if next(calls) == at:
            raise error()
        return real(*arguments, **named)

    return call


SEAMS = (
    (sqlite, "commit", _sqlite_full),
    (sqlite_files, "replace", _full),
    (files, "fsync", _full),
    (os, "fsync", _full),
    (os, "link", _full),
    (os, "mkdir", _full),
)


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize(("module", "name", "error"), SEAMS)
def test_a_first_ingest_that_fails_leaves_no_generation(
    tmp_path: Path, root: Path, monkeypatch, module, name, error, at
) -> None:
    """The call is refused with a code, or succeeds; the next one does all of it."""
    with hsum.open(tmp_path / "ix") as index:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, _failing(getattr(module, name), at, error))
            try:
                index.ingest(root)
            except hsum.HsumError as refusal:
                assert "DISK_FULL" == refusal.code
                assert not index.generations()
        assert () == index.doctor().problems
        index.ingest(root)

        assert TREE == contents(index)
        assert 1 == len(index.generations())
        assert index.doctor().healthy


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize(("module", "name", "error"), SEAMS)
def test_a_later_ingest_that_fails_leaves_the_one_before(
    tmp_path: Path, root: Path, monkeypatch, module, name, error, at
) -> None:
    """Search and evidence answer from the last generation until one succeeds."""
    with hsum.open(tmp_path / "ix") as index:
        index.ingest(root)
        plant(root, {"notes.txt": b"later\n", "new.txt": b"newest\n"})
        with monkeypatch.context() as patch:
            patch.setattr(module, name, _failing(getattr(module, name), at, error))
            try:
                index.ingest()
            except hsum.HsumError as refusal:
                assert "DISK_FULL" == refusal.code
                assert TREE == contents(index)
                assert not index.search("newest").hits
        assert () == index.doctor().problems
        index.ingest()

        assert {**TREE, "notes.txt": b"later\n", "new.txt": b"newest\n"} == contents(
            index
        )
        assert 2 == len(index.generations())
        assert index.search("newest").hits
        assert index.doctor().healthy
