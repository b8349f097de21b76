"""The table of operations, cell by cell, without a store."""

from __future__ import annotations

import pytest

from hsum._kernel.faults import Fault
from hythe.checkpoint.decide import (
    Parent,
    Refused,
    Standing,
    decide,
    decide_reconcile,
)

EMPTY = Standing()
POINTED = Standing(revisions=4, pointer=3)
UNDESIGNATED = Standing(revisions=4)


def decided(operation, standing, parent="none", *, retired=False, acknowledged=False):
    revision = parent if isinstance(parent, int) else None
    try:
        found = decide(
            operation,
            standing,
            named=parent != "none",
            parent=None if revision is None else Parent(revision, retired=retired),
            acknowledge_retired=acknowledged,
        )
    except Fault as fault:
        return fault.code
    return set(found.reasons) if isinstance(found, Refused) else found


@pytest.mark.parametrize(
    ("operation", "standing", "parent", "expected"),
    [
        ("write", POINTED, 3, "advanced"),
        ("write", POINTED, 2, "branched"),
        ("write", POINTED, 4, "branched"),
        ("write", POINTED, "unknown", {"unknown-parent"}),
        ("write", POINTED, "none", {"scope-not-empty"}),
        ("write", EMPTY, "none", "advanced"),
        ("write", EMPTY, "unknown", {"unknown-parent"}),
        ("record", POINTED, 3, "advanced"),
        ("record", POINTED, 2, {"not-current"}),
        ("record", POINTED, 4, {"not-current"}),
        ("record", POINTED, "unknown", {"unknown-parent"}),
        ("record", POINTED, "none", {"scope-not-empty"}),
        ("record", EMPTY, "none", "SCOPE_EMPTY"),
        ("patch", POINTED, 3, "advanced"),
        ("patch", POINTED, 2, {"not-current"}),
        ("patch", EMPTY, "none", "SCOPE_EMPTY"),
        ("patch", EMPTY, "unknown", {"unknown-parent"}),
        ("write", UNDESIGNATED, 2, "branched"),
        ("write", UNDESIGNATED, "none", {"scope-not-empty"}),
        ("record", UNDESIGNATED, 2, {"undesignated"}),
        ("patch", UNDESIGNATED, "unknown", {"unknown-parent", "undesignated"}),
        ("record", UNDESIGNATED, "none", {"scope-not-empty", "undesignated"}),
    ],
)
def test_the_table_of_operations(operation, standing, parent, expected):
    """Each operation on each kind of parent does what the table says."""
    assert expected == decided(operation, standing, parent)


def test_a_retired_parent_needs_the_acknowledgement():
    """A write on a retired checkpoint is refused, and branches when acknowledged."""
    refused = decided("write", POINTED, 2, retired=True)
    branched = decided("write", POINTED, 2, retired=True, acknowledged=True)

    assert ("PARENT_RETIRED", "branched") == (refused, branched)


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({}, None),
        ({"heads": [3]}, {"heads-changed"}),
        ({"heads": [3, 4, 2]}, {"heads-changed"}),
        ({"heads": [3, None]}, {"heads-changed"}),
        ({"pointer": 4}, {"pointer-changed"}),
        ({"pointer": 0}, {"pointer-changed"}),
        ({"pointer": None, "heads": [4]}, {"heads-changed", "pointer-changed"}),
        ({"survivor": None}, {"unknown-parent"}),
        ({"survivor": 2}, "INVALID_ARGUMENT"),
    ],
)
def test_a_reconcile_names_exactly_what_is_there(named, expected):
    """Heads and pointer must be the real ones, and the survivor one of the heads."""
    asked = {"heads": [4, 3], "pointer": 3, "survivor": 3, **named}
    try:
        found = decide_reconcile(POINTED, live={3, 4}, **asked)
    except Fault as fault:
        found = fault.code
    reasons = set(found.reasons) if isinstance(found, Refused) else found

    assert expected == reasons
