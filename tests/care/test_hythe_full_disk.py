"""A full disk, at every page of a write: a typed error, the store as before, then well."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import hythe
from tests.care.disks import mounted, nearly_full, rooms, used
from tests.care.shop import STATE, filled, opened
from tests.checkpoint.worlds import dump

# Enough for a state of 200 KB to need many pages of the log.
LARGE = hythe.State(
    "ship", "green", "planner", [f"step {at} " * 40 for at in range(500)]
)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk") as place:
        yield place


def swept(
    disk: Path, store: hythe.Store, write: Callable[[], object], need: int
) -> list[str]:
    """Write with ever more room; return the codes of what failed before it succeeded."""
    before, codes = dump(store), []
    for room in rooms(need):
        try:
            with nearly_full(disk, room):
                write()
        except hythe.StorageFull as fault:
            codes.append(fault.code)
        else:
            return codes

        assert before == dump(store)
        assert () == store.doctor().problems
    raise AssertionError("there was never room enough")


@pytest.mark.parametrize("state", [STATE, LARGE], ids=["small", "large"])
def test_a_checkpoint_that_finds_no_room_at_any_page(
    disk: Path, state: hythe.State
) -> None:
    """From no room upwards: nothing of it is there, until there is enough for all."""
    with opened(disk / "team.hythe", ids=None) as store:
        filled(store)
        scope = store.scope(project="atlas")
        pointed = scope.current()
        codes = swept(
            disk,
            store,
            lambda: scope.checkpoint(state, parent=pointed, key="k"),
            48 if state is STATE else 400,
        )

        assert codes
        assert {"DISK_FULL"} == set(codes)
        assert state == scope.current().state
        assert () == store.doctor().problems
        assert scope.checkpoint(state, parent=pointed, key="k").replayed


def test_a_first_checkpoint_that_finds_no_room(disk: Path) -> None:
    """There is no store then, and the next call makes it whole."""
    path = disk / "team.hythe"
    with opened(path) as store:
        scope = store.scope(project="atlas")
        codes = swept(disk, store, lambda: scope.checkpoint(STATE, parent=None), 600)

        assert len(codes) >= 3
        assert {"DISK_FULL"} == set(codes)
        assert 1 == scope.current().revision
        assert {"team.hythe", "team.hythe.lock"} >= {
            one.name for one in disk.iterdir() if "-" not in one.name
        }


def test_copies_that_find_no_room_are_not_left(disk: Path) -> None:
    """A backup and an export are whole, or not there, and keep no room."""
    with opened(disk / "team.hythe") as store:
        filled(store)
        for make, path in ((store.backup, disk / "b"), (store.export, disk / "e")):
            full = used(disk)
            for room in rooms(1_000):
                try:
                    with nearly_full(disk, room):
                        make(path)
                    break
                except hythe.StorageFull:
                    assert not path.exists()
                    assert used(disk) <= full
            else:
                raise AssertionError("there was never room enough")
        with opened(disk / "b") as copy:
            assert dump(store) == dump(copy)
            assert () == copy.doctor().problems


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no such limit")
def test_a_file_that_may_not_grow_at_any_page(tmp_path: Path) -> None:
    """A quota is told as what it is, at whichever page of the log it ends."""
    path = tmp_path / "team.hythe"
    with opened(path, ids=None) as store:
        filled(store)
        before = dump(store)
    codes: list[str] = []
    limit = 0
    while "written" not in codes:
        codes.append(limited(path, limit))
        with opened(path, ids=None) as store:
            assert () == store.doctor().problems
            assert (before == dump(store)) == (codes[-1] != "written")
        limit += 16_384

    assert len(codes) > 4
    assert {"DISK_FULL", "QUOTA_EXCEEDED", "written"} >= set(codes)


def limited(path: Path, limit: int) -> str:
    """Write a checkpoint in a child whose files may not grow beyond a limit."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        said = "a traceback"
        try:
            with opened(path, ids=None) as store:
                scope = store.scope(project="atlas")
                scope.checkpoint(LARGE, parent=scope.current())
            said = "written"
        except hythe.HytheError as fault:
            said = fault.code
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        return pipe.read().decode()
