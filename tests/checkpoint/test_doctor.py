"""Doctor finds what was changed behind the store's back."""

from __future__ import annotations

import contextlib
import random

import pytest

from hsum._kernel.faults import Fault
from hythe import Event, Fact, HytheError, Loop
from hythe.care.doctor import examine
from hythe.checkpoint import history, proof, schema
from hythe.checkpoint.legacy import Legacy, insert_legacy
from hythe.checkpoint.scopes import At, spelled
from hythe.model import ScopeName
from hythe.testing import play
from tests.checkpoint.worlds import dump, state, store

RECORDED = ("store", "scope", "checkpoint", "state", "checkpoint_key", "legacy")
# A line's number only joins its rows; any other that joins them is as good.
FREE = {("line", "line")}


class Undo(Exception):
    """Ends a writing transaction without a trace."""


@pytest.fixture(scope="module")
def full():
    """A store in which every table of checkpoints has rows."""
    with store() as made:
        scope = made.scope(project="atlas", task="search")
        first = scope.checkpoint(
            state("a"), parent=None, facts=[Fact("a", "is", "b")], key="first"
        )
        second = scope.record(
            first, loops=[Loop("look")], events=[Event("decision", "go")]
        )
        branch = scope.checkpoint(
            state("b"), parent=first, facts=[first.facts[0].but(object="c")]
        )
        scope.reconcile(
            heads=[second, branch],
            pointer=second,
            survivor=branch,
            state=state("c"),
            reason="try it",
            resolutions=[o.accept() for o in scope.plan_reconcile(branch).owed],
        )
        scope.checkpoint(state("d"), parent=second, acknowledge_retired=True)
        with made._storage.writing("importer") as (conn, stamp):
            value = {"subject": "x", "predicate": "is", "object": "y"}
            insert_legacy(conn, At(1, 1), stamp, Legacy("fact", "old", 0, value))
        yield made


@contextlib.contextmanager
def tampered(made):
    with contextlib.suppress(Undo), made._storage.database.writing() as conn:
        conn.execute("pragma defer_foreign_keys = on")
        yield conn
        raise Undo


def other(value):
    """Return the nearest value that is not this one."""
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:]
    if isinstance(value, int):
        return value + 1
    return chr(ord(value[0]) ^ 1) + value[1:]


def columns(conn, table):
    return [row[1] for row in conn.execute(f"pragma table_info({table})")]


def test_a_sound_store_is_well(full):
    """Nothing is wrong with what was only ever written by calls."""
    found = full.doctor()

    assert ((), 1, 5) == (found.problems, found.scopes, found.checkpoints)


@pytest.mark.parametrize("table", [*RECORDED, *schema.DERIVED])
def test_no_column_can_be_changed_unseen(full, table):
    """Doctor reports a change to any column of any row of any table."""
    with full._storage.reading() as (conn, _):
        names = columns(conn, table)
        rows = conn.execute(f"select * from {table}").fetchall()
    unseen = []
    for row in rows:
        for name, value in zip(names, row, strict=True):
            # A change that a constraint refuses is not unseen.
            with contextlib.suppress(Fault), tampered(full) as conn:
                where = " and ".join(f"{n} = ?" for n in names)
                conn.execute(
                    f"update {table} set {name} = ? where {where}", (other(value), *row)
                )
                if not examine(conn, 1).problems and (table, name) not in FREE:
                    unseen.append((name, value))

    assert rows
    assert [] == unseen


def test_a_scope_whose_name_is_lost_is_refused(full):
    """A checkpoint is never given under a part of its scope's name."""
    at = At(1, 1)
    with tampered(full) as conn:
        assert ScopeName("atlas", "search") == spelled(conn, at)
        conn.execute("delete from entity where name = 'search'")
        with pytest.raises(Fault) as caught:
            spelled(conn, at)

    assert "INTEGRITY_FAILED" == caught.value.code


@pytest.mark.parametrize("table", [*RECORDED, *schema.DERIVED])
def test_no_row_can_be_removed_unseen(full, table):
    """Doctor reports a missing row of any table, a spare idempotency key apart."""
    with tampered(full) as conn:
        (count,) = conn.execute(f"select count(*) from {table}").fetchone()
    unseen = []
    for skipped in range(count):
        with tampered(full) as conn:
            names = columns(conn, table)
            row = conn.execute(
                f"select * from {table} limit 1 offset {skipped}"
            ).fetchone()
            where = " and ".join(f"{name} = ?" for name in names)
            conn.execute(f"delete from {table} where {where}", row)
            if not examine(conn, 1).problems:
                unseen.append(row)

    # Nothing else tells that these were ever there.
    expected = count if table in ("checkpoint_key", "legacy") else 0

    assert expected == len(unseen)


def test_a_seal_kept_elsewhere_must_still_be_there(full):
    """Doctor reports a seal that no checkpoint has, as after a rollback."""
    seal = full.scope("atlas", "search").current().seal

    assert () == full.doctor(head=seal).problems
    assert 1 == len(full.doctor(head="0" * 64).problems)


@pytest.mark.parametrize("seed", range(3))
def test_what_was_rebuilt_is_what_was_kept(seed):
    """Rebuilding the derived tables of a scope leaves each row as it was."""
    with store() as made:
        play(made, seed=seed, moves=60)
        before = dump(made)
        with made._storage.writing("doctor") as (conn, _):
            for table in schema.DERIVED:
                conn.execute(f"delete from {table}")
            proof.rebuild(conn, At(1, 1))
        after = dump(made)
        problems = made.doctor().problems
    lines = {"line", "tip_value"}

    assert {t: r for t, r in before.items() if t not in lines} == {
        t: r for t, r in after.items() if t not in lines
    }
    assert problems == ()


def test_what_is_damaged_is_not_read(full):
    """Reading a checkpoint whose bytes were changed is `INTEGRITY_FAILED`."""
    scope = full.scope("atlas", "search")
    changes = [
        "update checkpoint set body = x'7b7d' where revision = 1",
        "update checkpoint set body = cast(replace(body, 'b', 'c') as blob) where revision = 1",
        "update checkpoint set author = 'critic' where revision = 1",
        "update checkpoint set new_ids = x'5b5d' where revision = 1",
        "update state set body = x'7b7d'",
        "delete from state",
    ]
    codes = []
    for change in changes:
        with tampered(full) as conn:
            conn.execute(change)
            try:
                history.get(conn, 1, scope.name, 1)
            except Fault as fault:
                codes.append(fault.code)

    assert ["INTEGRITY_FAILED"] * len(changes) == codes


def test_a_damaged_scope_is_not_rebuilt(full):
    """Rebuilding refuses where a checkpoint does not verify."""
    with tampered(full) as conn:
        conn.execute("update checkpoint set author = 'critic' where revision = 2")

        with pytest.raises(Fault, match="not as it was written"):
            proof.rebuild(conn, At(1, 1))


def test_a_flipped_byte_in_a_row_is_found(tmp_path):
    """Doctor reports flipped bytes of the file wherever they change what is read."""
    path = tmp_path / "team.hythe"
    with store(path) as made:
        play(made, seed=1, moves=30)
        before = dump(made)
    whole = path.read_bytes()
    dice = random.Random(7)
    silent = []
    for number in range(150):
        at = dice.randrange(100, len(whole))
        copy = tmp_path / f"copy-{number}.hythe"
        copy.write_bytes(whole[:at] + bytes([whole[at] ^ 0x20]) + whole[at + 1 :])
        try:
            with store(copy) as made:
                unseen = not made.doctor().problems and dump(made) != before
        except HytheError as error:
            assert error.code == "STORE_DAMAGED"
            unseen = False
        silent += [at] if unseen else []

    assert [] == silent
