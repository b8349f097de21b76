"""Coverage says of every section how much is here, and why not more."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum._kernel.faults import Fault
from hythe.resume.coverage import covered
from hythe.resume.cursors import read_cursor
from hythe.resume.sections import SECTIONS, Section, requested
from tests.resume.pages import BOUND, answer, fact, follow, page

REASONS = ["none", "budget", "cursor", "not-requested", "oversize", "undesignated"]


@given(
    st.integers(0, 9),
    st.integers(0, 9),
    st.sampled_from(["none", "cursor", "not-requested", "undesignated"]),
    st.booleans(),
    st.booleans(),
)
def test_complete_iff_all_is_included(included, more, asked, unread, oversize):
    """A section is complete iff included = total, and only then the reason is none."""
    found = covered(
        included, included + more, asked=asked, unread=unread, oversize=oversize
    )

    assert (more == 0) == found.complete == (found.reason == "none")
    assert found.reason in REASONS


def test_every_section_always():
    """Every answer covers all eleven sections, in the contract's order."""
    answers = follow(page(facts=[fact(n) for n in range(30)]), 700)

    assert all(SECTIONS == tuple(found.coverage) for found in answers)


def test_included_is_what_was_delivered():
    """The included count of a section is the number of its values."""
    for found in follow(page(facts=[fact(n) for n in range(30)]), 700):
        for name in SECTIONS[2:]:
            assert len(getattr(found, name)) == found.coverage[name].included


def test_sections_not_asked_for_say_so():
    """A section that was not requested says so, unless it is empty."""
    asked = attrs.evolve(page(facts=[fact(1)]), asked=("heads",))
    found = answer(asked, 4_000)

    assert "0/1 not-requested" == str(found.coverage["current_facts"])
    assert "0/0" == str(found.coverage["messages"])
    assert found.coverage["heads"].complete


def test_a_cursor_continues_one_section():
    """A page of a cursor holds one section; the others say `cursor`."""
    first, second, *_ = follow(page(facts=[fact(n) for n in range(30)]), 900)

    assert "budget" == first.coverage["current_facts"].reason
    assert second.current_facts
    assert second.working is None
    assert {"cursor"} == {second.coverage[name].reason for name in ("working", "heads")}


def test_the_last_page_says_that_earlier_ones_hold_the_rest():
    """The last page of a section is not complete: earlier pages hold the rest."""
    last = follow(page(facts=[fact(n) for n in range(30)]), 900)[-1]

    assert "cursor" == last.coverage["current_facts"].reason
    assert last.next is None


def test_without_a_pointer_nothing_is_accepted():
    """Where no pointer designates a lineage its sections say `undesignated`."""
    asked = page()
    sections = {
        **asked.sections,
        "current_facts": Section("current_facts", 3, 1, lambda _: iter(()), False),
        "working": attrs.evolve(asked.sections["working"], designated=False),
    }
    found = answer(attrs.evolve(asked, sections=sections), 4_000)

    assert "0/3 undesignated" == str(found.coverage["current_facts"])
    assert "0/1 undesignated" == str(found.coverage["working"])
    assert found.working is not None


@pytest.mark.parametrize("wrong", ["nothing", ["heads", "head"], 4, [None], {"a": 1}])
def test_unknown_sections_are_refused(wrong):
    """Only names of sections are taken."""
    with pytest.raises(Fault) as refused:
        requested(wrong)

    assert "$.sections" == refused.value.details["path"]


def test_sections_come_in_the_contract_s_order():
    """Whatever the order asked for, the answer keeps its own."""
    assert ("heads", "messages") == requested(["messages", "heads", "heads"])
    assert ("heads",) == requested("heads")
    assert SECTIONS == requested(None)


def test_a_change_to_the_section_makes_its_cursor_stale():
    """Only a change to the continued section makes a cursor stale."""
    facts = [fact(n) for n in range(30)]
    places = read_cursor(BOUND, answer(page(facts=facts), 900).next)
    changed = attrs.evolve(page(facts=facts, mark=8), places=places)
    with pytest.raises(Fault) as refused:
        answer(changed, 900)

    assert "STALE_CURSOR" == refused.value.code
    assert "current_facts" == refused.value.details["section"]
    same = attrs.evolve(page(facts=facts, heads=9), places=places)
    assert answer(same, 900).current_facts


def test_a_cursor_of_another_call_is_refused():
    """A cursor bound to another caller, scope or version is refused."""
    token = answer(page(facts=[fact(n) for n in range(30)]), 900).next
    with pytest.raises(Fault) as refused:
        read_cursor("another", token)

    assert "INVALID_ARGUMENT" == refused.value.code


def test_reprs_are_one_line():
    """Values tell their state on one line."""
    found = answer(page(facts=[fact(1, "x" * 99_000)]), 900)
    shown = [*found.coverage.values(), *found.oversize, *found.definition, found.as_of]

    assert "<Coverage 0/1 oversize>" == repr(found.coverage["current_facts"])
    assert all("\n" not in repr(value) for value in shown)
