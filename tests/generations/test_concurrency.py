"""Threads, processes and forks share an index: writers queue, readers never wait."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import hsum
from tests.index.trees import TREE, contents, plant

REPOSITORY = Path(__file__).parents[2]

_INGEST = """
import sys, hsum
with hsum.open(sys.argv[1]) as index:
    print(index.ingest(sys.argv[2], lock_timeout_ms=60_000).generation)
"""

_HOLD = """
import sys, hsum
from hsum.index.store import Store
from pathlib import Path
with Store(Path(sys.argv[1])).writer():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root")


def _python(program: str, *arguments: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_processes_that_make_an_index_at_once_make_one(
    tmp_path: Path, root: Path
) -> None:
    """First ingests of several processes queue; one commits, the others find it done."""
    started = [_python(_INGEST, tmp_path / "ix", root) for _ in range(4)]
    answers = [process.communicate() for process in started]

    assert [("1\n", "")] * 4 == answers
    with hsum.open(tmp_path / "ix") as index:
        assert TREE == contents(index)
        assert 1 == len(index.generations())
        assert index.doctor().healthy


def test_a_second_writer_waits_and_then_names_the_first(
    tmp_path: Path, root: Path
) -> None:
    """`WRITER_BUSY` tells the pid of the holder; readers do not notice."""
    with hsum.open(tmp_path / "ix") as index:
        index.ingest(root)
        holder = _python(_HOLD, tmp_path / "ix")
        assert holder.stdout is not None
        assert "held\n" == holder.stdout.readline()
        with pytest.raises(hsum.Busy) as caught:
            index.ingest(lock_timeout_ms=50)
        found = contents(index)
        holder.communicate("")

        assert "WRITER_BUSY" == caught.value.code
        assert holder.pid == caught.value.details["pid"]
        assert caught.value.retryable
        assert TREE == found
        assert index.ingest().unchanged


def test_a_leftover_lock_file_is_no_lock(tmp_path: Path, root: Path) -> None:
    """The lock is tested, not its file."""
    (tmp_path / "ix").mkdir()
    (tmp_path / "ix" / "writer.lock").write_bytes(b"1\n")
    with hsum.open(tmp_path / "ix") as index:
        assert 1 == index.ingest(root, lock_timeout_ms=0).generation


@pytest.mark.parametrize("where", ["disk", "memory"])
def test_threads_share_a_handle(tmp_path: Path, root: Path, where: str) -> None:
    """Each call sees one whole generation while others are committed."""
    index = hsum.open(tmp_path / "ix") if where == "disk" else hsum.in_memory()
    with index:
        index.ingest(root)
        done = threading.Event()

        def read() -> int:
            rounds = 0
            while not done.is_set() or not rounds:
                with index._store.reading() as snapshot:
                    bodies = {snapshot.whole(found) for found in snapshot.live()}
                    wanted = snapshot.totals().documents
                assert len(bodies) == wanted
                rounds += 1
            return rounds

        with ThreadPoolExecutor(3) as pool:
            readers = [pool.submit(read) for _ in range(3)]
            for number in range(5):
                plant(
                    root,
                    {f"{number}.txt": b"%d\n" % number, "notes.txt": b"%d" % number},
                )
                index.ingest()
            done.set()

            assert all(reader.result() for reader in readers)
        assert 6 == len(index.generations())
        assert index.doctor().healthy


def test_threads_that_ingest_at_once_take_turns(tmp_path: Path, root: Path) -> None:
    """No ingest of one process fails because of another's."""
    with hsum.open(tmp_path / "ix") as index, ThreadPoolExecutor(4) as pool:
        done = [
            pool.submit(index.ingest, root, lock_timeout_ms=60_000) for _ in range(4)
        ]

        assert {1} == {one.result().generation for one in done}
        assert index.doctor().healthy


def test_a_handle_survives_a_fork(tmp_path: Path, root: Path) -> None:
    """Parent and child go on, each with connections of its own."""
    with hsum.open(tmp_path / "ix") as index:
        index.ingest(root)
        contents(index)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                plant(root, {"child.txt": b"child\n"})
                same = contents(index) == dict(TREE)
                code = 0 if same and index.ingest().generation == 2 else 2
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)

        assert 0 == os.waitstatus_to_exitcode(status)
        assert {**TREE, "child.txt": b"child\n"} == contents(index)
        assert index.ingest().unchanged
        assert index.doctor().healthy


def test_a_child_does_not_remove_its_parents_memory(root: Path) -> None:
    """The temporary directory of an index in memory goes with its owner alone."""
    with hsum.in_memory() as index:
        index.ingest(root)
        child = os.fork()
        if child == 0:
            index.close()
            os._exit(0)
        os.waitpid(child, 0)

        assert index.search("helm")
        folder = index._store.folder
    assert not folder.exists()


def test_closing_twice_is_fine_and_later_calls_are_refused(
    tmp_path: Path, root: Path
) -> None:
    """Every method of a closed handle is `CLOSED`."""
    index = hsum.open(tmp_path / "ix")
    index.ingest(root)
    index.close()
    index.close()
    calls = (
        index.ingest,
        index.documents,
        index.generations,
        index.skipped,
        index.status,
        index.doctor,
        index.projects.list,
        lambda: index.search("helm"),
        lambda: len(index),
        lambda: index.projects.add("docs"),
    )
    for call in calls:
        with pytest.raises(hsum.Closed) as caught:
            call()

        assert "CLOSED" == caught.value.code
    assert "CLOSED" in repr(index)


def test_a_reader_outlives_the_generation_it_reads(tmp_path: Path, root: Path) -> None:
    """A snapshot answers as of its start, whatever is committed meanwhile."""
    with hsum.open(tmp_path / "ix") as index:
        index.ingest(root)
        with index._store.reading() as snapshot:
            before = snapshot.require_head()
            for number in range(3):
                plant(root, {"notes.txt": b"%d\n" % number})
                index.ingest()
            bodies = {found.path: snapshot.whole(found) for found in snapshot.live()}

            assert 1 == before.generation == snapshot.require_head().generation
        assert {name.encode(): data for name, data in TREE.items()} == bodies


def test_an_interrupt_leaves_the_state_before(tmp_path: Path, root: Path) -> None:
    """Ctrl-C in the middle of an ingest rolls everything back."""
    with hsum.open(tmp_path / "ix") as index:
        index.ingest(root)
        plant(root, {f"{number}.txt": b"%d\n" % number for number in range(50)})

        def interrupt(progress: hsum.Progress) -> None:
            if progress.phase == "read" and progress.done == 25:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            index.ingest(progress=interrupt)

        assert TREE == contents(index)
        assert ["g1-1"] == os.listdir(tmp_path / "ix" / "lexical")
        started = time.monotonic()
        assert 50 == index.ingest().added
        assert time.monotonic() - started < 30
