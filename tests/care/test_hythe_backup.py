"""Backups of a store: consistent while others write, verified, restored whole."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

import hsum
import hythe
from tests.care.shop import bundles, filled, opened
from tests.checkpoint.processes import STATE


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


def test_backups_beside_eight_writers_are_consistent(tmp_path):
    """Every copy taken while eight processes write is a well state of the store."""
    path = tmp_path / "team.hythe"
    with hythe.open(path, agent="planner") as store:
        store.scope(project="shared").checkpoint(STATE, parent=None)
        command = [sys.executable, "-m", "tests.checkpoint.processes", "record"]
        crowd = [
            subprocess.Popen([*command, str(path), f"writer-{at}", "5"])
            for at in range(8)
        ]
        copies = [store.backup(tmp_path / f"copy-{at}") for at in range(4)]

        assert [0] * 8 == [process.wait() for process in crowd]
        assert 41 == store.scope(project="shared").current().revision
        assert () == store.doctor().problems
    found = [copy.checkpoints for copy in copies]
    assert found == sorted(found)


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
