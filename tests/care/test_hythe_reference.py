"""A store of HYTHE 0.1.x comes in whole: bytes and hashes kept, facts as legacy."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing

import pytest

import hythe
from tests.care import reference_store


@pytest.fixture
def old(tmp_path):
    """The file of such a store."""
    reference_store.make(tmp_path / "old.db")
    return tmp_path / "old.db"


@pytest.fixture
def store(tmp_path):
    """A new store of ours."""
    with hythe.open(tmp_path / "team.hythe", agent="critic") as one:
        yield one


def test_payloads_keep_bytes_format_and_hashes(store, tmp_path):
    """Each checkpoint has its id, its hash, and byte for byte what was recorded."""
    made = reference_store.make(tmp_path / "old.db")
    store.import_(tmp_path / "old.db")
    scope = store.scope(project="atlas")
    found = {key: store.fetch(f"hythe://snapshot/{key}").data for key in made}

    assert made == found
    for key, body in made.items():
        assert hashlib.sha256(body).hexdigest() == scope.get(key).content_hash
    assert () == store.doctor().problems


def test_the_pointer_comes_along(store, old):
    """The pointed checkpoint is current, the other one a branch that was left."""
    store.import_(old)
    scope = store.scope(project="atlas")

    assert ("s2", "step 2 é") == (scope.current().id, scope.current().state.objective)
    assert {"s2", "s3"} == {head.id for head in scope.heads()}
    assert 1_777_629_602 == scope.current().recorded_at.timestamp()


def test_without_a_pointer_it_stays_undesignated(store, tmp_path):
    """No one decides for it: reconcile gives it a pointer."""
    reference_store.make(tmp_path / "old.db", pointer=False)
    store.import_(tmp_path / "old.db")
    scope = store.scope(project="atlas")

    assert scope.current() is None
    assert "max-revision" == scope.resume().as_of.selection
    plan = scope.plan_reconcile(survivor="s2")
    scope.reconcile(**plan.request, reason="go on")
    assert scope.current().parent == "s2"


def test_facts_and_loops_are_legacy_values(store, old):
    """They are reported apart until they are restated."""
    store.import_(old)
    scope = store.scope(project="atlas")
    before = scope.resume()
    fact = hythe.Fact("search", "p95", "35 ms", id="f1")
    scope.record(scope.current(), facts=[fact])

    assert ["f1", "l1"] == [item.value.id for item in before.legacy_values]
    assert () == before.current_facts
    assert ["l1"] == [item.value.id for item in scope.resume().legacy_values]


def test_memory_comes_with_its_corrections(store, old):
    """Observations keep ids and what they supersede; names that had no row get one."""
    store.import_(old)
    current = store.current_observation("bill")

    assert ("o2", "uses PG 16", "critic") == (
        current.observation.id, current.observation.text, current.observation.author,
    )  # fmt: skip
    assert 0 == current.also_live_count
    assert "x\ny" == store.current_observation("unheard of").observation.text
    assert "service" == store.get_entity("billing").kind
    assert ["uses"] == [edge.type for edge in store.detail("billing").relations]


def test_mail_keeps_what_was_read(store, old):
    """Read messages are read; a handoff stays for everyone until acknowledged."""
    store.import_(old)
    told = store.scope(project="atlas").resume()

    assert ["m2"] == [message.id for message in told.messages]
    assert ["go on\n- tests"] == [handoff.text for handoff in told.handoffs]
    assert "m2" == store.message("m1").superseded_by


def test_twice_is_once(store, old):
    """The same store again adds nothing."""
    store.import_(old)

    assert {} == dict(store.import_(old).added)


def test_it_says_what_it_left_out(store, old):
    """Rows that have no place here are counted by what they are."""
    with closing(sqlite3.connect(old)) as conn, conn:
        conn.execute("create table tasks(id text)")
        conn.execute("insert into tasks values ('t1'), ('t2')")

    assert {"preference": 1, "tasks": 2} == dict(store.import_(old).skipped)


def test_rows_of_another_shape_are_refused(store, old):
    """A payload that is no envelope brings nothing in, and no traceback."""
    body = b"[]"
    found = hashlib.sha256(body).hexdigest()
    with closing(sqlite3.connect(old)) as conn, conn:
        conn.execute(
            "update eng4_payloads set body = ?, content_hash = ?", (body, found)
        )
        conn.execute("update eng4_state_snapshots set content_hash = ?", (found,))
    with pytest.raises(hythe.InvalidInput):
        store.import_(old)

    assert () == store.entities().items


def test_it_can_be_exported_and_imported(store, old, tmp_path):
    """What came in leaves like everything else."""
    store.import_(old)
    with hythe.open(tmp_path / "next", agent="critic") as other:
        other.import_(store.export(tmp_path / "out.jsonl").path)

        assert str(store.scope(project="atlas").resume(verify=True)) == str(
            other.scope(project="atlas").resume(verify=True)
        )
        assert () == other.doctor().problems


def test_a_dry_run_changes_nothing(store, old):
    """It reads all, counts, and leaves the store empty."""
    report = store.import_(old, dry_run=True)

    assert 3 == report.added["checkpoint"]
    assert () == store.entities().items


def test_a_changed_payload_is_refused(store, old):
    """A payload that its hash does not fit brings nothing in."""
    with closing(sqlite3.connect(old)) as conn, conn:
        conn.execute("update eng4_payloads set body = replace(body, 'step', 'stop')")
        conn.execute("update eng4_payloads set body = cast(body as blob)")
    with pytest.raises(hythe.Damaged):
        store.import_(old)

    assert () == store.entities().items


def test_several_tenants_are_refused(store, tmp_path):
    """A store is one trust domain: rows of several tenants are not mixed."""
    reference_store.make(tmp_path / "old.db", tenants=("default", "other"))
    with pytest.raises(hythe.InvalidInput) as caught:
        store.import_(tmp_path / "old.db")

    assert ["default", "other"] == caught.value.details["tenants"]


def test_another_database_is_refused(store, tmp_path):
    """A database of something else is named as such."""
    with closing(sqlite3.connect(tmp_path / "x.db")) as conn, conn:
        conn.execute("create table x(y)")
    with pytest.raises(hythe.InvalidInput):
        store.import_(tmp_path / "x.db")


def test_odd_rows_are_read_as_well_as_can_be(store, old):
    """Times, names, events and handoffs that fit nowhere do not stop the rest."""
    with closing(sqlite3.connect(old)) as conn, conn:
        conn.execute("update shared_memory set created_at = 'long ago' where id = 'o1'")
        conn.executemany(
            "insert into shared_memory(id, tenant_id, memory_type, content, created_by) "
            "values (?, 'default', ?, ?, 'x')",
            [
                ("o9", "observation", '{"contents": ["of nothing"]}'),
                ("r9", "relation", '{"from": "atlas"}'),
                ("o8", "observation", "not json"),
            ],
        )
        conn.execute(
            "insert into eng4_scopes values ('default', 't:gone', null, 'gone', null)"
        )
        conn.executemany(
            "insert into session_handoffs values (?, ?, 'planner', 'x', null, ?, ?, 0, "
            "null)",
            [
                ("h2", "no such project", "2026-05-02", None),
                ("h3", "billing", "2026-05-02", "2026-05-03"),
            ],
        )
        conn.execute(
            "insert into eng4_handoff_acks values ('default', 'h1', 'critic', ?)",
            ("2026-05-04T00:00:00.000Z",),
        )
    report = store.import_(old)

    assert 1 == report.skipped["observation without an entity"]
    assert 1 == report.skipped["relation without ends"]
    assert 1 == report.skipped["handoff of an unknown project"]
    assert store.scope(task="gone").resume().working is None
    assert () == store.scope(project="atlas").resume().handoffs
    assert () == store.scope(project="billing").resume().handoffs
    assert () == store.doctor().problems


def test_events_of_any_shape_are_kept_as_text(store, tmp_path):
    """An event without a summary is shown as the JSON it is."""
    events = [
        "plain",
        {"type": "note", "detail": 1},
        {"kind": "decision", "summary": "go"},
    ]
    body = reference_store.payload(1, events=events)
    reference_store.make(tmp_path / "old.db")
    with closing(sqlite3.connect(tmp_path / "old.db")) as conn, conn:
        found = hashlib.sha256(body).hexdigest()
        conn.execute(
            "update eng4_state_snapshots set content_hash = ? where state_id = 's1'",
            (found,),
        )
        conn.execute(
            "insert into eng4_payloads values ('default', ?, 'e', 'j', null, ?, 't', ?)",
            (found, len(body), body),
        )
    store.import_(tmp_path / "old.db")
    events = store.scope(project="atlas").get("s1").events

    assert ["plain", '{"detail":1,"type":"note"}', "go"] == [e.summary for e in events]
