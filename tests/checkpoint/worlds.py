"""Stores, states and dumps that the tests of checkpoints share."""

from __future__ import annotations

import hythe
from hythe import State
from hythe.testing import SequentialIds, SettableClock

STATE = State("ship search", "green", "planner", ["write tests"], [], ["no downtime"])


def state(status):
    """Return a state that differs in its status alone."""
    return State("ship search", status, "planner")


def store(path=None, agent="planner", **options):
    """Return a store with a clock and ids that repeat."""
    options = {"clock": SettableClock(step=1), "ids": SequentialIds(), **options}
    if path is None:
        return hythe.in_memory(agent=agent, **options)
    return hythe.open(path, agent=agent, **options)


def refusal(call, *args, **options):
    """Return the error that a call is refused with."""
    try:
        made = call(*args, **options)
    except hythe.HytheError as error:
        return error
    raise AssertionError(f"{made!r} was not refused")


def code(call, *args, **options):
    """Return the code that a call is refused with."""
    return refusal(call, *args, **options).code


def dump(store):
    """Return every row of a store, full-text tables apart."""
    with store._storage.reading() as (conn, _):
        tables = conn.execute(
            "select name from sqlite_schema where type = 'table' "
            "and name not like '%words%' and name not like 'sqlite%' order by name"
        ).fetchall()
        return {
            table: sorted(map(repr, conn.execute(f"select * from {table}")))
            for (table,) in tables
        }
