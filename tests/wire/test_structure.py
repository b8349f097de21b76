"""Arguments that come in as JSON."""

from __future__ import annotations

import pytest

from adapters._wire.signatures import Parameter
from adapters._wire.structure import arguments, pythonic
from hsum import Fault

TAKEN = {
    item.name: item
    for item in (
        Parameter("query", "text", required=True),
        Parameter("limit", "integer", default=10),
        Parameter("share", "number"),
        Parameter("verify", "flag", default=False),
        Parameter("evidence", "text", many=True),
        Parameter("merge_patch", "json"),
        Parameter("metadata", "json"),
        Parameter("acknowledge_retired", "flag", default=False),
        Parameter("parent", "json", required=True),
    )
}


def refused(given, **options):
    with pytest.raises(Fault) as caught:
        arguments(TAKEN, given, **options)
    assert "INVALID_ARGUMENT" == caught.value.code
    return {item["path"]: item["message"] for item in caught.value.details["faults"]}


def test_what_is_given_is_what_is_passed_on():
    """Nothing is added: the library's own defaults hold."""
    given = {"query": "q", "parent": None, "share": 1, "evidence": ["e"]}

    assert given == arguments(TAKEN, given)


def test_null_stands_for_nothing_given():
    """An optional argument that is null is left out."""
    found = arguments(TAKEN, {"query": "q", "parent": 1, "limit": None})

    assert {"query": "q", "parent": 1} == found


def test_all_faults_come_at_once_each_with_its_path():
    """An agent mends them in one round."""
    faults = refused(
        {
            "limit": "5",
            "verify": 1,
            "evidence": ["a", 2],
            "parent": 1,
            "typo": 0,
        }
    )

    assert {
        "$.query": "is missing",
        "$.limit": "must be an integer, not text",
        "$.verify": "must be true or false, not an integer",
        "$.evidence[1]": "must be text, not an integer",
        "$.typo": "is not known here",
    } == faults


def test_true_is_no_integer():
    """JSON's true is not 1."""
    faults = refused({"query": "q", "parent": 1, "limit": True})

    assert {"$.limit": "must be an integer, not true or false"} == faults


def test_camel_case_names_and_aliases():
    """hythe's clients spell names their way; the functions get Python's."""
    given = {
        "query": "q",
        "expectedRevision": 3,
        "statePatch": {"nextActions": ["a"]},
        "acknowledgeRetired": True,
        "metadata": {"any_key": {"a_b": 1}},
    }

    found = arguments(
        TAKEN,
        given,
        aliases={"expectedRevision": "parent", "statePatch": "merge_patch"},
        camelled=True,
    )

    assert {
        "query": "q",
        "parent": 3,
        "merge_patch": {"next_actions": ["a"]},
        "acknowledge_retired": True,
        "metadata": {"any_key": {"a_b": 1}},
    } == found


def test_python_names_are_not_json_names():
    """`next_actions` is no key of hythe's JSON; the fault tells the right one."""
    faults = refused(
        {"query": "q", "parent": 1, "mergePatch": {"next_actions": []}}, camelled=True
    )

    expected = "is not known here; it may be nextActions"
    assert {"$.mergePatch.next_actions": expected} == faults
    assert "$.merge_patch" in refused(
        {"query": "q", "parent": 1, "merge_patch": {}}, camelled=True
    )


def test_one_argument_under_two_names_is_refused():
    """Neither silently wins."""
    faults = refused(
        {"query": "q", "parent": 1, "expectedRevision": 2},
        aliases={"expectedRevision": "parent"},
    )

    assert {"$.expectedRevision": "is given under two names"} == faults


def test_items_of_lists_are_renamed_with_their_place():
    """The path names the item."""
    assert [{"due_at": "x"}, "y"] == pythonic([{"dueAt": "x"}, "y"])
    with pytest.raises(Fault) as caught:
        pythonic([{}, {"due_at": "x"}], "$.loops")

    assert "$.loops[1].due_at" == caught.value.details["path"]
