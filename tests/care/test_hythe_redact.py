"""Redaction: one value is gone for good, and all that is left still verifies."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

import hythe
from hythe import Fact, State
from tests.care.shop import SECRET, STATE, bytes_of, filled, opened

PLACES = {
    "fact": ("first", "$.facts[0].object"),
    "event": ("first", "$.events[0].summary"),
    "evidence": ("first", "$.evidence[0]"),
    "state": ("first", "$.state.objective"),
    "patched state": ("live", "$.patch.next_actions[0]"),
    "loop": ("lost", "$.loops[0].next_action"),
    "observation": ("old", None),
    "metadata": ("old", "$.metadata.token"),
    "definition": ("thing", "$.definition"),
    "message": ("mail", "$.text"),
}


@pytest.fixture
def made(tmp_path):
    """A store, and what was made in it."""
    with opened(tmp_path / "made.hythe") as one:
        yield one, filled(one)


@pytest.mark.parametrize("name", PLACES)
def test_what_is_redacted_is_well(made, name):
    """Every kind of text can be taken out; doctor accepts exactly that."""
    store, known = made
    identity, path = PLACES[name]
    report = store.redact(known[identity], path, reason="a leak")

    assert report.tombstone.startswith("[redacted ")
    assert () == store.doctor().problems


def test_every_place_at_once_leaves_no_byte(made):
    """Redacted everywhere, a secret is in no page, log or index of the store."""
    store, known = made
    for identity, path in PLACES.values():
        store.redact(known[identity], path, reason="a leak")

    assert SECRET.encode() not in bytes_of(store)
    assert b"abcdefghijklmnopqrstuvwx" not in bytes_of(store)
    assert () == store.doctor().problems
    assert () == tuple(store.search("sk-abcdefghijklmnopqrstuvwx"))


def test_hashes_ids_and_seals_stay(made):
    """A redacted checkpoint is the same one, with a tombstone in the value's place."""
    store, known = made
    scope, first = store.scope(project="atlas"), known["first"]
    report = store.redact(first, "$.facts[0].object", reason="a leak")
    after = scope.get(first.id)

    assert (first.seal, first.content_hash) == (after.seal, after.content_hash)
    assert report.original == first.content_hash
    assert report.tombstone == after.facts[0].object
    assert ("search", "token") == (after.facts[0].subject, after.facts[0].predicate)
    assert store.doctor(head=first.seal).ok


def test_readers_see_the_tombstone(made):
    """resume, current observation, inbox and search tell that something was there."""
    store, known = made
    fact = store.redact(known["first"], "$.facts[0].object", reason="a leak")
    text = store.redact(known["mail"], reason="a leak")
    told = str(store.scope(project="atlas").resume(budget=50_000, verify=True))
    inbox = store.as_agent("critic").inbox(archived=True)

    assert fact.tombstone in told
    assert SECRET not in told
    assert text.tombstone in [message.text for message in inbox]


def test_it_is_recorded_who_when_and_why(made, tmp_path):
    """The record of a redaction leaves with an export, the value does not."""
    store, known = made
    store.as_agent("admin").redact(known["old"], reason="it was a password")
    text = store.export(tmp_path / "out.jsonl").path.read_text("utf-8")
    (line,) = (row for row in text.splitlines() if row.startswith('{"tombstone"'))

    assert '"author":"admin"' in line
    assert '"reason":"it was a password"' in line
    assert '"recorded_at":1700000000' in line


def test_equal_values_have_different_tombstones(made):
    """A salt keeps tombstones from telling that two values were one."""
    store, known = made
    other = store.observe("other", f"uses {SECRET}")
    marks = {store.redact(one, reason="x").tombstone for one in (known["old"], other)}

    assert 2 == len(marks)


def test_work_goes_on_after_a_redaction(made):
    """The state of a redacted checkpoint can be recorded on and patched."""
    store, known = made
    scope = store.scope(project="atlas")
    store.redact(scope.current(), "$.state.objective", reason="x")
    recorded = scope.record(scope.current(), facts=[Fact("a", "is", "b")])
    patched = scope.patch(recorded, {"objective": "new"})

    assert ("advanced", "advanced") == (recorded.outcome, patched.outcome)
    assert State("new", *STATE_REST) == patched.state
    assert known["first"].id == scope.get(1).id
    assert () == store.doctor().problems


STATE_REST = (STATE.status, STATE.owner, STATE.next_actions)


def test_a_dry_run_changes_nothing(made):
    """It finds the value and leaves it."""
    store, known = made
    report = store.redact(known["first"], "$.facts[0].object", reason="x", dry_run=True)

    assert report.dry_run
    assert SECRET == store.scope(project="atlas").get(1).facts[0].object


REFUSED = {
    "an unknown id": ("nobody", None, "NOT_FOUND"),
    "a path to nothing": ("first", "$.facts[7].object", "NOT_FOUND"),
    "no path": ("first", None, "INVALID_ARGUMENT"),
    "a path of nonsense": ("first", "facts/0", "INVALID_ARGUMENT"),
    "an id": ("lost", "$.facts[0].id", "INVALID_ARGUMENT"),
    "a status": ("first", "$.facts[0].status", "INVALID_ARGUMENT"),
    "the scope": ("first", "$.scope.project", "INVALID_ARGUMENT"),
    "a whole list": ("first", "$.evidence", "INVALID_ARGUMENT"),
    "a name": ("thing", "$.name", "INVALID_ARGUMENT"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_the_history_together_is_refused(made, name):
    """Ids, status, scopes and names cannot be redacted, nor what is not there."""
    store, known = made
    identity, path, code = REFUSED[name]
    with pytest.raises(hythe.HytheError) as caught:
        store.redact(known.get(identity, identity), path, reason="x")

    assert code == caught.value.code


def test_a_warning_names_what_to_redact(made):
    """The path of a secret_warning is the path to give, whatever keys are called."""
    store, _ = made
    seen = store.observe("x", "y", metadata={"my key": ["a", {"to-ken": SECRET}]})
    (warning,) = seen.warnings
    store.redact(seen, warning.path, reason="a leak")
    found = store.current_observation("x").observation.metadata["my key"][1]["to-ken"]

    assert found.startswith("[redacted ")


def test_twice_is_refused(made):
    """A tombstone is not redacted again."""
    store, known = made
    store.redact(known["old"], reason="x")
    with pytest.raises(hythe.InvalidInput):
        store.redact(known["old"], reason="x")


def test_a_reason_is_needed(made):
    """No value goes without a word."""
    store, known = made
    with pytest.raises(hythe.InvalidInput):
        store.redact(known["old"], reason=" ")


@pytest.mark.parametrize("name", PLACES)
def test_another_text_in_the_same_place_is_found(made, name):
    """Doctor takes the recorded tombstone, and nothing else."""
    store, known = made
    identity, path = PLACES[name]
    report = store.redact(known[identity], path, reason="x")
    mark = report.tombstone[10:-1].encode()
    forged = mark[::-1]
    with closing(sqlite3.connect(store.path)) as conn, conn:
        for table, column in COLUMNS:
            conn.execute(
                f"update {table} set {column} = cast(replace(cast({column} as text), "
                "cast(? as text), cast(? as text)) as blob)",
                (mark, forged),
            )

    assert () != store.doctor().problems


COLUMNS = (
    ("checkpoint", "body"), ("state", "body"), ("observation", "text"),
    ("observation", "metadata"), ("entity", "definition"), ("message", "text"),
)  # fmt: skip
