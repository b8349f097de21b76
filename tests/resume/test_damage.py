"""Damaged values are never delivered; reading costs little and changes nothing."""

from __future__ import annotations

import sqlite3
from functools import partial

import pytest

import hythe
from hythe import Fact
from tests.resume.stores import STATE, store_in_memory


@pytest.mark.parametrize(
    "damage",
    [
        "update checkpoint set body = cast(replace(body, 'true', 'fake') as blob) where revision = 1",
        "update checkpoint set author = 'mallory' where revision = 1",
        "update accepted set ordinal = 1 - ordinal where kind = 'fact' and revision = 1",
        "update accepted set ordinal = 7 where kind = 'fact' and revision = 2",
        "update accepted set ordinal = 3 where kind = 'decision'",
        "update accepted set id = 'other' where kind = 'loop'",
        "update tip_value set ordinal = 4",
        "delete from checkpoint where revision = 2",
        "update state set body = cast(replace(body, 'green', 'amber') as blob)",
    ],
)
def test_a_damaged_value_is_never_delivered(on_disk, damage):
    """A delivered value is compared with the verified bytes of its checkpoint."""
    scope, path = on_disk
    with sqlite3.connect(path) as raw:
        raw.execute("pragma foreign_keys = off")
        raw.execute(damage)
    raw.close()
    with pytest.raises(hythe.Damaged) as refused:
        scope.resume()

    assert "INTEGRITY_FAILED" == refused.value.code


@pytest.mark.parametrize(
    "damage",
    [
        "delete from accepted where kind = 'fact' and revision = 1 and ordinal = 0",
        "update accepted set shown = 0 where kind = 'loop'",
        "delete from tip_value",
        "update standing set facts = 9",
    ],
)
def test_verify_proves_that_nothing_is_missing(on_disk, damage):
    """`verify=True` finds what a view has lost, which no delivered value can show."""
    scope, path = on_disk
    assert scope.resume(verify=True).complete

    with sqlite3.connect(path) as raw:
        raw.execute(damage)
    raw.close()
    with pytest.raises(hythe.Damaged):
        scope.resume(verify=True)


def test_resume_changes_nothing(on_disk):
    """Reading leaves every byte of the file, and takes no lock a writer waits for."""
    scope, path = on_disk
    before = path.read_bytes()
    with sqlite3.connect(path) as writer:
        writer.execute("begin immediate")
        found = scope.resume(verify=True)
        writer.rollback()
    writer.close()

    assert found.complete
    assert before == path.read_bytes()


def test_equal_stores_resume_alike():
    """With an injected clock and ids two runs give the same bytes."""
    answers = []
    for _ in range(2):
        with store_in_memory() as store:
            scope = store.scope(project="atlas")
            scope.checkpoint(STATE, parent=None, facts=[Fact("a", "b", "c")])
            answers.append(scope.resume())

    assert str(answers[0]) == str(answers[1])
    assert answers[0] == answers[1]


def steps_of(call, store):
    """Count the instructions that SQLite runs for a call."""
    count = 0

    def tick():
        nonlocal count
        count += 1

    with store._storage.reading() as (conn, _):
        conn.set_progress_handler(tick, 10)
        call()
        conn.set_progress_handler(None, 0)
    return count


@pytest.mark.parametrize("version", [1, 3])
def test_the_cost_does_not_grow_with_the_history(version):
    """An equal view costs the same after 40 checkpoints and after 2,000."""
    found = []
    for length in (40, 2_000):
        with store_in_memory() as store:
            scope = store.scope(project="atlas")
            facts = [Fact("s", f"p{n}", "v") for n in range(30)]
            last = scope.checkpoint(STATE, parent=None, facts=facts)
            ids = last.changes.facts
            for number in range(length):
                again = Fact("s", "p", str(number), id=ids[number % 30])
                last = scope.record(last, facts=[again])
            found.append(steps_of(partial(scope.resume, result_version=version), store))

    assert found[1] <= 1.2 * found[0]


def test_mail_is_read_by_handle(store):
    """A large message is a handle, and reads only for its recipient."""
    scope = store.scope(project="atlas")
    scope.checkpoint(STATE, parent=None)
    store.as_agent("critic").send("planner", "m" * 50_000, scope=scope)
    store.as_agent("critic").hand_off("planner", "h" * 50_000, scope=scope)
    oversize = scope.resume().oversize

    assert ["handoffs", "messages"] == [one.section for one in oversize]
    for one in oversize:
        assert one.bytes == len(store.fetch(one.handle, max_bytes=10**6).data)
        with pytest.raises(hythe.NotFound):
            store.as_agent("critic").fetch(one.handle)
