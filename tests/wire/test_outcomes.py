"""Faults and outcomes as JSON, and evidence for hythe."""

from __future__ import annotations

import pytest

import hsum
import hythe
from adapters._wire import meanings
from adapters._wire.evidence import resolver
from adapters._wire.faults import fault_json
from adapters._wire.hsum_verbs import VERBS as HSUM_VERBS
from adapters._wire.hythe_json import document, encode
from adapters._wire.hythe_verbs import CHECKPOINT_CALLS, VERBS
from adapters._wire.outcomes import refused, written
from adapters._wire.verbs import of_command, of_tool

STATE = {"objective": "o", "status": "s", "owner": "w", "next_actions": ["a"]}


@pytest.fixture
def scope():
    """A scope with one checkpoint, in memory."""
    with hythe.in_memory(agent="planner") as store:
        scope = store.scope(project="atlas")
        scope.checkpoint(STATE, parent=None)
        yield scope


def test_a_write_tells_what_it_did(scope):
    """Advanced, branched or replayed: three answers of one shape."""
    advanced = written(scope.record(1, key="k"), encode)
    replayed = written(scope.record(1, key="k"), encode)
    branched = written(scope.checkpoint(STATE, parent=1), encode)

    assert ("written", True) == (advanced["outcome"], advanced["advanced"])
    assert ("idempotent-replay", True) == (replayed["outcome"], replayed["advanced"])
    assert ("written", False) == (branched["outcome"], branched["advanced"])
    assert ["a"] == branched["checkpoint"]["state"]["nextActions"]


def test_a_conflict_is_a_result_of_its_own(scope):
    """It has all that a retry needs, and nothing else is taken for one."""
    with pytest.raises(hythe.Conflict) as conflict:
        scope.record(9)
    with pytest.raises(hythe.InvalidInput) as invalid:
        scope.patch(1, {"status": None})

    outcome = refused(conflict.value)
    names = ["outcome", "reasons", "heads", "headCount", "pointer", "untrustedContent"]
    assert names == list(outcome)
    assert 1 == outcome["headCount"]
    assert outcome["heads"][0]["recordedAt"].endswith("Z")
    assert refused(invalid.value) is None


def test_another_request_under_a_key_is_a_mismatch(scope):
    """No content of the first one is shown."""
    scope.record(1, key="k")
    with pytest.raises(hythe.Taken) as taken:
        scope.record(1, key="k", facts=[hythe.Fact("a", "b", "c")])

    mismatch = {"outcome": "idempotency-mismatch", "untrustedContent": True}
    assert mismatch == refused(taken.value)


def test_faults_speak_as_their_callers_do(scope):
    """Paths of hythe's faults are camelCase in its JSON."""
    with pytest.raises(hythe.InvalidInput) as caught:
        scope.checkpoint({**STATE, "next_actions": 5}, parent=1)

    data = fault_json(caught.value, camelled=True)
    assert "$.state.nextActions" == data["details"]["faults"][0]["path"]
    assert "$.state.nextActions" in data["message"]
    assert {"code", "message", "hint", "retryable", "details"} == set(data)


def test_a_fault_is_always_utf8():
    """What came in broken does not go out broken."""
    fault = hsum.Fault("INVALID_ARGUMENT", "x\udcff", details={"a": ["\ud800"]})

    data = fault_json(fault)

    assert "x\\xff" == data["message"]
    assert {"a": ["\\ud800"]} == data["details"]


def test_recorded_text_is_marked_wherever_it_leaves(scope):
    """Every document of hythe says that it is data."""
    resume = of_command(VERBS, "resume")
    heads = of_command(VERBS, "heads")

    assert document(resume, scope.resume())["untrustedContent"] is True
    assert document(heads, scope.heads())["untrustedContent"] is True


def test_a_plan_spells_names_as_all_json_does(scope):
    """State fields and arguments are camelCase there, too."""
    scope.checkpoint({**STATE, "next_actions": []}, parent=1)
    scope.checkpoint({**STATE, "next_actions": ["b"]}, parent=1)
    plan = encode(scope.plan_reconcile())

    assert "nextActions" in plan["differing"]
    assert "nextActions" in plan["request"]["state"]


@pytest.mark.parametrize("verb", [*VERBS, *HSUM_VERBS], ids=lambda verb: verb.function)
def test_every_verb_names_one_function_and_explains_its_options(verb):
    """The table has no stale row and no option without a meaning."""
    hsums = verb.function.startswith("hsum")
    known = meanings.HSUM if hsums else meanings.HYTHE
    parameters = verb.parameters()
    named = (*verb.words, *verb.optional, *verb.required, *verb.texts)

    assert callable(verb.resolve())
    assert set() == set(named) - set(parameters)
    if verb.command is not None:
        options = set(parameters) - set(verb.words) - {"scope"}
        assert set() == options - set(known)
        assert verb.examples


@pytest.mark.parametrize("table", [VERBS, HSUM_VERBS])
def test_each_function_command_and_tool_stands_once(table):
    """One name, one row."""
    for names in (
        [verb.function for verb in table],
        [verb.command for verb in table if verb.command],
        [verb.tool for verb in table if verb.tool],
    ):
        assert sorted(set(names)) == sorted(names)


def test_checkpoint_calls_are_commands_and_tools():
    """The calls with outcomes are known under one name everywhere."""
    for name in CHECKPOINT_CALLS:
        assert of_command(VERBS, name) is of_tool(VERBS, name)


def test_evidence_is_looked_up_in_the_users_indexes(tmp_path, monkeypatch):
    """A citation that stands is verified; one that is nowhere has no answer."""
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text("lantern\n", encoding="utf-8")
    citation = str(hsum.initialize(root).hits[0].citation)
    elsewhere = citation.replace(citation[10:46], "0" * 8 + citation[18:46])

    found = resolver(citation)

    assert ("unchanged", "intact") == (found.source_state, found.span_state)
    assert resolver(elsewhere) is None
    assert resolver("hsum://v1/nonsense") is None
