"""The law of a killed writer: what was acknowledged stays, nothing is half there."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import hythe

WRITER = """
import sys, hythe
store = hythe.open(sys.argv[1], agent=sys.argv[2])
for number in range(100_000):
    made = store.observe("db", f"{sys.argv[2]} {number}", replaces=hythe.CURRENT)
    sent = store.send("critic", str(number))
    print(made.id, sent.id, flush=True)
"""


def _killed(path, agent, seconds):
    """Run a writer, kill it, and return the pairs of ids that it was given."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, path, agent],
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as writer:
        first = writer.stdout.readline()
        time.sleep(seconds)
        writer.send_signal(signal.SIGKILL)
        lines = (first + writer.stdout.read()).splitlines()
    return [line.split() for line in lines if len(line) == 73]


def _all(listing):
    page = listing()
    found = list(page)
    while page.next:
        page = listing(cursor=page.next)
        found += page
    return {one.id for one in found}


def test_a_killed_writer_loses_nothing_acknowledged(tmp_path):
    """After SIGKILL every row that a call returned is there, and doctor is clean."""
    path = tmp_path / "team.hythe"
    given = []
    for number in range(4):
        given += _killed(path, f"w{number}", 0.05 + 0.037 * number)
        with hythe.open(path, agent="critic") as store:
            made = _all(lambda **o: store.observations("db", limit=1_000, **o))
            sent = _all(lambda **o: store.inbox(limit=1_000, **o))

            assert {pair[0] for pair in given} <= made
            assert {pair[1] for pair in given} <= sent
            assert 0 == store.current_observation("db").also_live_count
            assert () == store.doctor().problems
