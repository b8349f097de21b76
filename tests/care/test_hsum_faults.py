"""A call that fails, wherever it is made: a typed error, and the state before."""

from __future__ import annotations

import errno
import itertools
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import hsum
from hsum._kernel import files, sqlite, sqlite_files
from hsum.index import lexical, lexical_files
from tests.index.trees import contents, plant

SEAMS = {
    "fsync": (files, lexical_files),
    "fsync_dir": (files, lexical, sqlite_files),
    "replace": (files, sqlite_files),
    "commit": (sqlite,),
}

Verb = Callable[[hsum.Index, Path], object]
VERBS: dict[str, Verb] = {
    "ingest": lambda index, root: index.ingest(root),
    "project": lambda index, _: index.projects.add("docs"),
    "prune": lambda index, _: index.prune(keep_generations=1),
    "forget": lambda index, _: index.forget("notes.txt"),
    "repair": lambda index, _: index.doctor(repair=True),
    "backup": lambda index, root: index.backup(root.parent / "copy"),
}


class Failing:
    """Let a call fail at its n-th time, as on a full disk."""

    def __init__(self, seam: str, at: int) -> None:
        self.real = getattr(SEAMS[seam][0], seam)
        self.error, self.at, self.calls = no_space(seam), at, 0

    def __call__(self, *given: object) -> object:
        self.calls += 1
        if self.calls == self.at:
            raise self.error
        return self.real(*given)


def no_space(seam: str) -> Exception:
    """Return what the call raises when the disk is full."""
    if seam != "commit":
        return OSError(errno.ENOSPC, "no space left")
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root")


@pytest.fixture
def index(tmp_path: Path, root: Path):
    with hsum.open(tmp_path / "ix") as made:
        made.ingest(root)
        plant(root, {"README.md": b"two\n"})
        made.ingest()
        plant(root, {"README.md": b"three\n", "new.txt": b"new\n"})
        yield made


def installed(patched: pytest.MonkeyPatch, seam: str, at: int) -> Failing:
    failing = Failing(seam, at)
    for module in SEAMS[seam]:
        if hasattr(module, seam):
            patched.setattr(module, seam, failing)
    return failing


def failures(
    monkeypatch: pytest.MonkeyPatch, seam: str, call: Callable[[], object]
) -> Iterator[hsum.HsumError]:
    """Yield the fault of each call that fails in turn; end when none is left to fail."""
    for at in itertools.count(1):
        with monkeypatch.context() as patched:
            failing = installed(patched, seam, at)
            try:
                call()
            except hsum.HsumError as fault:
                yield fault
        if failing.calls < at:
            return


@pytest.mark.parametrize("seam", SEAMS)
@pytest.mark.parametrize("verb", ["ingest", "project", "backup"])
def test_the_state_is_the_one_before(
    index: hsum.Index,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    seam: str,
) -> None:
    """Each call that may fail is made to, one after the other, until all succeed."""
    before = index.generations(), contents(index), index.projects.list()
    for fault in failures(monkeypatch, seam, lambda: VERBS[verb](index, root)):
        assert "DISK_FULL" == fault.code
        assert before == (
            index.generations(),
            contents(index),
            index.projects.list(),
        )
        assert index.search("helm").hits
        assert () == index.doctor().problems
        assert not (root.parent / "copy").exists()
    after = index.generations(), index.projects.list(), (root.parent / "copy").exists()

    assert after != (before[0], before[2], False)
    assert () == index.doctor().problems


@pytest.mark.parametrize("seam", SEAMS)
@pytest.mark.parametrize("verb", ["prune", "forget", "repair"])
def test_care_that_fails_can_be_had_again(
    index: hsum.Index,
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    seam: str,
) -> None:
    """Its steps are whole, each by itself: the index is sound after any of them."""
    if verb == "repair":
        head = max((tmp_path / "ix" / "lexical").iterdir())
        next(head.glob("*.term")).write_bytes(b"damaged")
    for fault in failures(monkeypatch, seam, lambda: VERBS[verb](index, root)):
        problems = index.doctor().problems

        assert "DISK_FULL" == fault.code
        assert {"LEXICAL_UNAVAILABLE"} >= {problem.code for problem in problems}
        assert verb == "repair" or () == problems
        assert index.search("helm").hits
    VERBS[verb](index, root)

    assert () == index.doctor().problems
    assert ("notes.txt" in contents(index)) == (verb != "forget")


@pytest.mark.parametrize("seam", SEAMS)
def test_a_first_ingest_that_fails_leaves_no_generation(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, seam: str
) -> None:
    """The index is empty until the one that succeeds."""
    with hsum.open(tmp_path / "new") as index:
        for fault in failures(monkeypatch, seam, lambda: index.ingest(root)):
            assert "DISK_FULL" == fault.code
            assert () == index.generations() == index.doctor().problems

        assert 5 == len(index)
        assert () == index.doctor().problems
