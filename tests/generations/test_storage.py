"""What can go wrong with the storage: a typed refusal, and the last generation whole."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import hsum
import hythe
from hsum._kernel.faults import Fault
from tests.index.trees import TREE, contents, plant
from tests.index.unprivileged import NOBODY, as_nobody, opened_up

SFTP_SERVER = "/usr/lib/openssh/sftp-server"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root")


@pytest.fixture
def folder(tmp_path: Path, root: Path) -> Path:
    """The directory of an index of the tree, closed."""
    with hsum.open(tmp_path / "ix") as index:
        index.ingest(root)
    return tmp_path / "ix"


def _codes(report: hsum.DoctorReport | hsum.Status) -> list[str]:
    return [problem.code for problem in report.problems]


def _sql(folder: Path, statement: str, *values: object) -> None:
    with contextlib.closing(sqlite3.connect(folder / "index.sqlite")) as connection:
        connection.execute(statement, values)
        connection.commit()


@contextlib.contextmanager
def _small_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0755", "tmpfs", folder]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("mounting a small file system is not allowed here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@contextlib.contextmanager
def _network_disk(folder: Path) -> Iterator[Path]:
    """Mount a folder over SFTP, its server behind a pair of sockets."""
    if not (os.path.exists(SFTP_SERVER) and shutil.which("sshfs")):
        pytest.skip("sshfs and an SFTP server are not installed")
    (folder / "far").mkdir()
    (near := folder / "near").mkdir()
    ours, theirs = socket.socketpair()
    command = ["sshfs", "-f", "-o", "passive", f"far:{folder / 'far'}", near]
    with (
        ours,
        theirs,
        subprocess.Popen([SFTP_SERVER], stdin=ours, stdout=ours) as server,
        subprocess.Popen(command, stdin=theirs, stdout=theirs) as client,
    ):
        try:
            until = time.monotonic() + 10
            while not os.path.ismount(near):
                if client.poll() is not None or time.monotonic() > until:
                    pytest.skip("mounting in user space is not allowed here")
                time.sleep(0.02)
            yield near
        finally:
            subprocess.run(["umount", "-l", near], check=False, capture_output=True)
            client.terminate()
            server.terminate()


@pytest.mark.parametrize("before", [None, []])
def test_a_path_that_is_not_utf8_holds_sources_but_no_index(
    tmp_path: Path, folder: Path, before: list[str] | None
) -> None:
    """An index there is refused before anything is made; a root there is ingested."""
    strange = tmp_path / os.fsdecode(b"nu\xff")
    if before is not None:
        strange.mkdir()
    backup = tmp_path / "backup.hsum"
    with hsum.open(folder) as index:
        index.backup(backup)
    for refused in (
        lambda: hsum.open(strange / "ix").ingest(folder.parent / "root"),
        lambda: hsum.open(strange).projects.add("docs"),
        lambda: hsum.restore(backup, strange),
    ):
        with pytest.raises(hsum.InvalidInput) as caught:
            refused()
        assert r"nu\xff" in caught.value.message
        assert "HSUM_HOME" in caught.value.hint
        assert before == (os.listdir(strange) if strange.exists() else None)

    with hsum.open(tmp_path / "other") as index:
        assert len(TREE) == index.ingest(plant(strange / "root")).added


def test_an_index_that_was_moved_to_such_a_path_is_read(
    tmp_path: Path, folder: Path, root: Path
) -> None:
    """It answers, if slowly; what would write names the path and changes nothing."""
    strange = folder.rename(tmp_path / os.fsdecode(b"nu\xff"))
    with hsum.open(strange) as index:
        held = contents(index)
        plant(root, {"notes.txt": b"steer\n"})
        with pytest.raises(hsum.InvalidInput, match="is not UTF-8"):
            index.ingest()

        assert ["src/helm.py"] == [hit.path for hit in index.search("steer")]
        assert held == contents(index)


@pytest.mark.skipif(os.getuid() != 0, reason="only root may mount")
def test_a_network_file_system_holds_sources_but_no_index(tmp_path: Path) -> None:
    """An index there is refused before anything is made; a root there is ingested."""
    with _network_disk(tmp_path) as disk:
        root = plant(disk / "root")
        with (
            hsum.open(disk / "ix") as index,
            pytest.raises(hsum.Unreadable) as evidence,
        ):
            index.ingest(root)
        with (
            hythe.open(disk / "t.hythe", agent="a") as store,
            pytest.raises(hythe.HytheError) as state,
        ):
            store.observe("helm", "turns")
        with hsum.open(tmp_path / "ix") as index:
            index.ingest(root)
            plant(root, {"notes.txt": b"over the wire\n"})
            report = index.ingest()
            states = {hit.source_state for hit in index.search("wire helm")}

            assert (2, 1) == (report.generation, report.changed)
            assert {"metadata_unchanged"} == states
        assert ["root"] == os.listdir(disk)
    for refused in (evidence.value, state.value):
        assert "UNSUPPORTED_STORAGE" == refused.code
        assert "fuse.sshfs" == refused.details["filesystem"]
        assert "local disk" in refused.hint


@pytest.mark.parametrize("noise", [2_000, 20_000, 60_000])
def test_a_full_disk_leaves_the_last_generation(
    tmp_path: Path, root: Path, noise: int
) -> None:
    """`DISK_FULL`, wherever the room ends, and all is well once there is room."""
    with _small_disk(tmp_path / "disk", "6m") as disk, hsum.open(disk / "ix") as index:
        index.ingest(root)
        for number in range(4_000_000 // noise):
            words = os.urandom(noise).hex("\n", 8)
            plant(root, {f"noise/{number}.txt": words.encode()})
        with pytest.raises(hsum.StorageFull) as caught:
            index.ingest()
        kept = contents(index)
        problems = index.doctor().problems
        shutil.rmtree(root / "noise")
        plant(root, {"after.txt": b"after\n"})
        report = index.ingest()

        assert "DISK_FULL" == caught.value.code
        assert caught.value.retryable
        assert TREE == kept
        assert () == problems
        assert (2, 1) == (report.generation, report.added)


def test_a_disk_without_any_room_is_read_from(tmp_path: Path, root: Path) -> None:
    """Search and get answer where not even an index of the log can be made."""
    with _small_disk(tmp_path / "disk", "2m") as disk:
        with hsum.open(disk / "ix") as index:
            index.ingest(root)
        _fill(disk / "filler")
        plant(root, {"after.txt": b"after\n"})
        with hsum.open(disk / "ix") as index:
            kept, found = contents(index), [hit.path for hit in index.search("steer")]
            with pytest.raises(hsum.StorageFull) as caught:
                index.ingest()
            (disk / "filler").unlink()
            report = index.ingest()
            then = contents(index)

    assert (TREE, ["src/helm.py"]) == (kept, found)
    assert "DISK_FULL" == caught.value.code
    assert (2, 1) == (report.generation, report.added)
    assert {*TREE, "after.txt"} == set(then)


def _fill(path: Path) -> None:
    """Leave no room at all on the disk of a file."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    with contextlib.suppress(OSError):
        while os.write(descriptor, bytes(4_096)):
            pass
    os.close(descriptor)


def test_a_newer_schema_is_refused_by_name(folder: Path, root: Path) -> None:
    """Nothing is read from or written to a file that a newer version wrote."""
    _sql(folder, "PRAGMA user_version = 99")
    before = (folder / "index.sqlite").read_bytes()
    with hsum.open(folder) as index:
        for call in (index.documents, index.status, lambda: index.ingest(root)):
            with pytest.raises(hsum.Unreadable) as caught:
                call()

            assert "SCHEMA_TOO_NEW" == caught.value.code
        assert ["SCHEMA_TOO_NEW"] == _codes(index.doctor())
    assert before == (folder / "index.sqlite").read_bytes()


@pytest.mark.parametrize("text", [b"not a database" * 1_000, b"SQLite format 3\0", b""])
def test_a_file_of_another_kind_is_refused(
    folder: Path, root: Path, text: bytes
) -> None:
    """What is no database of ours is `STORE_DAMAGED`, and stays as it is."""
    (folder / "index.sqlite").write_bytes(text)
    with hsum.open(folder) as index:
        for call in (index.documents, lambda: index.ingest(root)):
            with pytest.raises(hsum.Damaged) as caught:
                call()

            assert "STORE_DAMAGED" == caught.value.code
        assert ["STORE_DAMAGED"] == _codes(index.doctor())
    assert text == (folder / "index.sqlite").read_bytes()


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    """A SQLite file without our mark is not touched."""
    (tmp_path / "ix").mkdir()
    _sql(tmp_path / "ix", "CREATE TABLE theirs (x)")
    with hsum.open(tmp_path / "ix") as index, pytest.raises(hsum.Damaged):
        index.documents()


def test_any_flipped_page_is_found_by_the_doctor(folder: Path, root: Path) -> None:
    """Zeroing a page gives a fault or a report, never wrong bytes."""
    path = folder / "index.sqlite"
    whole = path.read_bytes()
    size = 8_192
    for page in range(1, len(whole) // size):
        damaged = bytearray(whole)
        damaged[page * size : (page + 1) * size] = bytes(size)
        path.write_bytes(damaged)
        with hsum.open(folder) as index:
            try:
                found = contents(index)
            except Fault:
                found = {}
            problems = index.doctor().problems

            assert all(TREE[name] == data for name, data in found.items())
            assert problems or TREE == found


def test_changed_blocks_are_never_served(folder: Path) -> None:
    """A block that is not what was stored is `INTEGRITY_FAILED`."""
    _sql(folder, "UPDATE block SET body = x'00' WHERE id = (SELECT min(id) FROM block)")
    with hsum.open(folder) as index:
        with pytest.raises(Fault) as caught:
            contents(index)

        assert "INTEGRITY_FAILED" == caught.value.code
        assert "INTEGRITY_FAILED" in _codes(index.doctor())


@pytest.mark.parametrize(
    "edit",
    [
        "DELETE FROM block WHERE id = (SELECT min(id) FROM block)",
        "UPDATE revision SET sha256 = zeroblob(32) WHERE id = 1",
        "DELETE FROM version WHERE id = 1",
        "UPDATE version SET to_generation = 1 WHERE id = 1",
        "UPDATE version SET revision = revision + 1 WHERE id = 1",
        "DELETE FROM cut WHERE id = 1",
        "DELETE FROM document WHERE id = 1",
        "DELETE FROM generation",
        "UPDATE generation SET digest = ''",
        "UPDATE generation SET passages = passages + 1",
        "INSERT INTO block VALUES (1 << 40, zeroblob(32), x'')",
    ],
)
def test_rows_edited_behind_its_back_are_found(folder: Path, edit: str) -> None:
    """The doctor names whatever does not fit the rest."""
    _sql(folder, edit)
    with hsum.open(folder) as index:
        assert _codes(index.doctor())


def test_every_damaged_lexical_file_is_found_and_rebuilt(
    folder: Path, root: Path
) -> None:
    """A flipped byte anywhere is found; repair raises the build, and loses nothing."""
    files = sorted((folder / "lexical" / "g1-1").glob("[!.]*"))
    with hsum.open(folder) as index:
        for build, path in enumerate(files, 2):
            current = folder / "lexical" / f"g1-{build - 1}"
            target = max(current.glob(f"*{path.suffix}"))
            data = bytearray(target.read_bytes())
            data[len(data) // 2] ^= 0xFF
            # Not in place: a mapped file that is empty for a moment is a SIGBUS.
            target.with_name("damaged").write_bytes(data)
            os.replace(target.with_name("damaged"), target)
            found = _codes(index.doctor())
            repaired = index.doctor(repair=True)

            assert ["LEXICAL_UNAVAILABLE"] == found, path.suffix
            assert (("lexical index",), ()) == (repaired.repaired, repaired.problems)
            assert (1, build) == (index.status().generation, index.status().build)
        assert TREE == contents(index)


def test_repair_changes_nothing_that_is_not_derived(folder: Path) -> None:
    """A lost block stays lost, and is reported."""
    _sql(folder, "DELETE FROM block")
    with hsum.open(folder) as index:
        report = index.doctor(repair=True)

        assert () == report.repaired
        assert "INTEGRITY_FAILED" in _codes(report)


def test_an_ingest_heals_a_missing_lexical_directory(folder: Path, root: Path) -> None:
    """It rebuilds from SQLite, keeps the generation and raises the build."""
    shutil.rmtree(folder / "lexical")
    with hsum.open(folder) as index:
        broken = _codes(index.status())
        report = index.ingest()
        status = index.status()

        assert ["LEXICAL_UNAVAILABLE"] == broken
        assert report.unchanged
        assert (1, 2, ()) == (status.generation, status.build, status.problems)
        assert index.search("helm")


def test_a_new_tokenizer_rebuilds(folder: Path) -> None:
    """What an older version indexed is indexed again by the next ingest."""
    _sql(folder, "UPDATE head SET lexical_version = 0")
    with hsum.open(folder) as index:
        index.ingest()

        assert (1, 2) == (index.status().generation, index.status().build)


def test_many_dead_passages_rebuild(folder: Path, root: Path) -> None:
    """No more than a fifth as many passages are dead as are living after an ingest."""
    with hsum.open(folder) as index:
        for number in range(6):
            (root / "notes.txt").write_text(f"{number}\n", encoding="utf-8")
            index.ingest()
        index.ingest()
        with index._store.reading() as snapshot:
            head = snapshot.require_head()

        assert head.dead * 5 <= index.status().passages
        assert index.doctor().healthy


def test_what_a_killed_writer_left_is_swept(folder: Path, root: Path) -> None:
    """Leftover directories are no problem, and go with the next writing."""
    for name in ("g2-1", "g7-3", ".tmp", "junk"):
        (folder / "lexical" / name).mkdir()
    (root / "notes.txt").write_bytes(b"next\n")
    with hsum.open(folder) as index:
        before = index.doctor().problems
        index.ingest()

        assert () == before
        assert {"g1-1", "g2-1"} == set(os.listdir(folder / "lexical"))
        assert index.doctor().healthy


def test_open_refuses_what_is_not_there(tmp_path: Path) -> None:
    """`create=False` needs an index; a file is no directory."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(hsum.NotFound) as missing:
        hsum.open(tmp_path / "none", create=False)
    for wrong in (tmp_path / "file", "a\0b", 7):
        with pytest.raises(hsum.InvalidInput):
            hsum.open(wrong)

    assert "INDEX_NOT_FOUND" == missing.value.code
    assert not (tmp_path / "none").exists()


def test_an_index_not_yet_made_answers_empty(tmp_path: Path) -> None:
    """Status and doctor are well, lists are empty, and nothing is made on disk."""
    with hsum.open(tmp_path / "ix") as index:
        status = index.status()

        assert (None, (), 0) == (status.generation, status.problems, len(index))
        assert index.doctor().healthy
        assert ((), (), ()) == (
            index.generations(),
            index.skipped(),
            index.projects.list(),
        )
        with pytest.raises(hsum.NotFound, match="nothing has been ingested"):
            index.documents()
    assert not (tmp_path / "ix").exists()


def test_a_read_only_handle_writes_nothing(folder: Path, root: Path) -> None:
    """It reads all there is and refuses every writing verb."""
    with hsum.open(folder, read_only=True) as index:
        assert TREE == contents(index)
        for call in (
            index.ingest,
            lambda: index.projects.add("docs"),
        ):
            with pytest.raises(hsum.NotAllowed) as caught:
                call()

            assert "PERMISSION_DENIED" == caught.value.code


@pytest.mark.skipif(os.getuid() != 0, reason="needs another user")
def test_a_shipped_index_is_read_where_nothing_can_be_written(
    folder: Path, tmp_path: Path
) -> None:
    """Another user, without write permission, reads and searches it."""
    home = opened_up(tmp_path) / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    for base, _, names in os.walk(folder):
        os.chmod(base, 0o755)
        for name in names:
            os.chmod(os.path.join(base, name), 0o644)

    def read() -> tuple:
        os.environ["HSUM_HOME"] = str(home)
        with hsum.open(folder) as index:
            found = [hit.path for hit in index.search("steer")]
            with pytest.raises(hsum.NotAllowed) as caught:
                index.ingest()
            return contents(index), found, caught.value.code, os.getuid()

    with hsum.open(folder) as index:
        index.search("steer")

    assert (TREE, ["src/helm.py"], "PERMISSION_DENIED", NOBODY) == as_nobody(read)


def test_directories_and_files_are_the_users_alone(folder: Path) -> None:
    """What an index makes is 0700, and its database 0600."""
    assert 0o700 == folder.stat().st_mode & 0o777
    assert 0o700 == (folder / "lexical").stat().st_mode & 0o777
    assert 0o600 == (folder / "index.sqlite").stat().st_mode & 0o777
