"""The laws of observations under many writers: real processes and threads."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading

import pytest

import hythe

SPAWN = multiprocessing.get_context("spawn")
PROCESSES, EACH = 8, 200


@pytest.fixture
def path(tmp_path):
    return tmp_path / "team.hythe"


def _replace(path, agent, start):
    start.wait()
    with hythe.open(path, agent=agent, durability="normal") as store:
        for number in range(EACH):
            store.observe("db", f"{agent} {number}", replaces=hythe.CURRENT)


def test_eight_processes_leave_exactly_one_current(path):
    """Concurrent replaces of the current one lose nothing and agree on one."""
    start = SPAWN.Event()
    workers = [
        SPAWN.Process(target=_replace, args=(path, f"a{number}", start))
        for number in range(PROCESSES)
    ]
    for worker in workers:
        worker.start()
    start.set()
    for worker in workers:
        worker.join(120)

    assert [0] * PROCESSES == [worker.exitcode for worker in workers]
    with hythe.open(path, agent="reader") as store:
        current = store.current_observation("db")
        texts, cursor = [], None
        while True:
            page = store.observations("db", limit=1_000, cursor=cursor)
            texts += [found.text for found in page]
            cursor = page.next
            if cursor is None:
                break

    assert 0 == current.also_live_count
    assert texts[0] == current.observation.text
    wanted = {f"a{a} {n}" for a in range(PROCESSES) for n in range(EACH)}
    assert (wanted, len(wanted)) == (set(texts), len(texts))


def _in_threads(count, work):
    barrier = threading.Barrier(count)
    results = [None] * count

    def run(index):
        barrier.wait()
        results[index] = work(index)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.parametrize("where", ["disk", "memory"])
def test_one_key_in_many_threads_makes_one_row(path, where):
    """The same request under one key gives one row, and its id to all."""
    store = (
        hythe.open(path, agent="a") if where == "disk" else hythe.in_memory(agent="a")
    )
    with store:
        made = _in_threads(8, lambda _: store.observe("db", "15", key="k"))

        assert 1 == len({one.id for one in made})
        assert 1 == sum(not one.replayed for one in made)
        assert 1 == len(store.observations("db"))


def test_one_name_in_many_threads_makes_one_entity(path):
    """Naming a new entity at once from many threads makes it once."""
    with hythe.open(path, agent="a") as store:
        _in_threads(8, lambda index: store.observe("db", str(index)))

        assert ["db"] == [entity.name for entity in store.entities()]
        assert list(range(8, 0, -1)) == [o.sequence for o in store.observations("db")]


def test_the_others_can_be_read_later_and_are_the_same(path):
    """What stood beside the current one is the same after further corrections."""
    with hythe.open(path, agent="a") as store:
        made = [store.observe("db", str(number)) for number in range(30)]
        before = store.current_observation("db")
        store.observe("db", "x", supersedes=made)

        assert made[28:8:-1] == list(before.also_live)


def test_a_few_others_are_at_hand_when_the_store_is_closed(path):
    """Less than a full list is read with the current one; a full one when looked at."""
    with hythe.open(path, agent="a") as store:
        made = [store.observe("db", str(number)) for number in range(20)]
        few = store.current_observation("db")
        store.observe("db", "one more")
        full = store.current_observation("db")

    assert made[18::-1] == list(few.also_live)
    assert 20 == len(full.also_live) == full.also_live_count
    with pytest.raises(hythe.Closed):
        list(full.also_live)


def test_reading_writes_nothing(path):
    """Every reading call leaves the file as it is, byte for byte."""
    with hythe.open(path, agent="a") as store:
        store.observe("db", "15")
        store.relate("api", "uses", "db")
    before = path.read_bytes()
    with hythe.open(path, agent="a", read_only=True) as store:
        store.current_observation("db")
        store.observations("db")
        store.search("15")
        store.neighborhood("db", hops=2)
        store.entities()
        with pytest.raises(hythe.NotAllowed):
            store.observe("db", "16")

    assert before == path.read_bytes()


def test_reading_never_makes_a_file(path):
    """Asking an absent store answers as an empty one, and makes nothing."""
    with hythe.open(path, agent="a") as store:
        assert store.current_observation("db").observation is None
        assert 0 == store.search("x").total

    assert not path.exists()


def test_a_reader_sees_one_snapshot_beside_a_writer(path):
    """A held write transaction keeps no reader waiting."""
    with hythe.open(path, agent="a") as store:
        store.observe("db", "15")
        held = sqlite3.connect(path, isolation_level=None)
        held.execute("begin immediate")

        assert "15" == store.current_observation("db").observation.text
        held.execute("rollback")
        held.close()
