"""Backups of a store: consistent while others write, verified, restored whole."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing

import pytest

import hsum
import hythe
from tests.care.shop import bundles, filled, opened
from tests.checkpoint import processes
from tests.checkpoint.processes import STATE
from tests.generations import writer


@pytest.fixture
def store(tmp_path):
    """A store with something of everything in it."""
    with opened(tmp_path / "team.hythe") as one:
        filled(one)
        yield one


def test_a_backup_is_the_store(store, tmp_path):
    """What agents are told is the same in the copy, and the copy is well."""
    report = store.backup(tmp_path / "copy.hythe")

    assert (report.scopes, report.checkpoints) == (2, 6)
    with opened(report.path) as copy:
        assert bundles(store) == bundles(copy)
        assert () == copy.doctor().problems


def test_a_backup_replaces_nothing(store, tmp_path):
    """An existing file stays as it is."""
    target = tmp_path / "copy.hythe"
    target.write_bytes(b"mine")
    with pytest.raises(hythe.InvalidInput):
        store.backup(target)

    assert b"mine" == target.read_bytes()


def test_a_damaged_store_gives_no_backup(store, tmp_path):
    """A copy that does not verify is not left."""
    with store._storage.database.writing() as conn:
        conn.execute("update checkpoint set author = 'other' where revision = 2")
    with pytest.raises(hythe.Damaged) as caught:
        store.backup(tmp_path / "copy.hythe")

    assert "INTEGRITY_FAILED" == caught.value.code
    assert not (tmp_path / "copy.hythe").exists()


class Writing:
    """A process that writes until it is killed, and what it was told is written."""

    def __init__(self, module, *arguments):
        command = [sys.executable, "-m", module, *map(str, arguments)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._done = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            if line.endswith("\n"):
                self._done.append(line.split())

    def acknowledged(self, at_least=0):
        """Return what was acknowledged by now; wait for so many of them."""
        ends = time.monotonic() + 60
        while len(self._done) < at_least:
            assert time.monotonic() < ends
            time.sleep(0.01)
        return list(self._done)

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._reader.join()
        self._process.stdout.close()


@pytest.fixture
def crowd(tmp_path):
    """Eight processes that write one store, and one that ingests, all at once."""
    with hythe.open(tmp_path / "team.hythe", agent="planner") as store:
        store.scope(project="shared").checkpoint(STATE, parent=None)
    (tmp_path / "root").mkdir()
    verb = (tmp_path / "team.hythe",)
    writers = [
        Writing(processes.__name__, "acknowledge", *verb, f"writer-{at}")
        for at in range(8)
    ]
    folders = (tmp_path / "index", tmp_path / "root")
    ingesting = Writing(writer.__name__, *folders, 0)
    yield writers, ingesting
    for one in (*writers, ingesting):
        one.kill()


def test_backups_beside_eight_writers_are_consistent(crowd, tmp_path):
    """Each is a well state that has all that was acknowledged before it was begun.

    An ingest of another process is copied in the same way, at the same time.
    """
    writers, ingesting = crowd
    told, published = [], []
    with (
        hythe.open(tmp_path / "team.hythe", agent="planner") as store,
        hsum.open(tmp_path / "index") as index,
    ):
        for number in range(4):
            told.append([one.acknowledged(number + 1) for one in writers])
            published.append(ingesting.acknowledged(number + 1)[-1][1])
            store.backup(tmp_path / f"store-{number}")
            index.backup(tmp_path / f"index-{number}")
        for one in (*writers, ingesting):
            one.kill()
    for number in range(4):
        _check_store(tmp_path, number, [line for one in told[number] for line in one])
        _check_index(tmp_path, number, int(published[number]))


def _check_store(folder, number, told):
    """Restore a copy: each write is there whole, and those that were told are there."""
    hythe.restore(folder / f"store-{number}", folder / f"store-{number}.hythe")
    with hythe.open(folder / f"store-{number}.hythe", agent="judge") as restored:
        history, more = [], {}
        while more is not None:
            page = restored.scope(project="shared").history(limit=1_000, **more)
            history += page
            more = {"cursor": page.next} if page.next else None
        revisions = [one.revision for one in history]
        counted = Counter(fact.subject for one in history for fact in one.facts)

        assert () == restored.doctor().problems
        assert list(range(len(history), 0, -1)) == revisions
        assert {1} == {len(one.facts) for one in history[:-1]}
        assert len(told) <= counted.total() == len(history) - 1
        found = {(str(one.revision), one.id) for one in history}
        assert {tuple(line) for line in told} <= found


def _check_index(folder, number, published):
    """Restore a copy: it is one whole generation, not older than what was told."""
    hsum.restore(folder / f"index-{number}", folder / f"index-{number}.ix")
    with hsum.open(folder / f"index-{number}.ix") as restored:
        texts = [restored.get(one.citation).text for one in restored.documents()]

        assert restored.doctor().healthy
        assert published <= restored.generations()[-1].number
        assert 1 == len({text.split(" ")[0] for text in texts})


def test_a_store_in_memory_can_be_kept(tmp_path):
    """A backup of a store in memory is a store on disk."""
    with hythe.in_memory(agent="planner") as store:
        filled(store)
        store.backup(tmp_path / "kept.hythe")

        with hythe.open(tmp_path / "kept.hythe", agent="planner") as kept:
            assert store.scope(project="atlas").current() == (
                kept.scope(project="atlas").current()
            )


def test_what_was_in_memory_is_kept_like_any_store(tmp_path):
    """Its file can be read while it is written, and gives space back."""
    with hythe.in_memory(agent="planner") as store:
        filled(store)
        store.backup(tmp_path / "kept.hythe")
    with closing(sqlite3.connect(tmp_path / "kept.hythe")) as conn:
        found = [
            conn.execute(f"pragma {name}").fetchone()[0]
            for name in ("journal_mode", "auto_vacuum")
        ]

    assert ["wal", 2] == found
    assert ["kept.hythe"] == [path.name for path in tmp_path.iterdir()]


def test_a_store_in_memory_is_looked_after_like_any(store, tmp_path):
    """Import, redact and prune work there by the same laws."""
    file = store.export(tmp_path / "team.jsonl").path
    with hythe.in_memory(agent="planner") as other:
        assert 6 == other.import_(file, dry_run=True).added["checkpoint"]
        assert () == other.entities().items
        other.import_(file)
        other.redact(other.scope(project="atlas").get(1), "$.evidence[0]", reason="x")

        assert 1 == other.prune().checkpoints
        assert () == other.doctor().problems


def test_restore_makes_a_store(store, tmp_path):
    """A restored store goes on where the backup ended."""
    store.backup(tmp_path / "copy.hythe")
    hythe.restore(tmp_path / "copy.hythe", tmp_path / "new.hythe")

    with opened(tmp_path / "new.hythe") as new:
        scope = new.scope(project="atlas")
        assert "advanced" == scope.record(scope.current()).outcome
        assert () == new.doctor().problems


def test_restore_replaces_no_store(store, tmp_path):
    """A path that has a store keeps it."""
    store.backup(tmp_path / "copy.hythe")
    before = bundles(store)
    with pytest.raises(hythe.InvalidInput):
        hythe.restore(tmp_path / "copy.hythe", store.path)

    assert before == bundles(store)


def test_restore_refuses_what_is_no_good_backup(store, tmp_path):
    """A missing, a foreign and a damaged file make no store."""
    store.backup(tmp_path / "copy.hythe")
    data = bytearray((tmp_path / "copy.hythe").read_bytes())
    at = data.index(b"ship search")
    data[at] ^= 1
    (tmp_path / "flipped").write_bytes(data)
    (tmp_path / "foreign").write_text("not a database", "utf-8")
    codes = []
    for name in ("missing", "foreign", "flipped"):
        with pytest.raises(hythe.HytheError) as caught:
            hythe.restore(tmp_path / name, tmp_path / "new.hythe")
        codes.append(caught.value.code)

    assert ["NOT_FOUND", "STORE_DAMAGED", "INTEGRITY_FAILED"] == codes
    assert not (tmp_path / "new.hythe").exists()


def test_restore_ignores_what_an_old_store_left(store, tmp_path):
    """The log of a store that was moved away is not read into the new one."""
    store.backup(tmp_path / "copy.hythe")
    (tmp_path / "new.hythe-wal").write_bytes(b"old" * 1_000)
    hythe.restore(tmp_path / "copy.hythe", tmp_path / "new.hythe")

    with opened(tmp_path / "new.hythe") as new:
        assert () == new.doctor().problems


@pytest.mark.parametrize(
    ("restore", "maker"),
    [(hsum.restore, "hsum backup PATH"), (hythe.restore, "hythe backup PATH")],
)
def test_a_backup_that_is_not_there_is_refused_with_how_to_make_one(
    tmp_path, restore, maker
):
    """The next step is about the backup's path, not about an id or an index."""
    with pytest.raises(hsum.Fault) as caught:
        restore(tmp_path / "missing", tmp_path / "new")

    assert maker in caught.value.hint
    assert [] == list(tmp_path.iterdir())
