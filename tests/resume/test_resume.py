"""What `Scope.resume` shows of a real store."""

from __future__ import annotations

import hashlib
import json
import random

import attrs
import pytest
import rfc8785

import hythe
from hythe import Event, Fact, Loop
from hythe.checkpoint.legacy import Legacy, insert_legacy
from hythe.checkpoint.proof import rebuild
from hythe.checkpoint.scopes import At, list_scopes
from hythe.resume.wire import wire
from tests.resume.corpora import citation
from tests.resume.stores import STATE, follow, store_in_memory

RAND = random.Random(11)


def test_the_trace_ends_as_it_must(traced):
    """After a trace resume shows the accepted lineage, and the rest apart."""
    scope, _, second, other, merged, late = traced
    found = scope.resume()

    assert (merged.id, 4, "pointer", "reconciled") == (
        found.as_of.checkpoint,
        found.as_of.revision,
        found.as_of.selection,
        found.as_of.pointer_reason,
    )
    assert (2, 1, 1) == (
        found.as_of.live_heads,
        found.as_of.divergent_heads,
        found.as_of.retired_heads,
    )
    assert [(late.id, False), (merged.id, True)] == [
        (head.id, head.current) for head in found.heads
    ]
    assert ["90 ms"] == [fact.object for fact in found.current_facts]
    assert (merged.id, other.id) == (
        found.current_facts[0].provenance.checkpoint,
        found.current_facts[0].provenance.accepted_from,
    )
    assert [("measure cold", second.id)] == [
        (loop.next_action, loop.provenance.checkpoint) for loop in found.open_loops
    ]
    assert ["use tantivy"] == [made.summary for made in found.decisions]
    assert [("2 GB", late.id, late.id, "critic")] == [
        (value.value.object, value.checkpoint, value.head, value.author)
        for value in found.divergent_values
    ]
    assert (1, 1) == (found.as_of.divergent_values, found.as_of.resolved_values)
    assert found.complete
    assert STATE == found.working


def test_superseded_and_closed_values_are_left_out(store):
    """Superseded facts and closed loops are not shown, and are not counted."""
    scope = store.scope(project="atlas")
    first = scope.checkpoint(
        STATE, parent=None, facts=[Fact("a", "b", "c")], loops=[Loop("d")]
    )
    fact, loop = first.changes
    second = scope.record(
        first,
        facts=[Fact("a", "b", "c", id=fact, status="superseded")],
        loops=[Loop("d", id=loop, status="closed", outcome="done")],
    )
    found = scope.resume()

    assert ((), ()) == (found.current_facts, found.open_loops)
    assert (0, 0) == (
        found.coverage["current_facts"].total,
        found.coverage["open_loops"].total,
    )
    scope.record(second, loops=[Loop("d again", id=loop)])
    assert ["d again"] == [one.next_action for one in scope.resume().open_loops]


def test_the_newest_stand_first(store):
    """Facts, loops and decisions come newest first."""
    scope = store.scope(project="atlas")
    last = scope.checkpoint(STATE, parent=None)
    for number in range(100):
        last = scope.record(
            last,
            facts=[Fact("s", f"p{number}", "v")],
            loops=[Loop(f"l{number}")],
            events=[Event("decision", f"d{number}")],
        )
    found = scope.resume(budget=10**6)
    down = range(99, -1, -1)

    assert [f"p{n}" for n in down] == [fact.predicate for fact in found.current_facts]
    assert [f"l{n}" for n in down] == [loop.next_action for loop in found.open_loops]
    assert [f"d{n}" for n in down] == [made.summary for made in found.decisions]


def test_definitions_are_snapshots(store):
    """The parts of a scope show what they are, never their state."""
    store.entity("atlas", definition="the search project")
    scope = store.scope(project="atlas", task="index")
    scope.checkpoint(STATE, parent=None)
    store.observe("atlas", "is late")
    found = scope.resume()

    assert [("atlas", "the search project", True), ("index", None, True)] == [
        (one.name, one.definition, one.snapshot) for one in found.definition
    ]
    assert "is late" not in str(found)


def test_evidence_ends_with_the_snapshot(store):
    """The evidence section has the pointed checkpoint's evidence and its snapshot."""
    scope = store.scope(project="atlas")
    last = scope.checkpoint(STATE, parent=None, evidence=["a note", "a second"])
    *cited, snapshot = scope.resume().evidence

    assert ["a note", "a second"] == cited
    assert last.id in snapshot
    assert "hythe/1" == json.loads(store.fetch(snapshot).text)["envelope"]["format"]


def test_a_snapshot_has_the_state_and_the_envelope_that_was_hashed(store):
    """The state is there to be read, the envelope to be hashed again by anyone."""
    made = store.scope(project="atlas").checkpoint(
        attrs.evolve(STATE, next_actions=("é",)),
        parent=None,
        facts=[Fact("s", "p", "o")],
    )
    found = json.loads(store.fetch(f"hythe://snapshot/{made.id}").text)
    hashed = hashlib.sha256(rfc8785.dumps(found["envelope"])).hexdigest()

    assert made.content_hash == found["contentHash"] == hashed
    assert ["é"] == found["state"]["nextActions"]
    assert found["state"] == json.loads(
        store.fetch(f"hythe://value/{made.id}/state").text
    )
    assert "o" == found["envelope"]["facts"][0]["object"]


def test_an_unknown_scope_is_refused(store):
    """A scope that no checkpoint made cannot be resumed."""
    store.scope(project="atlas").checkpoint(STATE, parent=None)
    with pytest.raises(hythe.NotFound) as refused:
        store.scope(project="atlsa").resume()

    assert "SCOPE_UNKNOWN" == refused.value.code


def test_mail_to_the_caller_in_this_scope(store):
    """Handoffs stay until acknowledged, messages until read; both are the caller's."""
    scope = store.scope(project="atlas")
    scope.checkpoint(STATE, parent=None)
    critic = store.as_agent("critic")
    sent = critic.send("planner", "look at p95", scope=scope)
    critic.send("planner", "elsewhere")
    handed = critic.hand_off("planner", "yours now", scope=scope)
    found = scope.resume()

    assert ["look at p95"] == [message.text for message in found.messages]
    assert ["yours now"] == [message.text for message in found.handoffs]
    assert "from critic" in str(found)
    assert () == store.as_agent("critic").scope(project="atlas").resume().messages
    store.read([sent.id])
    store.read([handed.id])
    assert ((), 1) == (scope.resume().messages, len(scope.resume().handoffs))
    store.acknowledge([handed.id])
    assert () == scope.resume().handoffs


def test_the_flat_view_knows_no_lineages(traced):
    """Version 1 has the newest of each id by revision, without provenance."""
    scope, *_ = traced
    found = scope.resume(result_version=1)

    assert {"90 ms", "2 GB"} == {fact.object for fact in found.current_facts}
    assert [None, None] == [fact.provenance for fact in found.current_facts]
    assert () == found.divergent_values
    assert 1 == found.result_version == wire(found)["resultVersion"]


@pytest.mark.parametrize("version", [0, 2, 4, "3", None, True])
def test_other_result_versions_are_refused(traced, version):
    """Only 1 and 3 are served."""
    with pytest.raises(hythe.InvalidInput):
        traced[0].resume(result_version=version)


@pytest.mark.parametrize(
    "options",
    [
        {"count_tokens": 4},
        {"evidence_timeout_ms": -1},
        {"evidence_timeout_ms": 0.5},
        {"verify": 1},
        {"sections": ["head"]},
        {"cursor": "x"},
        {"budget": 511},
    ],
)
def test_wrong_options_are_refused(traced, options):
    """Each option is checked before anything is read."""
    with pytest.raises(hythe.InvalidInput):
        traced[0].resume(**options)


def test_evidence_is_checked_once_each():
    """With a resolver each delivered citation carries its states."""
    one, two = citation(RAND), citation(RAND)
    asked = []

    def resolver(text):
        asked.append(text)
        gone = text == two
        return {
            "source_state": "changed" if gone else "unchanged",
            "span_state": "gone" if gone else "intact",
        }

    with store_in_memory(evidence=resolver) as store:
        scope = store.scope(project="atlas")
        facts = [Fact("a", "b", "c", evidence=[one, two])]
        scope.checkpoint(STATE, parent=None, facts=facts, evidence=[one])
        asked.clear()
        found = scope.resume()

    assert [one, two] == asked
    assert (1, 0) == (found.as_of.stale_evidence, found.as_of.unchecked_evidence)
    assert ["intact", "gone"] == [
        cited.span_state for cited in found.current_facts[0].evidence
    ]


def test_a_checked_value_can_be_recorded_again():
    """A fact whose citations carry states is written as its plain texts."""
    state = {"source_state": "unchanged", "span_state": "intact"}
    with store_in_memory(evidence=lambda _: state) as store:
        scope = store.scope(project="atlas")
        cited = Fact("a", "b", "c", evidence=[citation(RAND)])
        last = scope.checkpoint(STATE, parent=None, facts=[cited])
        (fact,) = scope.resume().current_facts
        written = scope.record(last, facts=[fact.but(status="verified")])

        assert cited.evidence == scope.get(written).facts[0].evidence
        assert [str] == [type(text) for text in scope.get(written).facts[0].evidence]


def forget_pointer(store, revisions):
    """Turn the only scope into one that was imported without a pointer."""
    with store._storage.writing("importer") as (conn, _):
        conn.execute(
            "update scope set imported = ?, imported_pointer = 0", (revisions,)
        )
        for at, _ in list_scopes(conn, 1):
            rebuild(conn, at)


def test_without_a_pointer_the_newest_state_is_shown_and_nothing_accepted(
    traced, store
):
    """An imported scope shows its newest state, and its coverage says undesignated."""
    scope, *_, late = traced
    forget_pointer(store, late.revision)
    found = scope.resume()

    assert ("max-revision", late.id, None) == (
        found.as_of.selection,
        found.as_of.checkpoint,
        found.as_of.pointer_reason,
    )
    assert STATE == found.working
    assert ((), (), ()) == (found.current_facts, found.open_loops, found.decisions)
    for name in ("working", "current_facts", "open_loops", "decisions", "evidence"):
        assert "undesignated" == found.coverage[name].reason
    assert not found.complete
    assert found.next is None
    assert found.as_of.live_heads == found.as_of.divergent_heads == len(found.heads)


def test_legacy_values_are_apart_and_end_when_restated(store):
    """An imported value is legacy until the accepted lineage states or rejects it."""
    scope = store.scope(project="atlas")
    last = scope.checkpoint(STATE, parent=None)
    fields = attrs.asdict(Fact("old", "says", "so", id="f1"))
    del fields["provenance"]
    with store._storage.writing("importer") as (conn, stamp):
        for number in range(70):
            value = {**fields, "id": f"f{number}", "object": "o" * number}
            insert_legacy(
                conn, At(1, 1), stamp, Legacy("fact", f"f{number}", number, value)
            )
    found = scope.resume(budget=10**6)

    assert [f"f{n}" for n in range(70)] == [one.id for one in found.legacy_values]
    assert () == found.current_facts
    pages = follow(scope, 900, sections=["legacy_values"])
    assert found.legacy_values == tuple(
        one for page in pages for one in page.legacy_values
    )
    scope.record(last, facts=[Fact("old", "says", "no", id="f1")])
    found = scope.resume(budget=10**6)
    assert 69 == found.coverage["legacy_values"].total
    assert ["no"] == [fact.object for fact in found.current_facts]


def test_a_large_legacy_value_is_read_by_its_handle(store):
    """A legacy value has a handle as any other."""
    scope = store.scope(project="atlas")
    scope.checkpoint(STATE, parent=None)
    value = attrs.asdict(Loop("x" * 9_000, id="l1"))
    del value["provenance"]
    with store._storage.writing("importer") as (conn, stamp):
        insert_legacy(conn, At(1, 1), stamp, Legacy("loop", "l1", 0, value))
    (one,) = scope.resume(budget=1_000).oversize

    assert "legacy_values" == one.section
    assert one.bytes == len(store.fetch(one.handle).data)
    with pytest.raises(hythe.NotFound):
        store.fetch(one.handle.replace("legacy/0", "legacy/1"))
