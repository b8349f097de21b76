"""One flipped bit of a store: found by the doctor, or harmless; no text is invented.

Set `HSUM_FLIPS` to try each file at that many places.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import pytest

import hythe
from tests.care import reference_store
from tests.care.flips import FLIPS, Answers, asked, flipped_copies
from tests.care.shop import filled, opened

NAME = "team.hythe"
CODES = ("INVALID_ARGUMENT", "INTEGRITY_FAILED", "STORE_DAMAGED", "IMPORT_CONFLICT")
SCOPES = ({"project": "atlas"}, {"task": "review"}, {"project": "a"})
RECORDED = (
    hythe.Checkpoint,
    hythe.Entity,
    hythe.Event,
    hythe.Fact,
    hythe.Loop,
    hythe.Message,
    hythe.Observation,
    hythe.State,
)


class World(NamedTuple):
    """A store, the same with its log, a copy of either kind, and what is true."""

    store: Path
    logged: Path
    copies: Path
    names: dict[str, Any]
    before: Answers
    texts: set[str]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Make a store with something of everything: redacted, pruned, imported, too."""
    folder = tmp_path_factory.mktemp("flips")
    (folder / "store").mkdir()
    (folder / "copies").mkdir()
    reference_store.make(folder / "old.db")
    with contextlib.closing(sqlite3.connect(folder / "old.db")) as old, old:
        old.execute("update shared_memory set content = replace(content, 'atlas', 'a')")
    with opened(folder / "store" / NAME, ids=None) as store:
        names = filled(store)
        store.import_(folder / "old.db")
        store.redact(names["old"], reason="it held a key")
        store.prune()
        for at in range(40):
            store.observe("billing", f"costs {at}", replaces=hythe.CURRENT)
        scope = store.scope(project="atlas")
        for at in range(10):
            scope.record(scope.current(), facts=[hythe.Fact("a", "is", f"{at}")])
        store.backup(folder / "copies" / "copy")
        store.export(folder / "copies" / "export.jsonl")
        shutil.copytree(folder / "store", folder / "logged")
    (folder / "logged" / f"{NAME}-shm").unlink()
    before = answers(folder / "store" / NAME, names)
    texts = {text for answer in before.values() for text in recorded(answer)}
    return World(
        folder / "store", folder / "logged", folder / "copies", names, before, texts
    )


def answers(path: Path, names: dict[str, Any]) -> Answers:
    """Return what a store answers."""
    try:
        opened_store = opened(path, ids=None)
    except hythe.HytheError as fault:
        # What cannot be opened gives this answer to everything.
        return {"doctor": fault}
    with opened_store as store:
        critic = store.as_agent("critic")
        calls: dict[str, Callable[[], Any]] = {}
        for at, named in enumerate(SCOPES):
            scope, theirs = store.scope(**named), critic.scope(**named)
            calls |= {
                f"current {at}": scope.current,
                f"heads {at}": scope.heads,
                f"history {at}": lambda s=scope: s.history(limit=1_000),
                f"divergent {at}": lambda s=scope: s.divergent(resolved=True),
                f"plan {at}": scope.plan_reconcile,
                f"resume {at}": lambda s=theirs: s.resume(budget=50_000),
                f"proof {at}": lambda s=scope: s.resume(budget=50_000, verify=True),
            }
        calls |= {
            "now": lambda: store.current_observation("billing"),
            "observations": lambda: store.observations("billing", limit=1_000),
            "observation": lambda: store.observation(names["old"].id),
            "entities": store.entities,
            "entity": lambda: store.get_entity("gadget"),
            "relations": lambda: store.relations("billing"),
            "neighbors": lambda: store.neighborhood("billing", hops=2),
            "search": lambda: store.search("postgresql slow costs"),
            "related": lambda: store.related(scope, "billing costs", budget=2_000),
            "inbox": lambda: critic.inbox(archived=True),
            "message": lambda: critic.message(names["mail"].id),
            "deliveries": lambda: store.deliveries(names["mail"].id),
            "agents": lambda: [store.agents(), store.agent_status("critic")],
            "credentials": lambda: [
                store.credentials.list(),
                store.credentials.audit(),
            ],
            "piece": lambda: store.fetch(f"hythe://snapshot/{names['live'].id}").data,
            "export": lambda: exported(store, path.with_name("exported")),
            "doctor": lambda: store.doctor().problems,
        }
        return asked(calls)


def exported(store: hythe.Store, path: Path) -> bytes:
    """Return all that a store exports, as one value."""
    try:
        return store.export(path).path.read_bytes()
    finally:
        path.unlink(missing_ok=True)


def recorded(answer: Any) -> Iterator[str]:
    """Yield each text of what agents recorded."""
    if isinstance(answer, RECORDED):
        yield from texts_of(attrs.asdict(answer))
    elif attrs.has(type(answer)):
        for field in attrs.fields(type(answer)):
            yield from recorded(getattr(answer, field.name))
    elif isinstance(answer, (list, tuple)):
        for item in answer:
            yield from recorded(item)


def texts_of(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for item in data.values():
            yield from texts_of(item)
    elif isinstance(data, (list, tuple)):
        for item in data:
            yield from texts_of(item)


def shown(answer: Any) -> str:
    """Return an answer so that equal ones are equal; a bundle is its text."""
    return str(answer) if isinstance(answer, hythe.Resume) else repr(answer)


def wrong(world: World, after: Answers) -> list[str]:
    """Return the questions whose answer is another one, and no typed error."""
    return [
        name
        for name, answer in after.items()
        if name != "doctor"
        and not isinstance(answer, hythe.HytheError)
        and shown(answer) != shown(world.before[name])
    ]


def test_a_sound_store_answers(world: World) -> None:
    """Every question has an answer before anything is damaged."""
    refused = [name for name, one in world.before.items() if isinstance(one, Exception)]

    assert [] == refused
    assert () == world.before["doctor"]
    assert len(world.texts) > 50
    assert {NAME, f"{NAME}.lock"} == {path.name for path in world.store.iterdir()}


@pytest.mark.parametrize("kind", ["store", "logged"])
def test_a_flipped_bit_is_found_or_harmless(
    world: World, tmp_path: Path, kind: str
) -> None:
    """Each answer is the right one or a typed error, and the doctor names the damage.

    A log gives the state of an earlier commit, whole: that, too, is named.
    """
    source = world.store if kind == "store" else world.logged
    name = NAME if kind == "store" else f"{NAME}-wal"
    silent, invented, late, found = [], [], [], 0
    for folder, what in flipped_copies(source, [name], tmp_path, times=10):
        after = answers(folder / NAME, world.names)
        healthy = after["doctor"] == ()
        found += not healthy
        new = {text for one in after.values() for text in recorded(one)} - world.texts
        if new and kind == "store":
            invented.append((what, new))
        if kind == "store" and (differs := wrong(world, after)):
            late.append((what, differs))
        if healthy and any(
            shown(after[name]) != shown(one) for name, one in world.before.items()
        ):
            silent.append((what, wrong(world, after)))

    assert [] == silent
    assert [] == invented
    assert [] == late
    assert found >= FLIPS


def test_a_renamed_column_is_named(world: World, tmp_path: Path) -> None:
    """SQLite takes `Pointer` for `pointer`, but an export would not."""
    shutil.copytree(world.store, tmp_path / "store")
    with _raw(tmp_path / "store" / NAME) as conn:
        conn.execute("pragma writable_schema = on")
        conn.execute(
            "update sqlite_schema set sql = replace(sql, 'imported_p', 'imported_P')"
        )
    problems = answers(tmp_path / "store" / NAME, world.names)["doctor"]

    assert ("the file: the table or index scope is not as it was made",) == problems


@pytest.mark.parametrize(
    ("gone", "asked"),
    [
        ("accepted where kind = 'decision' and revision = 1", "resume 2"),
        ("checkpoint where scope = 3 and revision = 3", "heads 2"),
        ("checkpoint where scope = 3 and revision = 3", "plan 2"),
        ("checkpoint where scope = 3 and revision = 3", "resume 2"),
    ],
)
def test_what_an_index_leaves_out_is_missed(
    world: World, tmp_path: Path, gone: str, asked: str
) -> None:
    """A shorter answer is none: counts and heads say what has to be there."""
    shutil.copytree(world.store, tmp_path / "store")
    with _raw(tmp_path / "store" / NAME) as conn:
        conn.execute(f"delete from {gone}")
    after = answers(tmp_path / "store" / NAME, world.names)

    assert isinstance(after[asked], hythe.HytheError)
    assert () != after["doctor"]


def test_whatever_a_column_says_is_an_answer_or_a_typed_error(
    world: World, tmp_path: Path
) -> None:
    """A number beyond all dates, an empty text, bytes that are no text."""
    draw = random.Random("columns")
    with _raw(world.store / NAME) as conn:
        columns = conn.execute(
            "select t.name, c.name, c.type from pragma_table_list t, "
            "pragma_table_info(t.name) c where t.type = 'table' and t.strict"
        ).fetchall()
    draw.shuffle(columns)
    for number, (table, column, kind) in enumerate(columns[: 6 * FLIPS]):
        folder = tmp_path / str(number)
        shutil.copytree(world.store, folder)
        value = draw.choice(_STRANGE[kind])
        with contextlib.suppress(sqlite3.IntegrityError), _raw(folder / NAME) as conn:
            conn.execute(f'update "{table}" set "{column}" = ?', (value,))
        answers(folder / NAME, world.names)
        shutil.rmtree(folder)

    assert len(columns) > 100


_STRANGE: dict[str, list[Any]] = {
    "INTEGER": [1 << 62, -(1 << 62), 0],
    "TEXT": ["", "\0", "9" * 5_000],
    "BLOB": [b"", b"\xff", b"[" * 5_000, b"1e999"],
}


@contextlib.contextmanager
def _raw(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path)) as conn, conn:
        yield conn


def test_a_flipped_bit_of_the_lock_is_harmless(world: World, tmp_path: Path) -> None:
    """Not its bytes, but the lock that the system holds on it counts."""
    for folder, _ in flipped_copies(world.store, [f"{NAME}.lock"], tmp_path):
        with hythe.open(folder / NAME, agent="planner") as store:
            scope = store.scope(project="atlas")
            assert "advanced" == scope.record(scope.current()).outcome
            assert () == store.doctor().problems


def test_a_flipped_bit_of_a_backup_is_refused_or_harmless(
    world: World, tmp_path: Path
) -> None:
    """What is restored from it answers as the store does, or nothing is."""
    refused, different = 0, []
    for folder, what in flipped_copies(world.copies, ["copy"], tmp_path, times=10):
        try:
            hythe.restore(folder / "copy", folder / NAME)
        except hythe.HytheError as fault:
            assert fault.code in ("STORE_DAMAGED", "INTEGRITY_FAILED", "SCHEMA_TOO_NEW")
            assert not (folder / NAME).exists()
            refused += 1
            continue
        if differs := wrong(world, answers(folder / NAME, world.names)):
            different.append((what, differs))

    assert [] == different
    assert refused >= FLIPS


def test_a_flipped_bit_of_an_export_changes_nothing(
    world: World, tmp_path: Path
) -> None:
    """Its manifest is that of other lines: it is refused, and nothing comes in."""
    codes = set()
    copies = flipped_copies(world.copies, ["export.jsonl"], tmp_path, times=5)
    with hythe.in_memory(agent="planner") as store:
        for folder, what in copies:
            try:
                store.import_(folder / "export.jsonl")
            except hythe.HytheError as fault:
                codes.add(fault.code)
            else:
                codes.add(what)
        names = [entity.name for entity in store.entities()]

    assert {"INTEGRITY_FAILED", "INVALID_ARGUMENT"} == codes
    assert [] == names


def test_a_flipped_bit_of_an_older_store_is_no_traceback(
    world: World, tmp_path: Path
) -> None:
    """HYTHE 0.1.x guards no rows: what comes in is well, or nothing does."""
    shutil.copytree(world.copies, tmp_path / "old")
    reference_store.make(tmp_path / "old" / "old.db")
    refused = 0
    copies = flipped_copies(tmp_path / "old", ["old.db"], tmp_path / "tried", times=10)
    for folder, what in copies:
        with hythe.in_memory(agent="planner") as store:
            try:
                store.import_(folder / "old.db")
            except hythe.HytheError as fault:
                assert fault.code in CODES, what
                assert () == store.entities().items
                refused += 1

            assert () == store.doctor().problems

    assert refused
