"""Growth of hythe: what a scope of 100 costs and one of 100,000, drawn as curves.

All times are CPU time: a flush takes as long as the disk is busy, whatever the size.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path

import attrs

import hythe
from benchmarks.corpora import Here
from benchmarks.curves import Panel, Point
from benchmarks.harness import both_in_turn
from benchmarks.hythe_reading import crowded, said_of
from benchmarks.hythe_work import facts, grow, state, transaction
from benchmarks.space import stored_bytes
from hythe.model import ScopeName

__all__ = ["measure"]

_panel = partial(Panel, "growth-hythe")
_WRITE = _panel("Write (4 KB state, 5 facts)", "checkpoints in the scope", "ms CPU")
_RESUME = _panel("Resume, budget 4,000", "checkpoints in the scope", "ms CPU")
_PAGE = _panel("A page of a scope", "checkpoints in the scope", "ms CPU")
_CURRENT = _panel("Current observation", "observations of the entity", "ms CPU")
_INBOX = _panel("Inbox page", "messages in the store", "ms CPU")
_BYTES = _panel("Store", "checkpoints in the scope", "bytes a checkpoint")

_BATCH = 10
_REPEAT = 20


def measure(here: Here) -> Iterator[Point]:
    sizes = (100, 300) if here.smoke else (100, 1_000, 10_000, 100_000)
    for measured, times in ((_scopes, 1), (_observations, 1), (_inboxes, 10)):
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
            yield from measured(Path(folder), here, [size * times for size in sizes])


def _point(panel: Panel, line: str, size: int, value: float) -> Point:
    return Point(panel, line, "-", size, value)


# --- a scope --------------------------------------------------------------------------


def _scopes(folder: Path, here: Here, sizes: Sequence[int]) -> Iterator[Point]:
    paths, stored = {size: folder / str(size) / "store.sqlite" for size in sizes}, {}
    for size, path in paths.items():
        print(f"hythe_growth: {size:,} checkpoints", file=sys.stderr)
        path.parent.mkdir()
        grow(path, "atlas", size)
        stored[size] = stored_bytes(path.parent) / size
    with ExitStack() as stack:
        scopes = {
            size: stack.enter_context(hythe.open(path, agent="planner")).scope(
                project="atlas"
            )
            for size, path in paths.items()
        }
        yield from _reads(here, scopes)
        yield from _writes(here, scopes)
    for size, found in stored.items():
        yield _point(_BYTES, "one fact restated", size, found)
    yield from _large_ones(folder, sizes)


def _large_ones(folder: Path, sizes: Sequence[int]) -> Iterator[Point]:
    """Fill stores with the checkpoints that the other benchmarks write."""
    for size in sizes[:-1]:
        path = folder / f"large-{size}" / "store.sqlite"
        path.parent.mkdir()
        with transaction(path) as append:
            parent = None
            for at in range(size):
                # Not the cached one: so many states would fill the memory.
                said = state.__wrapped__(at)
                parent = append(
                    ScopeName(project="atlas"), parent, said, facts=facts(at)
                ).revision
        stored = stored_bytes(path.parent) / size
        yield _point(_BYTES, "4 KB state, 5 facts", size, stored)


def _reads(here: Here, scopes: Mapping[int, hythe.Scope]) -> Iterator[Point]:
    for panel, line, read in (
        (_RESUME, "resume", lambda scope: scope.resume(budget=4_000)),
        (_PAGE, "newest 20 of history", lambda scope: scope.history(limit=20)),
        (_PAGE, "heads", lambda scope: scope.heads()),
        (_PAGE, "current checkpoint", lambda scope: scope.current()),
    ):
        calls = {size: partial(read, scope) for size, scope in scopes.items()}
        yield from _drawn(here, panel, line, calls)


def _drawn(
    here: Here, panel: Panel, line: str, calls: Mapping[int, Callable[[], object]]
) -> Iterator[Point]:
    """Measure a call at each size, in turn, repeated so that a clock can tell."""
    repeat = 2 if here.smoke else _REPEAT
    many = [partial(_again, call, repeat) for call in calls.values()]
    for size, taken in zip(calls, both_in_turn(*many, times=here.times), strict=True):
        yield _point(panel, line, size, taken.cpu / repeat * 1e3)


def _again(call: Callable[[], object], times: int) -> None:
    for _ in range(times):
        call()


def _writes(here: Here, scopes: Mapping[int, hythe.Scope]) -> Iterator[Point]:
    writers = [_Writer(scope) for scope in scopes.values()]
    batch = 2 if here.smoke else _BATCH
    for line, operation in (
        ("checkpoint", _Writer.checkpoint),
        ("record", _Writer.record),
    ):
        calls = [partial(_again, partial(operation, one), batch) for one in writers]
        found = both_in_turn(*calls, times=here.times)
        for size, taken in zip(scopes, found, strict=True):
            yield _point(_WRITE, line, size, taken.cpu / batch * 1e3)


@attrs.define
class _Writer:
    """Writes to a scope, one after the other."""

    scope: hythe.Scope
    parent: hythe.Checkpoint = attrs.field(init=False)
    numbers: Iterator[int] = attrs.field(factory=count)

    def __attrs_post_init__(self) -> None:
        self.parent = self.scope.current()
        list(map(state, range(200)))

    def checkpoint(self) -> None:
        number = next(self.numbers)
        self.parent = self.scope.checkpoint(
            state(number), parent=self.parent, facts=facts(number)
        )

    def record(self) -> None:
        self.parent = self.scope.record(self.parent, facts=facts(next(self.numbers)))


# --- observations and messages --------------------------------------------------------


def _observations(folder: Path, here: Here, sizes: Sequence[int]) -> Iterator[Point]:
    path = folder / "store.sqlite"
    for size in sizes:
        print(f"hythe_growth: {size:,} observations", file=sys.stderr)
        said_of(path, f"superseded-{size}", size, replaces=hythe.CURRENT)
        said_of(path, f"appended-{size}", size)
    with hythe.open(path, agent="planner") as store:
        for line in ("superseded", "appended"):
            calls = {
                size: partial(store.current_observation, f"{line}-{size}")
                for size in sizes
            }
            yield from _drawn(here, _CURRENT, f"each {line}", calls)


def _inboxes(folder: Path, here: Here, sizes: Sequence[int]) -> Iterator[Point]:
    with ExitStack() as stack:
        calls = {}
        for size in sizes:
            print(f"hythe_growth: {size:,} messages", file=sys.stderr)
            path = folder / f"{size}.sqlite"
            crowded(path, size)
            store = stack.enter_context(hythe.open(path, agent="reader"))
            calls[size] = partial(store.inbox, limit=20)
        yield from _drawn(here, _INBOX, "20 messages", calls)
