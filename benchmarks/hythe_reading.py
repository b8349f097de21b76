"""Reading costs the same however long the history is; crossing branches is linear."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import hythe
from benchmarks.corpora import Here
from benchmarks.harness import Row, Target, at_most, in_turn
from benchmarks.hythe_work import facts, grow, state, transaction
from hythe._storage import Storage
from hythe.checkpoint.crossing import cross, seen_from
from hythe.checkpoint.scopes import require_scope, standing_of
from hythe.model import ScopeName
from hythe.observe.observations import observe
from hythe.observe.requests import new_observation

__all__ = ["crowded", "measure", "said_of"]

_REPEAT = 50


def measure(here: Here) -> Iterator[Row]:
    for measured in (_observing, _resuming, _crossing, _paging):
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
            yield from measured(Path(folder, "store.sqlite"), here)


def _in_turn(here: Here, calls: list[Callable[[], object]], repeat: int) -> list[float]:
    """Return the milliseconds of each call, repeated so that a clock can tell them."""
    repeat = 2 if here.smoke else repeat
    many = [partial(_again, call, repeat) for call in calls]
    return [seconds / repeat * 1e3 for seconds in in_turn(*many, times=here.times)]


def _again(call: Callable[[], object], times: int) -> None:
    for _ in range(times):
        call()


def _row(
    what: str, times: list[float], against: str, target: Target | None, note: str = ""
) -> Row:
    ours, theirs = times
    return Row(what, "-", "ms", ours, against, theirs, target, note)


# --- current observation --------------------------------------------------------------


def _observing(path: Path, here: Here) -> Iterator[Row]:
    length = 100 if here.smoke else 10_000
    said_of(path, "once", 1)
    said_of(path, "superseded", length, replaces=hythe.CURRENT)
    said_of(path, "appended", length)
    with hythe.open(path, agent="planner") as store:
        names = ("superseded", "appended", "once")
        calls = [partial(store.current_observation, name) for name in names]
        *long, once = _in_turn(here, list(calls), _REPEAT)
    for name, taken in zip(names, long, strict=False):
        what = f"current observation, {length:,} {name}"
        yield _row(what, [taken, once], "one observation", at_most(1.3))


def said_of(path: Path, entity: str, count: int, *, replaces: object = None) -> None:
    """Record so many observations of an entity, in one transaction."""
    storage = Storage(path)
    with closing(storage), storage.writing("planner") as (conn, stamp):
        for at in range(count):
            said = new_observation(entity, f"version {at}", replaces=replaces)
            observe(conn, stamp, said)


# --- resume ---------------------------------------------------------------------------


def _resuming(path: Path, here: Here) -> Iterator[Row]:
    long, short = (1_000 if here.smoke else 100_000), 100
    grow(path, "long", long)
    grow(path, "short", short)
    with hythe.open(path, agent="planner") as store:
        calls = [
            partial(store.scope(project=name).resume, budget=4_000)
            for name in ("long", "short")
        ]
        taken = _in_turn(here, list(calls), 10)
    what = f"resume of {long:,} checkpoints"
    yield _row(what, taken, f"of {short}", at_most(1.5), "budget 4,000")


# --- crossing -------------------------------------------------------------------------


def _crossing(path: Path, here: Here) -> Iterator[Row]:
    """A reconcile onto a branch, as a whole and its rebuilding of the view alone."""
    long, short = (50, 10) if here.smoke else (1_000, 250)
    wholes, rebuilding = {}, {}
    for length in (short, long):
        names = [f"{length}-{at}" for at in range(here.times + 1)]
        for name in names:
            _branched(path, name, length)
        with hythe.open(path, agent="planner") as store:
            left = iter(names)
            calls = [
                lambda left=left, store=store: _reconcile(store, next(left)),
                partial(_cross_alone, path, _spare(path, length)),
            ]
            taken = in_turn(*calls, times=here.times)
            wholes[length], rebuilding[length] = (seconds * 1e3 for seconds in taken)
    what = f"reconcile across branches of {long:,}"
    both = [wholes[long], rebuilding[long]]
    yield _row(what, both, "rebuilding the view", None)
    both = [wholes[long], wholes[short]]
    yield _row(what, both, f"across branches of {short}", at_most(1.5 * long / short))


def _spare(path: Path, length: int) -> str:
    name = f"{length}-spare"
    _branched(path, name, length)
    return name


def _branched(path: Path, project: str, length: int) -> None:
    """Build a scope whose pointed lineage and branch have so many checkpoints each."""
    name = ScopeName(project=project)
    with transaction(path) as append:
        revision = append(name, None, state(0)).revision
        for parent in (revision, revision):
            tip = append(name, parent, state(1), facts=facts(0, 1)).revision
            for at in range(length - 1):
                tip = append(name, tip, state(1), facts=facts(at, 1)).revision


def _reconcile(store: hythe.Store, project: str) -> None:
    scope = store.scope(project=project)
    heads = scope.heads().items
    pointed = next(head for head in heads if head.current)
    (other,) = (head for head in heads if not head.current)
    scope.reconcile(
        heads=heads,
        pointer=pointed,
        survivor=other,
        state=state(2),
        reason="cross",
        reject_lineages=[pointed],
    )


class _Undo(Exception):
    """Leaves the scope as it was."""


def _cross_alone(path: Path, project: str) -> None:
    storage = Storage(path)
    with closing(storage), suppress(_Undo), storage.writing("planner") as (conn, stamp):
        at = require_scope(conn, stamp.store, ScopeName(project=project))
        standing = standing_of(conn, at)
        view = seen_from(conn, at, standing, standing.revisions)
        cross(conn, at, standing, view)
        raise _Undo


# --- inbox ----------------------------------------------------------------------------


def _paging(path: Path, here: Here) -> Iterator[Row]:
    few, many = 1_000, (2_000 if here.smoke else 1_000_000)
    small = path.with_name("small.sqlite")
    crowded(small, few)
    crowded(path, many)
    with (
        hythe.open(path, agent="reader") as large,
        hythe.open(small, agent="reader") as other,
    ):
        calls = [partial(store.inbox, limit=20) for store in (large, other)]
        taken = _in_turn(here, list(calls), 20)
    what = f"inbox page, {many:,} messages in the store"
    yield _row(what, taken, f"{few:,} messages", at_most(1.5))


def crowded(path: Path, count: int) -> None:
    """Make a store of so many messages, a hundred of them to the reader."""
    with hythe.open(path, agent="planner") as store:
        for at in range(100):
            store.send("reader", text=f"message {at}")
    _fill(path, count - 100)


def _fill(path: Path, count: int) -> None:
    """Add messages to others as rows, copies of one: only their number matters."""
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute("pragma synchronous=off")
        conn.execute("create temp table n(n integer primary key)")
        conn.execute(
            "with recursive s(n) as (select 101 union all select n + 1 from s "
            "where n < 100 + ?) insert into n select n from s",
            (count,),
        )
        for table, changed in _FILLED.items():
            columns = [row[1] for row in conn.execute(f"pragma table_info({table})")]
            values = ", ".join(changed.get(name, name) for name in columns)
            conn.execute(
                f"insert into {table} select {values} from n, (select * from {table} "
                "where rowid_is_first)".replace("rowid_is_first", _FIRST[table])
            )


_OTHER = "'agent-' || n % 50"
_FILLED = {
    "message": {"number": "n", "id": "'copy-' || n", "thread": "'copy-' || n"},
    "delivery": {"recipient": _OTHER, "sequence": "n", "message": "n"},
    "mailbox": {"recipient": _OTHER, "sequence": "n", "message": "n"},
}
_FIRST = {"message": "number = 1", "delivery": "message = 1", "mailbox": "message = 1"}
