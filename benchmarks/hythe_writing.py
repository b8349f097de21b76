"""Checkpoint, record, patch and first open, against plain sqlite3 and SqliteSaver."""

from __future__ import annotations

import itertools
import sqlite3
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import attrs

import hythe
from benchmarks.corpora import Here
from benchmarks.harness import Row, at_most, in_turn
from benchmarks.hythe_work import (
    DURABILITY,
    Rows,
    atlas,
    facts,
    plain,
    rows_of,
    same_rows,
    state,
)

__all__ = ["measure"]

_BATCH = 40
_NOTE = f"4 KB state, 5 facts, {DURABILITY}"


def measure(here: Here) -> Iterator[Row]:
    batch = 3 if here.smoke else _BATCH
    for operation in _OPERATIONS:
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
            yield from _operation(Path(folder), operation, batch, here.times)
    yield from _first_open(here.times)


def _operation(folder: Path, operation: str, batch: int, times: int) -> Iterator[Row]:
    count = batch * (times + 1)
    rows = list(_sample(folder / "sample.sqlite", operation, count))
    plainly = plain(folder / "plain.sqlite", folder / "sample.sqlite")
    with (
        hythe.open(folder / "ours.sqlite", agent="planner") as store,
        closing(plainly),
        closing(
            sqlite3.connect(folder / "saver.sqlite", check_same_thread=False)
        ) as peer,
    ):
        peers = {"sqlite3, same rows": (_rows_writer(plainly, rows), 2.5)}
        if (saver := _saver(peer)) is not None:
            peers["SqliteSaver.put"] = (saver, 2.0)
        writers = [_writer(store, operation), *(write for write, _ in peers.values())]
        taken = in_turn(
            *(partial(_repeat, write, batch) for write in writers), times=times
        )
    ours, *theirs = (seconds / batch * 1e3 for seconds in taken)
    for (name, (_, most)), took in zip(peers.items(), theirs, strict=True):
        yield Row(operation, "-", "ms", ours, name, took, at_most(most), note=_NOTE)


def _repeat(write: Callable[[], None], times: int) -> None:
    for _ in range(times):
        write()


# --- ours -----------------------------------------------------------------------------


def _checkpoint(scope: hythe.Scope, parent: hythe.Checkpoint | str, number: int) -> str:
    return scope.checkpoint(state(number), parent=parent, facts=facts(number)).id


def _record(scope: hythe.Scope, parent: str, number: int) -> str:
    return scope.record(parent, facts=facts(number)).id


def _patch(scope: hythe.Scope, parent: str, number: int) -> str:
    patch = {"objective": f"ship search, step {number}"}
    return scope.patch(parent, patch, facts=facts(number)).id


_OPERATIONS = {"checkpoint": _checkpoint, "record": _record, "patch": _patch}


def _writer(store: hythe.Store, operation: str) -> Callable[[], None]:
    scope, parent = atlas(store)
    write, numbers = _OPERATIONS[operation], itertools.count(1)

    def one() -> None:
        nonlocal parent
        parent = write(scope, parent, next(numbers))

    return one


# --- theirs ---------------------------------------------------------------------------


def _sample(path: Path, operation: str, count: int) -> Iterator[Rows]:
    """Give the rows that so many of our writes leave behind; every state is made."""
    with hythe.open(path, agent="planner", durability="normal") as store:
        _repeat(_writer(store, operation), count)
    list(map(state, range(count + 1)))
    yield from rows_of(path, range(2, count + 2))


def _rows_writer(
    connection: sqlite3.Connection, rows: list[Rows]
) -> Callable[[], None]:
    left = iter(rows)
    return lambda: same_rows(connection, next(left))


def _saver(connection: sqlite3.Connection) -> Callable[[], None] | None:
    """Return one `put` of the same state with langgraph's saver, as durable.

    None where it is not installed: it brings much with it, and is an extra.
    """
    try:
        from langgraph.checkpoint.sqlite import SqliteSaver
    except ModuleNotFoundError:
        print("langgraph is not installed (extra `bench`): left out", file=sys.stderr)
        return None

    saver = SqliteSaver(connection)
    saver.setup()
    connection.execute("pragma synchronous=full")
    numbers, config = itertools.count(1), {"thread_id": "atlas", "checkpoint_ns": ""}

    def one() -> None:
        number = next(numbers)
        said = {
            **attrs.asdict(state(number)),
            "facts": [attrs.asdict(fact) for fact in facts(number)],
        }
        checkpoint = {
            "v": 4,
            "id": str(uuid.uuid1()),
            "ts": "2026-01-01T00:00:00+00:00",
            "channel_values": said,
            "channel_versions": dict.fromkeys(said, number),
            "versions_seen": {},
        }
        metadata = {"source": "loop", "step": number, "parents": {}}
        written = saver.put({"configurable": config}, checkpoint, metadata, {})
        config.update(written["configurable"])

    return one


# --- first open -----------------------------------------------------------------------


def _first_open(times: int) -> Iterator[Row]:
    """A new file, its tables and one checkpoint; the libraries are loaded already."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder, numbers = Path(name), itertools.count()
        sample = folder / "sample.sqlite"
        with hythe.open(sample, agent="planner") as store:
            atlas(store)
        (rows,) = rows_of(sample, range(1, 2))

        def ours() -> None:
            path = folder / f"ours-{next(numbers)}.sqlite"
            with hythe.open(path, agent="planner") as store:
                atlas(store)

        def theirs() -> None:
            path = folder / f"theirs-{next(numbers)}.sqlite"
            with closing(plain(path, sample)) as connection:
                same_rows(connection, rows)

        taken = in_turn(ours, theirs, times=max(times, 2))
    mine, plainly = (seconds * 1e3 for seconds in taken)
    yield Row(
        "first open and checkpoint",
        "-",
        "ms",
        mine,
        "sqlite3, same tables",
        plainly,
        note=DURABILITY,
    )
