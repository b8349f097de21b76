"""What the processes of the tests run: `python -m tests.checkpoint.processes VERB ...`."""

from __future__ import annotations

import sys

import hythe
from hythe import Fact, State

STATE = State("count", "running", "writer")


def record(path, name, count):
    """Record `count` facts, each tried again on conflict; print what took so long."""
    with hythe.open(path, agent=name) as store:
        scope = store.scope(project="shared")
        for number in range(int(count)):
            recorded(scope, Fact(name, "counted", str(number)))


def recorded(scope, fact):
    while True:
        try:
            return scope.record(scope.current(), facts=[fact])
        except hythe.Conflict:
            pass


def acknowledge(path, name):
    """Record for ever, and print each revision once it is written."""
    with hythe.open(path, agent=name) as store:
        scope = store.scope(project="shared")
        for number in range(1_000_000):
            made = recorded(scope, Fact(name, "counted", str(number)))
            sys.stdout.write(f"{made.revision} {made.id}\n")
            sys.stdout.flush()


def first(path, name):
    """Make the store's first scope at the same moment as everyone else."""
    import sqlite_utils  # noqa: F401 - making the file imports it

    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    with hythe.open(path, agent=name) as store:
        store.scope(project=name).checkpoint(STATE, parent=None)


if __name__ == "__main__":
    {"record": record, "acknowledge": acknowledge, "first": first}[sys.argv[1]](
        *sys.argv[2:]
    )
