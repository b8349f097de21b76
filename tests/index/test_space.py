"""Backup, restore, prune and forget: copies that are whole, space that comes back."""

from __future__ import annotations

import os
import sqlite3
import threading
from datetime import timedelta
from pathlib import Path

import pytest

import hsum
from hsum.testing import SettableClock
from tests.index.trees import TREE, contents, plant, stored


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root")


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture
def index(tmp_path: Path, clock: SettableClock):
    with hsum.open(tmp_path / "ix", clock=clock) as made:
        yield made


def _code(call) -> str:
    with pytest.raises(hsum.HsumError) as caught:
        call()
    return caught.value.code


def _holds(folder: Path, words: bytes) -> list[str]:
    """Return the files below a folder that have these bytes."""
    return [
        os.path.join(base, name)
        for base, _, names in os.walk(folder)
        for name in names
        if words in Path(base, name).read_bytes().lower()
    ]


# --- backup and restore ---------------------------------------------------------------


def test_a_backup_restores_to_the_same_index(
    index: hsum.Index, root: Path, tmp_path: Path
) -> None:
    """Ids, citations, generations, options: all of it comes back, and searches."""
    index.ingest(root, exclude=["*.tmp"])
    plant(root, {"notes.txt": b"later\n"})
    index.ingest()
    made = index.backup(tmp_path / "copy.sqlite")
    plant(root, {"notes.txt": b"after the backup\n"})
    index.ingest()
    restored = hsum.restore(tmp_path / "copy.sqlite", tmp_path / "again")
    with hsum.open(tmp_path / "again") as again:
        assert index.generations()[:2] == again.generations()
        assert index.documents(2) == again.documents()
        assert {**TREE, "notes.txt": b"later\n"} == contents(again)
        assert again.search("helm").hits
        assert again.doctor().healthy
        assert (3, 1) == (again.ingest().generation, len(again.ingest().failed) + 1)
    assert (2, 2) == (made.generation, restored.generation)
    assert made.index_id == restored.index_id == index.status().index_id


def test_a_backup_never_overwrites(
    index: hsum.Index, root: Path, tmp_path: Path
) -> None:
    """An existing file, or a directory with an index, is refused as it is."""
    index.ingest(root)
    copy = tmp_path / "copy.sqlite"
    index.backup(copy)
    before = copy.read_bytes()

    assert "INVALID_ARGUMENT" == _code(lambda: index.backup(copy))
    assert "INVALID_ARGUMENT" == _code(lambda: hsum.restore(copy, tmp_path / "ix"))
    assert "INDEX_NOT_FOUND" == _code(lambda: hsum.restore(tmp_path / "no", tmp_path))
    assert before == copy.read_bytes()
    assert [] == [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]


def test_damage_is_neither_backed_up_nor_restored(
    index: hsum.Index, root: Path, tmp_path: Path
) -> None:
    """A copy is verified; one that is not whole is no copy."""
    index.ingest(root)
    index.backup(tmp_path / "good.sqlite")
    for path in (tmp_path / "good.sqlite", tmp_path / "ix" / "index.sqlite"):
        connection = sqlite3.connect(path)
        connection.execute(
            "UPDATE block SET body = x'00' WHERE id IN (SELECT min(id) FROM block)"
        )
        connection.commit()
        connection.close()

    assert "INTEGRITY_FAILED" == _code(lambda: index.backup(tmp_path / "bad.sqlite"))
    assert "INTEGRITY_FAILED" == _code(
        lambda: hsum.restore(tmp_path / "good.sqlite", tmp_path / "again")
    )
    assert not (tmp_path / "bad.sqlite").exists()
    assert not (tmp_path / "again").exists()


def test_an_index_in_memory_is_backed_up_to_disk(root: Path, tmp_path: Path) -> None:
    """The twin in memory can be kept after all."""
    with hsum.in_memory() as index:
        index.ingest(root)
        index.backup(tmp_path / "copy.sqlite")
    hsum.restore(tmp_path / "copy.sqlite", tmp_path / "ix")
    with hsum.open(tmp_path / "ix") as again:
        assert TREE == contents(again)


# --- prune ----------------------------------------------------------------------------


def _five_generations(index: hsum.Index, root: Path, clock: SettableClock) -> list:
    cited = []
    for number in range(5):
        plant(root, {"notes.txt": b"%d\n" % number * 1_000})
        index.ingest(root)
        cited.append(
            next(d.citation for d in index.documents() if d.path == "notes.txt")
        )
        clock.advance(86_400)
    return cited


def test_pruning_keeps_what_kept_generations_hold(
    index: hsum.Index, root: Path, clock: SettableClock
) -> None:
    """Older evidence is `EVIDENCE_PRUNED`, the rest comes back as before."""
    cited = _five_generations(index, root, clock)
    planned = index.prune(keep_generations=2, dry_run=True)
    still = stored(index, cited[0])
    report = index.prune(keep_generations=2)

    assert (4, 3, 6_000) == (report.kept_from, report.revisions, report.bytes)
    assert (planned.revisions, planned.dry_run) == (report.revisions, True)
    assert b"0\n" * 1_000 == still
    assert [False, False, False, True, True] == [one in index for one in cited]
    assert "EVIDENCE_PRUNED" == _code(lambda: index.get(cited[0]))
    assert b"3\n" * 1_000 == stored(index, cited[3])
    assert 0 == index.prune(keep_generations=2).revisions
    assert index.doctor().healthy


def test_pruning_by_age_keeps_the_newest(
    index: hsum.Index, root: Path, clock: SettableClock
) -> None:
    """What is younger stays; the newest generation stays at any age."""
    _five_generations(index, root, clock)
    aged = [
        index.prune(older_than=age, dry_run=True).kept_from for age in ("3d", "80h")
    ]
    clock.advance(10_000_000)
    newest = index.prune(older_than=timedelta(0))

    assert [3, 3] == aged
    assert (5, 4) == (newest.kept_from, newest.revisions)
    assert 5 == len(index)


def test_pruned_bytes_that_return_are_stored_again(
    index: hsum.Index, root: Path, clock: SettableClock
) -> None:
    """The same file later makes the old citation answer again."""
    cited = _five_generations(index, root, clock)
    index.prune(keep_generations=1)
    plant(root, {"notes.txt": b"0\n" * 1_000})
    index.ingest()

    assert b"0\n" * 1_000 == stored(index, cited[0])
    assert index.doctor().healthy


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"keep_generations": 1, "older_than": "1d"},
        {"keep_generations": 0},
        {"keep_generations": True},
        {"older_than": "soon"},
        {"older_than": 5},
        {"older_than": timedelta(-1)},
    ],
)
def test_a_prune_must_say_what_it_keeps(
    index: hsum.Index, root: Path, wrong: dict
) -> None:
    """Neither, both, or nonsense is refused."""
    index.ingest(root)

    assert "INVALID_ARGUMENT" == _code(lambda: index.prune(**wrong))


def test_space_comes_back(index: hsum.Index, root: Path, tmp_path: Path) -> None:
    """The file shrinks by what was pruned."""
    for _ in range(2):
        lines = os.urandom(1_500_000).hex("\n", 30)
        plant(root, {"big.txt": lines.encode()[:2_000_000]})
        index.ingest(root)

    def size() -> int:
        return sum(path.stat().st_size for path in (tmp_path / "ix").glob("index.*"))

    before = size()
    index.prune(keep_generations=1)

    assert size() < before * 0.6


# --- forget ---------------------------------------------------------------------------

SECRET = b"the launch code is zanzibar\n"


def test_what_is_forgotten_is_gone_for_good(
    index: hsum.Index, root: Path, tmp_path: Path
) -> None:
    """No file of the index has its bytes or words; ids stay as a tombstone."""
    plant(root, {"keys.txt": SECRET, "others.txt": b"zebra\n"})
    index.ingest(root)
    cited = {found.path: found.citation for found in index.documents()}
    planned = index.forget("keys.txt", dry_run=True)
    known = bool(index.search("zanzibar").hits)
    report = index.forget("keys.txt")
    again = index.ingest()

    assert known
    assert (("keys.txt",), 1, len(SECRET)) == (
        report.paths,
        report.revisions,
        report.bytes,
    )
    assert planned.paths == report.paths
    assert (2, ()) == (report.generation, report.held)
    assert "EVIDENCE_FORGOTTEN" == _code(lambda: index.get(cited["keys.txt"]))
    assert cited["keys.txt"] not in index
    assert not index.search("zanzibar").hits
    assert index.search("zebra").hits
    assert [] == _holds(tmp_path / "ix", b"zanzibar")
    assert again.unchanged
    assert {"forgotten": 1} == again.skipped
    assert index.doctor().healthy


def test_every_revision_is_forgotten_under_every_name(
    index: hsum.Index, root: Path, tmp_path: Path
) -> None:
    """Past revisions and former paths go with it; a new file at an old name may stay."""
    plant(root, {"a.txt": SECRET})
    index.ingest(root)
    plant(root, {"a.txt": SECRET * 2})
    index.ingest()
    (root / "a.txt").rename(root / "b.txt")
    index.ingest()
    plant(root, {"a.txt": b"harmless\n"})
    index.ingest()
    report = index.forget("b.txt")

    assert (("a.txt", "b.txt"), 2) == (report.paths, report.revisions)
    assert b"harmless\n" == contents(index)["a.txt"]
    assert [] == _holds(tmp_path / "ix", b"zanzibar")
    assert index.ingest().unchanged
    assert index.doctor().healthy


def test_what_another_document_holds_is_named(index: hsum.Index, root: Path) -> None:
    """Bytes that stand elsewhere, too, stay there alone."""
    plant(root, {"keys.txt": SECRET, "copy.txt": SECRET})
    index.ingest(root)
    cited = {found.path: found.citation for found in index.documents()}
    report = index.forget("keys.txt")

    assert (("copy.txt",), 0) == (report.held, report.revisions)
    assert "EVIDENCE_FORGOTTEN" == _code(lambda: index.get(cited["keys.txt"]))
    assert SECRET == stored(index, cited["copy.txt"])
    rest = index.forget("copy.txt")
    assert ((), 1) == (rest.held, rest.revisions)
    assert index.doctor().healthy


def test_a_folder_is_forgotten_whole(
    index: hsum.Index, root: Path, tmp_path: Path
) -> None:
    """All below it goes, also what comes later; its neighbours stay."""
    plant(root, {"vault/a.txt": SECRET, "vault/in/b.txt": SECRET, "vault0.txt": b"x\n"})
    index.ingest(root)
    report = index.forget("vault/")
    plant(root, {"vault/c.txt": SECRET})
    index.ingest()

    assert ("vault/a.txt", "vault/in/b.txt") == report.paths
    assert {*TREE, "vault0.txt"} == contents(index).keys()
    assert [] == _holds(tmp_path / "ix", b"zanzibar")


def test_only_what_was_indexed_can_be_forgotten(index: hsum.Index, root: Path) -> None:
    """A path that never was is a mistake, not a silent success."""
    index.ingest(root)

    assert "EVIDENCE_NOT_FOUND" == _code(lambda: index.forget("no.txt"))
    assert 1 == len(index.generations())


def test_forgetting_twice_changes_nothing(index: hsum.Index, root: Path) -> None:
    """The second time finishes what the first may have left, and commits none."""
    plant(root, {"keys.txt": SECRET})
    index.ingest(root)
    first = index.forget("keys.txt")
    second = index.forget("keys.txt")

    assert (2, 2, 0) == (first.generation, second.generation, second.revisions)
    assert index.doctor().healthy


def test_forgotten_bytes_may_stand_elsewhere_later(
    index: hsum.Index, root: Path
) -> None:
    """Another file with the same bytes is another matter; the tombstone stays."""
    plant(root, {"keys.txt": SECRET})
    index.ingest(root)
    cited = next(d.citation for d in index.documents() if d.path == "keys.txt")
    index.forget("keys.txt")
    plant(root, {"public.txt": SECRET})
    index.ingest()

    assert SECRET == contents(index)["public.txt"]
    assert "EVIDENCE_FORGOTTEN" == _code(lambda: index.get(cited))
    assert index.doctor().healthy


# --- watch ----------------------------------------------------------------------------


def test_watching_ingests_what_changes(index: hsum.Index, root: Path) -> None:
    """The first report is of the whole; each later one of a change."""
    pytest.importorskip("watchfiles")
    index.ingest(root)
    stop = threading.Event()
    reports = index.watch(stop=stop, settle_ms=50, rescan_s=2)
    first = next(reports)
    threading.Timer(0.5, lambda: plant(root, {"new.txt": b"new\n"})).start()
    second = next(reports)
    stop.set()

    assert first.unchanged
    assert 1 == second.added
    assert [] == list(reports)
