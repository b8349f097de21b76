"""Watching: whatever happened in between, the index ends as a fresh ingest would."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import hsum
from hsum.index.store import Store
from tests.index.trees import contents, plant

pytest.importorskip("watchfiles")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(
        tmp_path / "root", {f"d{at % 9}/f{at}.txt": b"%d\n" % at for at in range(240)}
    )


@pytest.fixture
def index(tmp_path: Path, root: Path):
    with hsum.open(tmp_path / "ix") as made:
        made.ingest(root)
        yield made


@contextlib.contextmanager
def watched(index: hsum.Index, **options: object) -> Iterator[list[hsum.IngestReport]]:
    """Watch in a thread while the block works; wait until all of it was seen."""
    stop, begun = threading.Event(), threading.Event()
    reports: list[hsum.IngestReport] = []

    def follow() -> None:
        for report in index.watch(stop=stop, settle_ms=50, **options):
            reports.append(report)
            begun.set()

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        assert begun.wait(30)
        yield reports
        _caught_up(index)
    finally:
        stop.set()
        thread.join(30)


def _caught_up(index: hsum.Index) -> None:
    pause = threading.Event()
    for _ in range(300):
        pause.wait(0.1)
        if index.ingest(dry_run=True, allow=["mass-delete"]).unchanged:
            return
    raise AssertionError("the watch does not catch up")


def _is_as_fresh(index: hsum.Index, root: Path) -> bool:
    """Tell whether an index has what an ingest from nothing has, and finds it."""
    with hsum.in_memory() as other:
        other.ingest(root)
        fresh, kept = _said(other), _said(index)
    return fresh == kept and index.doctor().healthy


def _said(index: hsum.Index) -> tuple[object, ...]:
    documents = index.documents()
    found = index.search('"17"', limit=100).hits
    return (
        contents(index),
        [(one.path, one.rev, one.encoding, one.passages) for one in documents],
        sorted(hit.path for hit in found),
    )


def _git(root: Path, *command: str) -> None:
    settings = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(
        ["git", *settings, *command], cwd=root, check=True, capture_output=True
    )


def test_a_branch_switch_is_followed(index: hsum.Index, root: Path) -> None:
    """Two hundred files of another branch come and go, in one or few generations each."""
    _git(root, "init", "-q")
    _git(root, "add", ".")
    _git(root, "commit", "-qm", "one")
    _git(root, "checkout", "-qb", "other")
    for at in range(200):
        plant(root, {f"d{at % 9}/f{at}.txt": b"other %d\n" % at})
    plant(root, {f"new/n{at}.txt": b"new %d\n" % at for at in range(50)})
    _git(root, "add", ".")
    _git(root, "commit", "-qm", "two")
    _git(root, "checkout", "-q", "-")
    index.ingest()
    for touched in ((50, 200, 0), (0, 200, 50)):
        with watched(index) as reports:
            _git(root, "checkout", "-q", "other" if touched[0] else "-")

        counts = [(one.added, one.changed, one.dropped) for one in reports]
        assert touched == tuple(map(sum, zip(*counts, strict=True)))
        assert len(reports) <= 4
        assert _is_as_fresh(index, root)


def test_a_rename_storm_is_followed(index: hsum.Index, root: Path) -> None:
    """Files that move while they are scanned are neither lost nor doubled."""
    with watched(index, allow=["mass-delete"]):
        for turn in range(3):
            for at in range(0, 240, 2):
                name = f"d{at % 9}/f{at}.txt"
                there, back = (root / name, root / f"{name}.{turn}")
                there.rename(back)
                back.rename(there if turn < 2 else root / f"d{at % 9}/moved{at}.txt")

    assert _is_as_fresh(index, root)
    assert 240 == len(index)


def test_the_saves_of_an_editor_are_one_change(index: hsum.Index, root: Path) -> None:
    """A file that is written beside its place and renamed over it is changed, at last."""
    target = root / "d1" / "f1.txt"
    with watched(index) as reports:
        for turn in range(20):
            beside = target.with_name(".f1.txt.swp")
            beside.write_bytes(b"saved %d\n" % turn)
            os.replace(beside, target)

    assert b"saved 19\n" == contents(index)["d1/f1.txt"]
    assert {(0, 1, 0)} == {(one.added, one.changed, one.dropped) for one in reports[1:]}
    assert len(reports) < 12
    assert _is_as_fresh(index, root)


def test_a_change_before_the_first_report_is_seen(
    index: hsum.Index, root: Path
) -> None:
    """Watching begins before the first ingest: nothing falls between the two."""
    stop = threading.Event()
    reports = index.watch(stop=stop, settle_ms=50, rescan_s=3_600)
    next(reports)
    plant(root, {"at-once.txt": b"x\n"})
    second = next(reports)
    stop.set()

    assert 1 == second.added
    assert [] == list(reports)


def test_an_index_below_its_root_does_not_wake_itself(tmp_path: Path) -> None:
    """What the index writes is no change of the tree."""
    root = plant(tmp_path / "root", {"a.txt": b"a\n"})
    scans = []
    with hsum.open(root / ".index") as index:
        index.ingest(root)
        stop = threading.Event()
        ingest = index.ingest
        index.ingest = lambda **options: scans.append(1) or ingest(**options)
        reports = index.watch(stop=stop, settle_ms=20, rescan_s=3_600)
        next(reports)
        plant(root, {"b.txt": b"b\n"})
        next(reports)
        threading.Timer(1, stop.set).start()

        assert [] == list(reports)
        assert len(scans) <= 3


def test_a_mass_deletion_is_refused_at_rest(index: hsum.Index, root: Path) -> None:
    """The guard of ingest holds; a switch that only passes through is waited out."""
    reports = index.watch(settle_ms=50)
    next(reports)
    for path in list(root.rglob("f*.txt"))[:200]:
        path.unlink()
    with pytest.raises(hsum.HsumError) as refused:
        next(reports)

    assert "CONFIRMATION_REQUIRED" == refused.value.code
    assert 240 == len(index)


def test_another_writer_is_waited_for(index: hsum.Index, root: Path) -> None:
    """A lock that is held for long delays a report, and loses nothing."""
    other = Store(index._store.folder)
    done: list[hsum.IngestReport] = []
    reports = index.watch(settle_ms=50)
    thread = threading.Thread(target=lambda: done.append(next(reports)))
    with other.writer():
        plant(root, {"late.txt": b"late\n"})
        thread.start()
        thread.join(6)  # longer than an ingest waits for the lock
        early = list(done)
    thread.join(30)
    other.close()

    assert [] == early
    assert 1 == done[0].added


@pytest.mark.parametrize(
    "wrong", [{"settle_ms": 0}, {"settle_ms": "x"}, {"rescan_s": 0}, {"rescan_s": None}]
)
def test_nonsense_is_refused(index: hsum.Index, wrong: dict[str, object]) -> None:
    """Before anything is watched."""
    with pytest.raises(hsum.InvalidInput):
        index.watch(**wrong)


def test_a_root_that_is_gone_is_named(index: hsum.Index, root: Path) -> None:
    """No library's own error comes out."""
    root.rename(root.with_name("elsewhere"))
    with pytest.raises(hsum.NotFound) as missing:
        next(index.watch())

    assert "ROOT_MISSING" == missing.value.code


def test_nothing_is_watched_before_the_first_ingest(tmp_path: Path) -> None:
    """There is no root yet."""
    with hsum.open(tmp_path / "ix") as index, pytest.raises(hsum.NotFound) as missing:
        index.watch()

    assert "NO_GENERATION" == missing.value.code
