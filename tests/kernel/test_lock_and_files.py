"""One writer at a time, and files that are whole or as they were."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hythe
from hsum._kernel import files
from hsum._kernel.faults import Fault
from hsum._kernel.lock import exclusive, pause_after

HOLD = """
import sys, time
from hsum._kernel.lock import exclusive
with exclusive(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_process_is_told_who_holds(tmp_path):
    """Busy names the holder; the death of the holder frees the lock at once."""
    lock = tmp_path / "writer.lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE
    )
    with holder:
        holder.stdout.readline()
        with pytest.raises(Fault) as caught, exclusive(lock, timeout_ms=30):
            pass
        holder.kill()

    assert caught.value.code == "WRITER_BUSY"
    assert holder.pid == caught.value.details["pid"]
    with exclusive(lock, timeout_ms=0):
        pass


def test_a_leftover_file_is_no_held_lock(tmp_path):
    """The lock is tested, not the file."""
    lock = tmp_path / "writer.lock"
    lock.write_bytes(b"999999\n")

    with exclusive(lock, timeout_ms=0):
        assert str(os.getpid()) == lock.read_text("ascii").strip()


def test_a_missing_directory_is_named(tmp_path):
    """The refusal names what the caller can mend, not a file of ours."""
    with pytest.raises(Fault) as caught, exclusive(tmp_path / "no" / "x.lock"):
        pass

    assert "INVALID_ARGUMENT" == caught.value.code
    assert str(tmp_path / "no") == caught.value.details["path"]


def test_threads_exclude_each_other(tmp_path):
    """Eight threads count without losing a step."""
    lock = tmp_path / "writer.lock"
    counter = tmp_path / "n"
    counter.write_text("0", "ascii")

    def count():
        for _ in range(20):
            with exclusive(lock):
                counter.write_text(str(int(counter.read_text("ascii")) + 1), "ascii")

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert "160" == counter.read_text("ascii")


@given(st.floats(0, 60), st.floats(0, 60))
def test_who_has_waited_longer_looks_no_less_often(one, other):
    """The pause before the next look only shrinks, and is never none."""
    pauses = [pause_after(waited) for waited in sorted((one, other))]

    assert sorted(pauses, reverse=True) == pauses
    assert all(0.0001 < pause < 0.005 for pause in pauses)


def test_a_child_that_was_forked_meanwhile_does_not_hold_on(tmp_path):
    """The turn ends with the block, though the child still has the file open."""
    with exclusive(tmp_path / "writer.lock"):
        child = os.fork()
        if not child:
            time.sleep(60)
            os._exit(0)
    try:
        with exclusive(tmp_path / "writer.lock", timeout_ms=0):
            pass
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_lock_through_a_symlink_is_refused(tmp_path):
    """A planted link cannot make us write elsewhere."""
    (tmp_path / "writer.lock").symlink_to(tmp_path / "victim")

    with pytest.raises(Fault), exclusive(tmp_path / "writer.lock"):
        pass

    assert not (tmp_path / "victim").exists()


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failed_write_leaves_the_file_as_it_was(tmp_path, monkeypatch, step):
    """Whatever step fails, the old content stays and nothing is left beside it."""
    target = tmp_path / "f"
    target.write_bytes(b"old")

    def fail(*_args):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(files, step, fail)
    with pytest.raises(Fault) as caught:
        files.write_atomic(target, b"new")

    assert caught.value.code == "DISK_FULL"
    assert b"old" == target.read_bytes()
    assert [target] == list(tmp_path.iterdir())


def test_a_written_file_is_private_and_whole(tmp_path):
    """Mode 0600, exact bytes, nothing beside it."""
    target = tmp_path / "f"
    files.write_atomic(target, b"\x00new")

    assert b"\x00new" == target.read_bytes()
    assert 0o600 == target.stat().st_mode & 0o777
    assert [target] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.EDQUOT, "QUOTA_EXCEEDED"),
        (errno.EROFS, "PERMISSION_DENIED"),
        (errno.EIO, "STORE_DAMAGED"),
        (errno.EISDIR, "INVALID_ARGUMENT"),
    ],
)
def test_each_os_error_has_its_code(number, code):
    """The OS's reason becomes a code and names the path."""
    with pytest.raises(Fault) as caught, files.translating_os("a\x1b/b"):
        raise OSError(number, "why")

    assert code == caught.value.code
    assert r"a\x1b/b" == caught.value.details["path"]


def test_private_directories_are_private_all_the_way(tmp_path):
    """Each directory that was made is closed to others."""
    deep = files.make_private_dir(tmp_path / "a" / "b")

    assert 0o700 == deep.stat().st_mode & 0o777 == deep.parent.stat().st_mode & 0o777


def test_network_file_systems_are_refused(tmp_path, monkeypatch):
    """WAL is not trusted to a network."""
    files.refuse_network_filesystem(tmp_path / "not" / "yet")
    monkeypatch.setattr(files, "filesystem_kind", lambda _path: "nfs4")

    with pytest.raises(Fault) as caught:
        files.refuse_network_filesystem(tmp_path)

    assert caught.value.code == "UNSUPPORTED_STORAGE"


@pytest.mark.parametrize(
    "mount",
    [
        "- fuse.sshfs user@host:/srv rw,user_id=0",
        "shared:7 master:1 - nfs4 host:/srv rw,vers=4.2",
        "- cifs //host/share rw",
        "- 9p host rw,trans=fd",
    ],
)
def test_network_file_systems_are_known_by_their_mount(tmp_path, monkeypatch, mount):
    """The type stands in the mount table, behind optional fields, for the device."""
    device = tmp_path.stat().st_dev
    table = tmp_path / "mountinfo"
    number = f"{os.major(device)}:{os.minor(device)}"
    table.write_text(
        "22 27 0:9999 / /proc rw,relatime - proc proc rw\n"
        f"42 27 {number} / /mnt/with\\040space rw,nosuid {mount}\n",
        "utf-8",
    )
    monkeypatch.setattr(files, "_MOUNTS", table)
    with pytest.raises(Fault) as caught:
        files.refuse_network_filesystem(tmp_path / "not" / "yet")

    assert caught.value.code == "UNSUPPORTED_STORAGE"
    assert (
        mount.split(" - ")[-1]
        .removeprefix("- ")
        .startswith(caught.value.details["filesystem"])
    )


@pytest.mark.parametrize("kind", ["ext4", "overlay", "fuse.fuse-overlayfs", "fuseblk"])
def test_local_file_systems_are_taken(tmp_path, monkeypatch, kind):
    """What keeps its files on this machine is no network, in user space or not."""
    monkeypatch.setattr(files, "filesystem_kind", lambda _path: kind)
    files.refuse_network_filesystem(tmp_path)


def test_a_file_in_the_place_of_a_directory_is_named(tmp_path):
    """Neither what should have been made nor our own lock is what the caller mends."""
    (tmp_path / "file").touch()
    with hythe.in_memory(agent="planner") as store:
        calls = [
            lambda: store.backup(tmp_path / "no" / "x"),
            lambda: store.export(tmp_path / "file" / "x"),
            lambda: hythe.open(tmp_path / "file" / "x", agent="a").observe("e", "x"),
            lambda: hythe.restore(tmp_path / "copy", tmp_path / "file" / "a" / "x"),
        ]
        store.backup(tmp_path / "copy")
        named = []
        for call in calls:
            with pytest.raises(hythe.InvalidInput) as refused:
                call()
            named.append(refused.value.details["path"])

    assert [str(tmp_path / "no"), *[str(tmp_path / "file")] * 3] == named
