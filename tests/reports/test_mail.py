"""Messages that other tools lose, repeat, misroute or slow down."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import hythe
from hythe.testing import SequentialIds, SettableClock
from tests.checkpoint.worlds import state

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def store():
    """A store in memory whose clock stands still."""
    clock = SettableClock(1_700_000_000_000_000)
    with hythe.in_memory(agent="planner", clock=clock, ids=SequentialIds()) as made:
        yield made


def test_four_messages_are_listed_twice(store):
    """Listing reads nothing: both lists show four, until they are acknowledged."""
    for number in range(4):
        store.send("critic", str(number))
    critic = store.as_agent("critic")
    lists = [[m.text for m in critic.inbox(unread=True)] for _ in range(2)]
    critic.read([message.id for message in critic.inbox()])

    assert [["3", "2", "1", "0"]] * 2 == [sorted(each)[::-1] for each in lists]
    assert [] == list(critic.inbox(unread=True))
    assert 4 == len(critic.inbox().items)


_READ_AND_DIE = """
import os, signal, sys, hythe
store = hythe.open(sys.argv[1], agent="critic")
ids = [message.id for message in store.inbox()]
if sys.argv[2] == "read":
    store.read(ids)
print(len(ids), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("done", ["listed", "read"])
def test_a_reader_that_dies_before_archiving_loses_nothing(tmp_path, done):
    """Killed between reading and archiving, every message is still in the inbox."""
    path = tmp_path / "team.hythe"
    with hythe.open(path, agent="planner") as store:
        for number in range(3):
            store.send("critic", str(number))
    program = [sys.executable, "-c", _READ_AND_DIE, str(path), done]
    reader = subprocess.run(
        program, cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    with hythe.open(path, agent="critic") as critic:
        left = [message.text for message in critic.inbox()]

    assert -signal.SIGKILL == reader.returncode
    assert "3" == reader.stdout.strip()
    assert {"0", "1", "2"} == set(left)


def test_a_recipient_no_one_registered_is_flagged_and_not_made(store):
    """A message to an id nobody has waits there; sending creates no agent."""
    sent = store.send("nobody-yet", "hello")

    assert ("nobody-yet",) == tuple(sent.unregistered)
    assert () == store.agents().items
    assert ["hello"] == [m.text for m in store.as_agent("nobody-yet").inbox()]


def test_the_same_continuation_runs_once(store):
    """The same key twice is one row; the second call has the first one's result."""
    scope = store.scope(task="task1")
    first = scope.checkpoint(state("green"), parent=None, key="msg1")
    once = scope.checkpoint(state("amber"), parent=first, key="msg2")
    twice = scope.checkpoint(state("amber"), parent=first, key="msg2")
    mail = [store.send("critic", "go on", key="msg2") for _ in range(2)]

    assert once == twice
    assert twice.replayed
    assert 2 == len(scope.history().items)
    assert mail[0].id == mail[1].id
    assert 1 == len(store.as_agent("critic").inbox().items)


def test_a_send_costs_the_same_in_a_long_thread(tmp_path):
    """SQLite takes as many steps for a reply in a thread of 500 as in one of five."""
    with hythe.open(
        tmp_path / "team.hythe", agent="planner", durability="normal"
    ) as store:
        for number in range(5):
            store.send("critic", f"{number}", thread="short")
        for number in range(500):
            store.send("critic", f"{number}", thread="long")
        short, long = (_steps(store, thread) for thread in ("short", "long"))

    assert long <= short * 1.3 + 100


def _steps(store, thread):
    """Count the steps of SQLite's machine that one send takes, in tens."""
    writer = store._storage.database._writer
    taken = 0

    def count():
        nonlocal taken
        taken += 1

    writer.set_progress_handler(count, 10)
    store.send("critic", "one more", thread=thread)
    writer.set_progress_handler(None, 0)
    return taken


def test_a_sweep_at_the_exact_moment_is_the_same_each_time(store):
    """The cutoff is the caller's and exclusive: what was archived then stays, always."""
    sent = store.send("critic", "old")
    critic = store.as_agent("critic")
    critic.archive([sent.id])
    (archived,) = store.deliveries(sent.id)
    moment = archived.archived.at
    counts = [
        store.prune(archived_before=moment, dry_run=True).messages for _ in range(3)
    ]

    assert [0, 0, 0] == counts
    assert 0 == store.prune(archived_before=moment).messages
    assert 1 == len(critic.inbox(archived=True).items)


def test_a_wait_sees_what_came_before_it(store):
    """A message sent before the wait begins ends it at once, for both waiters."""
    before = store.as_agent("critic").inbox().items
    store.send("critic", "early")
    critic = store.as_agent("critic")

    for _ in range(2):
        assert [] == list(before)
        assert ["early"] == [m.text for m in critic.inbox(since=0, wait=30)]
