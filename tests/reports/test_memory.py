"""Recorded knowledge that other tools merge, lose or show in two versions."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta

import pytest

import hythe
from hythe import Fact
from tests.checkpoint.worlds import state


@pytest.fixture
def store():
    """A store in memory."""
    with hythe.in_memory(agent="planner") as made:
        yield made


def test_one_time_on_every_path(tmp_path):
    """An observation and a checkpoint have equal times wherever they are read."""
    with hythe.open(tmp_path / "team.hythe", agent="planner") as store:
        seen = store.observe("db", "uses PostgreSQL")
        scope = store.scope(project="atlas")
        made = scope.checkpoint(
            state("green"), parent=None, facts=[Fact("a", "is", "b")]
        )
        store.export(tmp_path / "all.jsonl")
        exported = (tmp_path / "all.jsonl").read_text("utf-8")

        assert {seen.recorded_at} == {
            store.current_observation("db").observation.recorded_at,
            store.observation(seen.id).recorded_at,
            store.observations("db").items[0].recorded_at,
            store.search("PostgreSQL")[0].observation.recorded_at,
            store.detail("db").current.observation.recorded_at,
        }
        assert {made.recorded_at} == {
            scope.current().recorded_at,
            scope.get(made.id).recorded_at,
            scope.heads().items[0].recorded_at,
            scope.history().items[0].recorded_at,
            scope.resume().heads[0].recorded_at,
        }
    for value in (seen, made):
        assert _times_of(exported, value.id) == {value.recorded_at}


def _times_of(exported, identity):
    """Return the times of the rows of an export whose id this is."""
    rows = [json.loads(line) for line in exported.splitlines()]
    return {
        _moment(row["recorded_at"])
        for line in rows
        for row in line.values()
        if isinstance(row, dict) and row.get("id") == identity
    }


def _moment(micros):
    return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=micros)


NEAR = ["john-doe", "john_doe", "john%doe", "john*doe", "john[doe", "john?doe"]


def test_no_character_of_a_name_is_a_wildcard(store):
    """Names that differ in `_`, `%`, `*`, `[` or `?` are entities and scopes apart."""
    for name in NEAR:
        store.observe(name, f"about {name}")
        store.scope(project=name).checkpoint(state(name), parent=None)

    for name in NEAR:
        assert f"about {name}" == store.current_observation(name).observation.text
        assert 1 == len(store.observations(name).items)
        assert name == store.scope(project=name).current().state.status
    with pytest.raises(hythe.NotFound):
        store.scope(project="john%").resume()


INJECTED = "a') OR 1=1 --"


def test_a_name_is_never_a_part_of_the_question(store):
    """Keys, names and filters that would close a quote are plain text, or refused."""
    store.send("planner", "one")
    store.observe("other", "x")
    seen = store.observe(INJECTED, "text", metadata={INJECTED: 1}, key=INJECTED)

    assert {INJECTED: 1} == store.observation(seen.id).metadata
    assert [seen] == list(store.observations(INJECTED))
    assert issubclass(_refusal(lambda: store.inbox(sender=INJECTED)), hythe.HytheError)
    assert hythe.NotFound is _refusal(store.scope(project=INJECTED).resume)
    assert {INJECTED} == {hit.entity.name for hit in store.search(INJECTED)}


def _refusal(call):
    with pytest.raises(hythe.HytheError) as refused:
        call()
    return refused.type


def test_two_corrections_at_once_are_both_kept_and_seen(tmp_path):
    """Of two corrections of one observation neither is lost, and they disagree in sight."""
    with hythe.open(tmp_path / "team.hythe", agent="planner") as store:
        first = store.observe("db", "15")
        barrier = threading.Barrier(2)

        def correct(text):
            barrier.wait()
            store.observe("db", text, supersedes=[first.id])

        threads = [threading.Thread(target=correct, args=(t,)) for t in ("16", "17")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        current = store.current_observation("db")
        texts = {current.observation.text, *(one.text for one in current.also_live)}

    assert {"16", "17"} == texts
    assert 1 == current.also_live_count


def test_two_replacements_at_once_leave_one_current(tmp_path):
    """Two that replace the current one leave exactly one current; all are kept."""
    with hythe.open(tmp_path / "team.hythe", agent="planner") as store:
        store.observe("db", "15")
        barrier = threading.Barrier(2)

        def replace(text):
            barrier.wait()
            store.observe("db", text, replaces=hythe.CURRENT)

        threads = [threading.Thread(target=replace, args=(t,)) for t in ("16", "17")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert 0 == store.current_observation("db").also_live_count
        assert {"15", "16", "17"} == {one.text for one in store.observations("db")}


def test_both_spellings_name_one_entity(store):
    """`é` composed and decomposed are one entity, in the spelling that came first."""
    store.observe("e\u0301", "first")
    store.observe("\u00e9", "second")

    assert 2 == len(store.observations("\u00e9").items)
    assert ["e\u0301"] == [entity.name for entity in store.entities()]


def test_a_name_twice_in_a_batch_is_made_once(store):
    """[Alice, Alice] is one entity; the second is reported as existing."""
    made = store.create_entities(["Alice", "Alice"])

    assert [True, False] == [entity.created for entity in made]
    assert made[0].id == made[1].id


def test_a_thousand_and_one_rows_are_exported(tmp_path):
    """No page limits an export, and its manifest counts what is in it."""
    with hythe.open(
        tmp_path / "team.hythe", agent="planner", durability="normal"
    ) as store:
        store.add_observations(
            [{"entity": "db", "text": str(number)} for number in range(1_001)]
        )
        done = store.export(tmp_path / "all.jsonl")
    data = (tmp_path / "all.jsonl").read_bytes()

    assert data.endswith(b"\n")
    assert 1_001 == done.counts["observation"]


def test_a_line_appended_by_hand_changes_nothing(tmp_path):
    """An export with a row glued to its end is refused with the line; nothing comes in."""
    with hythe.open(tmp_path / "one.hythe", agent="planner") as store:
        store.observe("db", "15")
        store.export(tmp_path / "all.jsonl")
    file = tmp_path / "all.jsonl"
    rows = file.read_bytes().count(b"\n")
    with file.open("ab") as appended:
        appended.write(b'{"observation": {}}')
    with hythe.open(tmp_path / "two.hythe", agent="planner") as other:
        with pytest.raises(hythe.InvalidInput) as refused:
            other.import_(file)

        assert refused.value.details["line"] in {rows, rows + 1}
        assert () == other.entities().items
