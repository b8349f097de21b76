"""What may be written: every fault at once, each with its path."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from hythe import Event, Fact, HytheError, Loop, Resolution, State
from hythe.checkpoint.request import MAX_CHANGES
from tests.checkpoint.worlds import STATE, code, refusal, state, store


@pytest.fixture
def scope():
    with store() as made:
        yield made.scope(project="atlas")


def paths(error):
    return [fault["path"] for fault in error.details["faults"]]


def test_mappings_stand_for_values(scope):
    """States, facts, loops and events may be mappings of their fields."""
    made = scope.checkpoint(
        {"objective": "o", "status": "s", "owner": "w", "blockers": ["b"]},
        parent=None,
        facts=[{"subject": "a", "predicate": "is", "object": "b"}],
        loops=[{"next_action": "look", "due_at": "2026-01-01T00:00:00+01:00"}],
        events=[{"kind": "decision", "summary": "go"}],
    )

    assert made.state == State("o", "s", "w", blockers=["b"])
    assert made.facts == (Fact("a", "is", "b", id=made.changes.facts[0]),)
    assert made.loops[0].due_at == datetime(2025, 12, 31, 23, tzinfo=UTC)
    assert made.events == (Event("decision", "go"),)


def test_every_fault_is_named_with_its_path(scope):
    """One refusal names all that is wrong, wherever it stands."""
    error = refusal(
        scope.checkpoint,
        State("o", 5, None, "not a list"),
        parent=1.5,
        facts=[
            Fact("", "is", 7, evidence="one"),
            {"subject": "a", "object": "b", "colour": "red"},
        ],
        loops=[Loop("x", status="closed"), Loop("x", status="lost")],
        events="none",
    )

    assert error.code == "INVALID_ARGUMENT"
    assert paths(error) == [
        "$.state.status",
        "$.state.owner",
        "$.state.next_actions",
        "$.parent",
        "$.facts[0].subject",
        "$.facts[0].object",
        "$.facts[0].evidence",
        "$.facts[1].predicate",
        "$.facts[1].colour",
        "$.loops[0].outcome",
        "$.loops[1].status",
        "$.events",
    ]


NAIVE = datetime(2026, 1, 1)  # noqa: DTZ001 - what is refused


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (
            {"facts": [Fact("a", "b", "c", effective_at=NAIVE)]},
            ".facts[0].effective_at",
        ),
        ({"events": [Event("a", "b", at="yesterday")]}, ".events[0].at"),
        ({"loops": [Loop("a", due_at=5.5)]}, ".loops[0].due_at"),
        ({"key": ""}, ".key"),
        ({"key": "k" * 201}, ".key"),
        ({"evidence": [None]}, ".evidence[0]"),
        ({"acknowledge_retired": "yes"}, ".acknowledge_retired"),
        ({"facts": [5]}, ".facts[0]"),
        ({"facts": [{5: "a"}]}, ".facts[0]"),
        ({"parent": True}, ".parent"),
        ({"facts": 5}, ".facts"),
        ({"events": {"kind": "a"}}, ".events"),
    ],
)
def test_a_fault_has_its_path(scope, change, path):
    """What has the wrong type or form is named by where it stands."""
    error = refusal(scope.checkpoint, STATE, **{"parent": None, **change})

    assert ("INVALID_ARGUMENT", [f"${path}"]) == (error.code, paths(error))


def test_lone_surrogates_are_refused_with_their_path(scope):
    """Text that UTF-8 cannot carry is `TEXT_INVALID`, wherever it stands."""
    broken = "a\ud800"
    errors = [
        refusal(scope.checkpoint, state(broken), parent=None),
        refusal(scope.checkpoint, STATE, parent=None, facts=[Fact("a", "b", broken)]),
        refusal(scope.checkpoint, STATE, parent=None, evidence=[broken]),
        refusal(scope.patch, None, {"status": broken}),
    ]

    assert {"TEXT_INVALID"} == {error.code for error in errors}
    assert [error.details["path"] for error in errors] == [
        "$.state.status",
        "$.facts[0].object",
        "$.evidence[0]",
        "$.status",
    ]


def test_large_texts_and_calls_are_refused(scope):
    """A text over 16 MiB, a call over 64 MiB or 10,000 changes is `TOO_LARGE`."""
    most = "x" * (16 * 1024 * 1024)
    one = refusal(scope.checkpoint, state(most + "x"), parent=None)
    four = [Fact("a", "b", most)] * 4
    call = refusal(scope.checkpoint, STATE, parent=None, facts=four)
    many = [Event("note", "n")] * (MAX_CHANGES + 1)
    changes = refusal(scope.checkpoint, STATE, parent=None, events=many)

    assert ["TOO_LARGE"] * 3 == [one.code, call.code, changes.code]
    assert one.details["path"] == "$.state.status"


def test_the_most_that_is_allowed_is_taken(scope):
    """A call with exactly 10,000 changes is written whole."""
    made = scope.checkpoint(
        STATE, parent=None, facts=[Fact("a", "b", str(n)) for n in range(MAX_CHANGES)]
    )

    assert (
        MAX_CHANGES == len(set(made.changes)) == scope.resume().as_of.revision * 10_000
    )


def test_an_id_is_changed_once_in_a_call(scope):
    """The same id twice in one call is `DUPLICATE_ID`."""
    first = scope.checkpoint(STATE, parent=None, facts=[Fact("a", "is", "b")])
    (fact,) = first.facts
    changes = [fact.but(object="c"), fact.but(object="d")]

    assert "DUPLICATE_ID" == code(scope.record, first, facts=changes)


def test_equal_facts_without_ids_are_two_facts(scope):
    """Subject and predicate identify nothing."""
    made = scope.checkpoint(STATE, parent=None, facts=[Fact("a", "is", "b")] * 2)

    assert 2 == len(set(made.changes.facts)) == len(scope.resume().current_facts)


def test_evidence_is_anything_whose_str_is_one(scope):
    """A citation is kept as its text."""

    class Citation:
        def __str__(self):
            return "hsum://v1/a"

    made = scope.checkpoint(
        STATE,
        parent=None,
        evidence=[Citation()],
        facts=[Fact("a", "is", "b", evidence=[Citation(), "a book"])],
    )

    assert made.evidence == ("hsum://v1/a",)
    assert made.facts[0].evidence == ("hsum://v1/a", "a book")


def test_times_are_kept_to_the_microsecond_in_utc(scope):
    """An aware time comes back as the same moment."""
    at = datetime(
        2026, 3, 1, 12, 0, 0, 123456, timezone(timedelta(hours=5, minutes=30))
    )
    made = scope.checkpoint(
        STATE, parent=None, facts=[Fact("a", "is", "b", effective_at=at)]
    )
    (fact,) = scope.get(made.id).facts

    assert (at, UTC) == (fact.effective_at, fact.effective_at.tzinfo)


def test_the_callers_objects_are_not_changed(scope):
    """Mappings and lists that were passed stay as they were."""
    patch = {"status": "red", "blockers": ["b"]}
    facts = [{"subject": "a", "predicate": "is", "object": "b"}]
    first = scope.checkpoint(STATE, parent=None, facts=facts)
    made = scope.patch(first, patch)

    assert patch == {"status": "red", "blockers": ["b"]}
    assert facts == [{"subject": "a", "predicate": "is", "object": "b"}]
    assert (made.state.status, made.state.blockers) == ("red", ("b",))


def test_a_deep_patch_is_refused(scope):
    """A patch nested beyond what Python recurses is refused, not a crash."""
    first = scope.checkpoint(STATE, parent=None)
    deep = {}
    for _ in range(100_000):
        deep = {"a": deep}

    assert "TOO_LARGE" == code(scope.patch, first, deep)


@pytest.mark.parametrize(
    ("patch", "path"),
    [
        ({"status": None}, "$.status"),
        ({"status": 5}, "$.status"),
        ({"status": {"a": 1}}, "$.status"),
        ({"blockers": "none"}, "$.blockers"),
        ({"blockers": ["a", None]}, "$.blockers[1]"),
        ({"mood": "good"}, "$.mood"),
        (["a"], "$"),
        (None, "$"),
    ],
)
def test_a_patch_must_leave_a_whole_state(scope, patch, path):
    """A patch whose result is no valid state is refused with the path."""
    first = scope.checkpoint(STATE, parent=None)
    error = refusal(scope.patch, first, patch)

    assert ("PATCH_INVALID", path) == (error.code, error.details["path"])
    assert scope.current() == first


def test_an_empty_patch_and_an_empty_record_advance(scope):
    """`patch({})` and a record of nothing are legal, and keep the state."""
    first = scope.checkpoint(STATE, parent=None)
    second = scope.patch(first, {})
    third = scope.record(second)

    assert (first.state, "advanced") == (second.state, second.outcome)
    assert (first.state, 3) == (third.state, third.revision)


@pytest.mark.parametrize(
    "resolution",
    [
        {"kind": "fact", "id": "x", "checkpoint": 1},
        Resolution("rumour", "x", 1, "accept"),
        Resolution("fact", "x", 1, "maybe"),
        Resolution("fact", "x", None, "accept"),
        Resolution("fact", "x", 99, "accept"),
        Resolution("fact", "x", 1, "accept"),
    ],
)
def test_a_resolution_decides_what_is_owed(scope, resolution):
    """A resolution that is malformed, or of what is not owed, is refused."""
    first = scope.checkpoint(STATE, parent=None)
    error = refusal(
        scope.reconcile,
        heads=[first],
        pointer=first,
        survivor=first,
        state=STATE,
        reason="none",
        resolutions=[resolution],
    )

    assert "INVALID_ARGUMENT" == error.code


def test_a_refusal_is_an_error_of_ours(scope):
    """What is refused is a HytheError with code, message, hint and details."""
    error = refusal(scope.checkpoint, 5, parent=None)

    assert isinstance(error, HytheError)
    assert all((error.code, error.message, error.hint, error.details))


def test_many_faults_are_counted(scope):
    """A refusal shows the first twenty faults, and how many more there are."""
    error = refusal(scope.checkpoint, STATE, parent=None, facts=[5] * 30)

    assert 20 == len(error.details["faults"])
    assert error.message.endswith("and 10 more")


def test_a_reconcile_names_checkpoints(scope):
    """Heads and survivor must name something, and rejected lineages a divergent end."""
    first = scope.checkpoint(STATE, parent=None)
    asked = {"heads": [first], "pointer": first, "state": STATE, "reason": "r"}
    nothing = refusal(scope.reconcile, **{**asked, "heads": [None]}, survivor=None)
    itself = refusal(scope.reconcile, **asked, survivor=first, reject_lineages=[first])
    other = refusal(scope.reconcile, **asked, survivor=first, reject_lineages=["x"])

    assert paths(nothing) == ["$.heads[0]", "$.survivor"]
    assert ["$.reject_lineages"] * 2 == [e.details["path"] for e in (itself, other)]
    assert "INVALID_ARGUMENT" == code(scope.get, None)
    assert "INVALID_ARGUMENT" == code(scope.history, wait=1)
    assert "INVALID_ARGUMENT" == code(scope.history, after=1, wait=-1)
    assert "INVALID_ARGUMENT" == code(scope.history, after=-1)
