"""Export and import: all of it, byte for byte alike, or a refusal and no change."""

from __future__ import annotations

import contextlib
import hashlib
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hythe
from hythe import Fact
from hythe.testing import play
from tests.care.shop import STATE, bundles, filled, opened


@pytest.fixture
def store(tmp_path):
    """A store with something of everything in it."""
    with opened(tmp_path / "team.hythe") as one:
        filled(one)
        yield one


@pytest.fixture
def other(tmp_path):
    """Another store, still empty."""
    with opened(tmp_path / "other.hythe", ids=None) as one:
        yield one


@pytest.fixture
def file(store, tmp_path):
    """An export of the store."""
    return store.export(tmp_path / "team.jsonl").path


def rewritten(file, change):
    """Change the lines of an export, and make its manifest true again."""
    *lines, _ = file.read_bytes().splitlines(keepends=True)
    lines = change(lines)
    rows = [json.loads(line) for line in lines]
    counts = json.loads(file.read_bytes().splitlines()[-1])["manifest"]["counts"]
    counts = {kind: sum(kind in row for row in rows) for kind in counts}
    manifest = {
        "counts": counts,
        "rows": sum(counts.values()),
        "sha256": hashlib.sha256(b"".join(lines)).hexdigest(),
    }
    data = b"".join(lines) + json.dumps({"manifest": manifest}).encode() + b"\n"
    file.write_bytes(data)


# --- what is written --------------------------------------------------------------


def test_same_content_same_bytes(store, tmp_path):
    """Two exports of one store are equal, and two stores made alike export alike."""
    with opened(tmp_path / "twin.hythe") as twin:
        filled(twin)
        made = [
            one.export(tmp_path / name).path.read_bytes()
            for one, name in ((store, "a"), (store, "b"), (twin, "c"))
        ]
    tombs = [b"".join(data.splitlines(keepends=True)[1:]) for data in made]

    assert made[0] == made[1]
    assert 1 == len(set(tombs))


def test_the_manifest_says_what_is_there(store, tmp_path):
    """Counts and hash in the last line are those of the lines before it."""
    report = store.export(tmp_path / "team.jsonl")
    *lines, last = report.path.read_bytes().splitlines(keepends=True)
    manifest = json.loads(last)["manifest"]

    assert report.rows == len(lines) - 1 == manifest["rows"]
    assert hashlib.sha256(b"".join(lines)).hexdigest() == manifest["sha256"]
    assert report.sha256 == manifest["sha256"]
    assert dict(report.counts) == manifest["counts"]


def test_credentials_are_never_exported(store, tmp_path):
    """Neither a secret's hash nor the audit of credentials leaves the store."""
    issued = store.credentials.issue("critic", ["admin"])
    text = store.export(tmp_path / "team.jsonl").path.read_text("utf-8")

    assert "credential" not in text
    assert issued.secret not in text


def test_more_rows_than_a_page_are_all_there(store, other, tmp_path):
    """1,001 observations are 1,001 lines, and come in."""
    store.add_observations(
        [{"entity": "many", "text": f"number {at}"} for at in range(1_001)]
    )
    report = store.export(tmp_path / "team.jsonl")
    other.import_(report.path)

    assert 1_004 == report.counts["observation"]
    assert 1_000 == other.current_observation("many").also_live_count


def test_an_export_replaces_nothing(store, file):
    """An existing file stays as it is."""
    before = file.read_bytes()
    with pytest.raises(hythe.InvalidInput):
        store.export(file)

    assert before == file.read_bytes()


def test_a_damaged_store_gives_no_export(store, tmp_path):
    """What an import would take for what was said is refused, and no file is left."""
    with store._storage.database.writing() as conn:
        conn.execute("update relation set type = 'other'")
    with pytest.raises(hythe.Damaged) as caught:
        store.export(tmp_path / "team.jsonl")

    assert "INTEGRITY_FAILED" == caught.value.code
    assert not (tmp_path / "team.jsonl").exists()


# --- what comes in ----------------------------------------------------------------


def test_an_empty_store_becomes_the_same(store, other, file):
    """Bundles, marks, ids, hashes and seals are equal, and doctor is clean."""
    report = other.import_(file)

    assert bundles(store) == bundles(other)
    assert 6 == report.added["checkpoint"]
    history = store.scope(project="atlas").history()
    assert history == other.scope(project="atlas").history()
    mine, theirs = (
        one.as_agent("critic").inbox(archived=True) for one in (store, other)
    )
    assert mine == theirs
    assert store.search("postgresql") == other.search("postgresql")
    assert () == other.doctor().problems


@given(seed=st.integers(0, 2**32))
@settings(max_examples=8)
def test_any_history_survives_the_way(seed, tmp_path_factory):
    """Whatever was played: export then import gives equal bundles, after a prune too."""
    folder = tmp_path_factory.mktemp("play")
    with opened(folder / "a") as store, opened(folder / "b") as other:
        play(store, seed=seed, moves=30)
        other.import_(store.export(folder / "a.jsonl").path)
        rows = [
            one.export(folder / name).path.read_bytes().splitlines()[1:-1]
            for one, name in ((store, "a2.jsonl"), (other, "b2.jsonl"))
        ]
        store.prune()
        told = [
            str(one.scope(project=f"game {seed}").resume(budget=50_000, verify=True))
            for one in (store, other)
        ]

        assert rows[0] == rows[1]
        assert told[0] == told[1]
        assert () == store.doctor().problems
        assert () == other.doctor().problems


def test_twice_is_once(other, file):
    """A second import of the same file adds nothing."""
    other.import_(file)

    assert {} == dict(other.import_(file).added)


def test_a_dry_run_changes_nothing(store, other, file):
    """It counts what would come, and the store stays empty."""
    report = other.import_(file, dry_run=True)

    assert 6 == report.added["checkpoint"]
    assert report.dry_run
    assert other.scope(project="atlas").current() is None
    assert () == other.entities().items


def test_an_older_export_changes_nothing(store, file):
    """Where the store is ahead, it stays ahead: a closed loop is not opened again."""
    scope = store.scope(project="atlas")
    scope.patch(scope.current(), {"status": "done"})
    store.as_agent("critic").acknowledge(
        [message.id for message in store.as_agent("critic").inbox()]
    )
    before = bundles(store)
    report = store.import_(file)

    assert {} == dict(report.added)
    assert before == bundles(store)


def test_an_extension_fast_forwards(store, other, file, tmp_path):
    """The store that is behind follows, pointer, inbox and marks included."""
    other.import_(file)
    scope = store.scope(project="atlas")
    made = scope.record(scope.current(), facts=[Fact("c", "is", "3")], key="later")
    store.observe("billing", "is fast", replaces=hythe.CURRENT)
    store.send("critic", text="news")
    store.as_agent("critic").read([store.as_agent("critic").inbox().items[1].id])
    other.import_(store.export(tmp_path / "later.jsonl").path)

    assert made == other.scope(project="atlas").current()
    assert bundles(store) == bundles(other)
    assert () == other.doctor().problems


def test_a_retry_after_the_way_gives_the_first_result(store, other, file):
    """Keys come along: the same request does not write again."""
    other.import_(file)
    scope = other.scope(project="atlas")
    again = scope.checkpoint(
        STATE,
        parent=None,
        facts=[Fact("search", "token", "sk-abcdefghijklmnopqrstuvwx")],
        events=[hythe.Event("decision", "go")],
        evidence=["doc:1"],
        key="first",
    )

    assert again.replayed
    assert store.scope(project="atlas").get(1) == again


def test_a_key_means_what_was_known_here_already(store, other, tmp_path):
    """A retry finds the entity and the relation that this store has of that kind."""
    for one in (store, other):
        one.entity("queue", kind="service", key=None if one is other else "make it")
        one.relate("api", "uses", "queue", key=None if one is other else "join them")
    here = other.get_entity("queue"), other.relations("queue")[0]
    other.import_(store.export(tmp_path / "keyed.jsonl").path)

    assert here[0].id == other.entity("queue", kind="service", key="make it").id
    assert here[1].id == other.relate("api", "uses", "queue", key="join them").id
    assert () == other.doctor().problems


def test_a_key_of_a_message_means_the_same_in_another_store(store, other, file):
    """Whatever numbers its scope has there, a retry sends nothing again."""
    other.scope(project="unrelated").checkpoint(STATE, parent=None)
    other.import_(file)
    first = store.as_agent("critic").inbox(archived=True).items[0]
    scope = other.scope(project="atlas")
    again = other.send("critic", text=first.text, scope=scope, key="m")

    assert (first.id, True) == (again.id, again.replayed)


def test_histories_that_disagree_are_refused(store, other, file):
    """A scope that went on elsewhere is a conflict, and nothing comes in."""
    other.scope(project="atlas").checkpoint(STATE, parent=None)
    with pytest.raises(hythe.Taken) as caught:
        other.import_(file)

    assert "IMPORT_CONFLICT" == caught.value.code
    assert caught.value.details["line"] > 1
    assert ("atlas",) == tuple(entity.name for entity in other.entities())


def test_both_ahead_is_a_conflict(store, other, file, tmp_path):
    """Two extensions of one history are no extension of each other."""
    other.import_(file)
    for one, text in ((store, "mine"), (other, "theirs")):
        scope = one.scope(project="atlas")
        scope.patch(scope.current(), {"status": text})
    with pytest.raises(hythe.Taken):
        other.import_(store.export(tmp_path / "later.jsonl").path)

    assert "theirs" == other.scope(project="atlas").current().state.status


def test_stores_that_know_different_things_are_joined(store, other, file):
    """What either knows is known then, under one name; orders are their own."""
    other.observe("billing", "costs money")
    other.register_agent("reader")
    other.send("critic", text="hello from elsewhere")
    other.import_(file)

    texts = {seen.text for seen in other.observations("billing")}
    assert {"costs money", "is slow", "uses PostgreSQL 16"} < texts
    inbox = other.as_agent("critic").inbox(archived=True)
    assert [1, 2, 3, 4] == [message.sequence for message in inbox]
    assert () == other.doctor().problems


# --- what is refused --------------------------------------------------------------

BAD = {
    "a conflict marker": (lambda lines: [*lines[:3], b"<<<<<<< ours\n", *lines[3:]], 4),
    "no newline": (lambda lines: [*lines[:-1], lines[-1].rstrip(b"\n")], -1),
    "two rows on a line": (
        lambda lines: [lines[0], lines[1].rstrip(b"\n") + lines[2], *lines[3:]],
        2,
    ),
    "a truncated file": (lambda lines: lines[:-4], -4),
    "a cut line": (lambda lines: [*lines[:5], lines[5][:20]], 6),
    "no JSON": (lambda lines: [*lines[:2], b"what?\n", *lines[2:]], 3),
    "an unknown kind": (lambda lines: [*lines[:2], b'{"x":{}}\n', *lines[2:]], 3),
    "no export": (lambda lines: lines[1:], 1),
    "nothing": (lambda lines: [], 1),
    "a row after the end": (lambda lines: [*lines, lines[1]], 0),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named_and_nothing_comes_in(other, file, name):
    """Hand-edited, merged and cut files change nothing; the line is told."""
    change, line = BAD[name]
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(change(lines)))
    with pytest.raises(hythe.InvalidInput) as caught:
        other.import_(file)

    assert caught.value.details["line"] == (line if line > 0 else len(lines) + line + 1)
    assert () == other.entities().items


def test_a_changed_row_is_noticed(other, file):
    """One other letter is another hash than the manifest's."""
    data = file.read_bytes().replace(b"is slow", b"is fast")
    file.write_bytes(data)
    with pytest.raises(hythe.Damaged):
        other.import_(file)

    assert () == other.entities().items


def test_a_forged_row_is_noticed(other, file):
    """Even a true manifest does not hide a payload that its hash does not fit."""
    rewritten(
        file, lambda rows: [row.replace(b'\\"go\\"', b'\\"no\\"') for row in rows]
    )
    with pytest.raises(hythe.Damaged) as caught:
        other.import_(file)

    assert "INTEGRITY_FAILED" == caught.value.code
    assert () == other.entities().items


@pytest.mark.parametrize("kind", ["entity", "observation", "checkpoint", "message"])
def test_a_row_that_says_too_little_is_named(other, file, kind):
    """A row without its fields is refused with its line."""
    mark = f'{{"{kind}":'.encode()

    def stripped(rows):
        return [
            mark + b'{"id":"x"}}\n' if row.startswith(mark) else row for row in rows
        ]

    rewritten(file, stripped)
    with pytest.raises(hythe.InvalidInput) as caught:
        other.import_(file)

    assert caught.value.details["line"] > 1
    assert () == other.entities().items


@pytest.mark.parametrize(
    "field", ["x", "number", "store", "id) select 1 --", 'id"', "", "\ud800"]
)
@pytest.mark.parametrize("kind", ["entity", "observation", "checkpoint", "message"])
def test_a_field_of_its_own_is_no_column(other, file, kind, field):
    """A name that no export writes is refused with its line, whatever it spells."""
    mark = f'{{"{kind}":'.encode()

    def extended(rows):
        return [
            json.dumps({kind: {**json.loads(row)[kind], field: 1}}).encode() + b"\n"
            if row.startswith(mark)
            else row
            for row in rows
        ]

    rewritten(file, extended)
    with pytest.raises(hythe.InvalidInput) as caught:
        other.import_(file)

    assert caught.value.details["line"] > 1
    assert () == other.entities().items


WRONG = [None, 7, "x", [], {}, True, 2**70, -1, 1e308, "", "a\0b", "{broken", "5"]
WRONG += ["null", '"x"', "[1]", '{"a":1,"a":2}', '{"b":1,"a":2}', "[" * 5_000]


@given(
    line=st.integers(1, 40),
    field=st.integers(0, 20),
    value=st.sampled_from(WRONG),
)
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
def test_no_value_of_a_row_ends_in_a_traceback(other, file, line, field, value):
    """Any other value in any field is taken, found out or refused, all or nothing."""
    whole = file.read_bytes()

    def changed(rows):
        at = line % len(rows)
        ((kind, row),) = json.loads(rows[at]).items()
        row[sorted(row)[field % len(row)]] = value
        said = json.dumps({kind: row}, ensure_ascii=False).encode()
        return [*rows[:at], said + b"\n", *rows[at + 1 :]]

    with hythe.in_memory(agent="planner") as fresh:
        try:
            rewritten(file, changed)
            fresh.import_(file)
        except hythe.HytheError as error:
            assert error.code in {
                "INVALID_ARGUMENT",
                "IMPORT_CONFLICT",
                "INTEGRITY_FAILED",
                "TEXT_INVALID",
                "TOO_LARGE",
            }
            assert () == fresh.entities().items
        else:
            read_all(fresh)
        finally:
            file.write_bytes(whole)


def read_all(store):
    """Read what was imported; nothing of it may be refused."""
    for entity in store.entities().items:
        store.get_entity(entity.name)
        store.relations(entity.name)
        found = store.observations(entity.name)
        store.search(" ".join([entity.name, *(one.text for one in found)])[:4_000])
    for agent in (*store.agents(), store, store.as_agent("critic")):
        for message in store.as_agent(getattr(agent, "id", "critic")).inbox():
            assert message.text is not None
    for name in ({"project": "atlas"}, {"task": "review"}):
        with contextlib.suppress(hythe.NotFound):
            store.scope(**name).history()
            store.scope(**name).resume(budget=50_000, verify=True)


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("observation", "metadata", "{broken"),
        ("observation", "metadata", "[]"),
        ("observation", "evidence", "5"),
        ("observation", "evidence", "[1]"),
        ("message", "evidence", "null"),
        ("message", "evidence", '[ "a" ]'),
        ("entity_name", "author", "a\0b"),
        ("inbox", "recipient", -1),
        ("delivery", "message", None),
        ("checkpoint_key", "fingerprint", "x"),
        ("checkpoint_key", "key", ""),
        ("mark", "recorded_at", 1 << 62),
        ("relation", "proven", 7),
    ],
)
def test_what_no_call_would_have_taken_is_refused(other, file, kind, field, value):
    """The line is named: what is imported is vouched for ever after."""
    mark = f'{{"{kind}"'.encode()

    def changed(rows):
        at = next(at for at, row in enumerate(rows) if row.startswith(mark))
        row = json.loads(rows[at])[kind]
        said = json.dumps({kind: {**row, field: value}}).encode() + b"\n"
        return [*rows[:at], said, *rows[at + 1 :]]

    rewritten(file, changed)
    with pytest.raises(
        hythe.InvalidInput, match=f"is no {kind} row: .*{field}"
    ) as found:
        other.import_(file)

    assert found.value.details["line"] > 1
    assert () == other.entities().items


def test_a_file_without_an_end_is_refused(other):
    """A device gives its first line for ever; an export's is short."""
    with pytest.raises(hythe.InvalidInput) as caught:
        other.import_("/dev/zero")

    assert ("TOO_LARGE", 1) == (caught.value.code, caught.value.details["line"])


def test_a_file_that_is_not_there(other, tmp_path):
    """A missing file is an argument that cannot be used."""
    with pytest.raises(hythe.InvalidInput):
        other.import_(tmp_path / "missing.jsonl")


# --- what two stores disagree about -----------------------------------------------


def disagree(store, other, file):
    """Return the sentence of the refusal; nothing may have come in."""
    before = bundles_or_nothing(other)
    with pytest.raises(hythe.Taken) as caught:
        other.import_(file)

    assert "IMPORT_CONFLICT" == caught.value.code
    assert before == bundles_or_nothing(other)
    assert () == other.doctor().problems
    return caught.value.message


def bundles_or_nothing(store):
    return [entity.name for entity in store.entities()]


def test_a_name_of_another_thing_is_a_conflict(store, other, file):
    """An alias that names something else here is not taken over in silence."""
    other.entity("tool", aliases=["gadget"])

    assert "gadget" in disagree(store, other, file)


def test_a_key_of_another_request_is_a_conflict(store, other, file):
    """An author's key that was used otherwise here cannot mean both."""
    other.observe("elsewhere", "x", key="o")

    assert "'o'" in disagree(store, other, file)


def test_a_scope_spelled_otherwise_is_a_conflict(store, other, tmp_path):
    """Envelopes name their scope: one that is an alias here would not verify."""
    other.entity("Atlas project", aliases=["atlas"])

    assert "atlas" in disagree(store, other, store.export(tmp_path / "x").path)


@pytest.mark.parametrize("kind", ["entity", "observation", "message"])
def test_one_id_for_two_things_is_a_conflict(store, other, file, kind):
    """A row of a known id that says something else is refused."""
    other.import_(file)
    mark = f'{{"{kind}":'.encode()

    def changed(rows):
        return [_other(row, kind) if row.startswith(mark) else row for row in rows]

    rewritten(file, changed)

    assert "another one here" in disagree(store, other, file)


def _other(line, kind):
    row = json.loads(line)
    row[kind]["digest" if kind == "entity" else "text_hash"] = "0" * 64
    return json.dumps(row).encode() + b"\n"


def test_what_agents_say_of_themselves_here_counts(store, other, file):
    """A registration made here is not replaced by one from elsewhere."""
    other.register_agent("critic", capabilities=["write"])
    other.import_(file)
    (critic,) = other.agents()

    assert ("write",) == critic.capabilities
    assert () == other.doctor().problems


def test_reports_tell_themselves_in_a_line(store, other, tmp_path):
    """Each report's repr says what was done and how much."""
    exported = store.export(tmp_path / "team.jsonl")
    lines = [
        repr(report)
        for report in (
            store.backup(tmp_path / "copy"),
            exported,
            other.import_(exported.path),
            other.import_(exported.path, dry_run=True),
            store.redact(store.scope(project="atlas").get(1), "$.events[0].summary",
                         reason="x", dry_run=True),
            store.prune(dry_run=True),
        )
    ]  # fmt: skip

    for line, words in zip(
        lines,
        (
            "2 scopes, 6 checkpoints",
            "6 checkpoint",
            "added",
            "would add nothing",
            "would redact $.events[0].summary",
            "would prune 1 checkpoints, 1 states",
        ),
        strict=True,
    ):
        assert words in line
