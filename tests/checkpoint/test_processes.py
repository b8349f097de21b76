"""Many processes on one store: nothing is lost, nothing is half done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import hythe
from hythe import Fact
from tests.checkpoint.processes import STATE
from tests.checkpoint.worlds import state, store

ROUNDS = int(os.environ.get("HYTHE_KILL_ROUNDS", "8"))


def process(*arguments):
    command = [sys.executable, "-m", "tests.checkpoint.processes", *map(str, arguments)]
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(running):
    out, err = running.communicate(timeout=300)

    assert (running.returncode, err) == (0, "")
    return out


def test_eight_writers_lose_nothing(tmp_path):
    """Eight processes that retry on conflict record every one of their facts."""
    path = tmp_path / "team.hythe"
    with hythe.open(path, agent="first") as made:
        made.scope(project="shared").checkpoint(STATE, parent=None)
    each = 40
    running = [process("record", path, f"writer-{n}", each) for n in range(8)]
    for one in running:
        output(one)
    with hythe.open(path, agent="judge", create=False) as made:
        scope = made.scope(project="shared")
        history = scope.history(limit=1_000)
        facts = {(f.subject, f.object) for c in history for f in c.facts}
        problems = made.doctor().problems

    assert len(history) == 8 * each + 1
    assert facts == {(f"writer-{n}", str(i)) for n in range(8) for i in range(each)}
    assert problems == ()


def test_twenty_first_opens_make_one_store(tmp_path):
    """Twenty processes that make the store at once all find it made."""
    path = tmp_path / "team.hythe"
    running = [process("first", path, f"agent-{n}") for n in range(20)]
    for one in running:
        one.stdout.readline()
    for one in running:
        one.stdin.write("go\n")
        one.stdin.flush()
    for one in running:
        output(one)
    with hythe.open(path, agent="judge", create=False) as made:
        scopes = [made.scope(project=f"agent-{n}").current() for n in range(20)]
        found = made.doctor()

    assert [1] * 20 == [scope.revision for scope in scopes]
    assert ((), 20) == (found.problems, found.scopes)


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_killed_writers_lose_nothing_acknowledged(tmp_path, round_):
    """After SIGKILL in the middle, all that was acknowledged is there, and sound."""
    path = tmp_path / "team.hythe"
    with hythe.open(path, agent="first") as made:
        made.scope(project="shared").checkpoint(STATE, parent=None)
    running = [process("acknowledge", path, f"writer-{n}") for n in range(4)]
    for one in running:
        one.stdout.readline()
    time.sleep(0.05 + 0.013 * (round_ % 25))
    for one in running:
        one.send_signal(signal.SIGKILL)
    said = "".join(one.communicate()[0] for one in running)
    acknowledged = [line.split() for line in said.splitlines() if line.count("-") == 4]
    with hythe.open(path, agent="judge", create=False) as made:
        scope = made.scope(project="shared")
        lost = [
            line for line in acknowledged if scope.get(line[1]).revision != int(line[0])
        ]
        problems = made.doctor().problems
        scope.record(scope.current())

    assert lost == []
    assert problems == ()


def test_parallel_records_give_one_success(tmp_path):
    """Of k threads that record on one pointer, one advances and k-1 conflict."""
    with store(tmp_path / "team.hythe", ids=None) as made:
        scope = made.scope(project="shared")
        first = scope.checkpoint(STATE, parent=None)
        gate = threading.Barrier(8)

        def attempt(number):
            gate.wait()
            try:
                return scope.record(first, facts=[Fact("n", "is", str(number))]).outcome
            except hythe.Conflict as error:
                return error.reasons

        with ThreadPoolExecutor(8) as pool:
            outcomes = list(pool.map(attempt, range(8)))

    assert 1 == outcomes.count("advanced")
    assert 7 == outcomes.count(("not-current",))


def test_parallel_writes_give_one_advance(tmp_path):
    """Of k threads that write on one parent, one advances and k-1 branch."""
    with store(tmp_path / "team.hythe", ids=None) as made:
        scope = made.scope(project="shared")
        first = scope.checkpoint(STATE, parent=None)
        gate = threading.Barrier(8)

        def attempt(number):
            gate.wait()
            return scope.checkpoint(state(str(number)), parent=first).outcome

        with ThreadPoolExecutor(8) as pool:
            outcomes = sorted(pool.map(attempt, range(8)))

    assert outcomes == ["advanced", *["branched"] * 7]


def test_a_reader_waits_for_another_process(tmp_path):
    """`history(after, wait)` returns as soon as another process has written."""
    path = tmp_path / "team.hythe"
    with hythe.open(path, agent="first") as made:
        scope = made.scope(project="shared")
        scope.checkpoint(STATE, parent=None)
        nothing = scope.history(after=1, wait=0.05)
        writer = process("record", path, "writer", 1)
        found = scope.history(after=1, wait=60)
        output(writer)

    assert ([], [2]) == (list(nothing), [c.revision for c in found])


def test_a_fork_may_go_on_writing(tmp_path):
    """A forked child and its parent both write with the handle they share."""
    with store(tmp_path / "team.hythe", ids=None, clock=None) as made:
        scope = made.scope(project="shared")
        scope.checkpoint(STATE, parent=None)
        child = os.fork()
        if not child:
            try:
                scope.record(1)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        scope.record(2)
        problems = made.doctor().problems

        assert [3, 2, 1] == [c.revision for c in scope.history()]
        assert problems == ()
