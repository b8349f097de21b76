"""A budget is hard, whatever is recorded and whatever counts."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hsum._kernel.faults import Fault
from hythe.model import State
from hythe.resume import tokens
from hythe.resume.budget import Price, check_budget
from hythe.resume.counter import check_counter
from hythe.resume.sections import SECTIONS
from hythe.resume.wire import compact, wire
from tests.resume.corpora import texts
from tests.resume.o200k import o200k
from tests.resume.pages import answer, fact, follow, loop, page

BUDGETS = [512, 513, 1_000, 4_000, 32_000]
KINDS = sorted(texts(0))


def uneven(text):
    """Count more for a whole than for its parts."""
    return int(len(text) ** 1.15 / 9)


def thrifty(text):
    """Count less for a whole than for its parts, and never add up."""
    return len(text.split()) + (len(text) % 7)


def bumpy(text):
    """Count up and down as the text grows."""
    return len(text) // 4 + (50 if len(text) % 3 else 0)


def forms(answered):
    """Return both texts in which an agent may get an answer."""
    return str(answered), compact(wire(answered))


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("kind", KINDS)
def test_never_over_budget(budget, kind):
    """No answer costs more than its budget, by the default counter or by o200k."""
    words = texts(3, 300)[kind]
    facts = [fact(number, words[number % 40 :]) for number in range(150)]
    loops = [loop(number, words[number % 30 :]) for number in range(20)]
    answered = answer(page(facts=facts, loops=loops), budget)

    assert max(map(tokens.count, forms(answered))) == answered.tokens <= budget
    assert max(map(o200k, forms(answered))) <= answered.tokens


@pytest.mark.parametrize("count", [uneven, thrifty, bumpy, len, o200k])
@pytest.mark.parametrize("budget", [4_000, 9_000])
def test_any_counter(count, budget):
    """Under a counter that does not add up an answer fits as well, on every page."""
    facts = [fact(number, "words " * (number % 9)) for number in range(40)]
    answers = follow(page(facts=facts), budget, count)

    assert all(max(map(count, forms(found))) <= budget for found in answers)
    assert facts == [one for found in answers for one in found.current_facts]


@settings(max_examples=40)
@given(
    st.lists(st.text(max_size=200), max_size=12),
    st.lists(st.sampled_from(KINDS), max_size=6),
    st.integers(512, 3_000),
)
def test_pages_joined_equal_the_whole(words, kinds, budget):
    """The pages of any budget, joined, are the unbudgeted sections."""
    words += [texts(1, 150)[kind] for kind in kinds]
    asked = page(
        facts=[fact(n, text) for n, text in enumerate(words)],
        loops=[loop(n, text) for n, text in enumerate(words[::2])],
    )
    whole, answers = answer(asked, 10**9), follow(asked, budget)

    assert whole.complete
    for name in SECTIONS:
        if name != "working":
            held = sum(bool(o.section == name) for a in answers for o in a.oversize)
            joined = [one for found in answers for one in getattr(found, name)]
            assert len(getattr(whole, name)) == len(joined) + held
            assert set(map(repr, joined)) <= set(map(repr, getattr(whole, name)))
            if not held:
                assert list(getattr(whole, name)) == joined


def test_a_value_larger_than_the_budget_becomes_a_handle():
    """What no page can hold is named by a handle, and is not counted as included."""
    facts = [fact(0), fact(1, "x" * 100_000), fact(2)]
    found = answer(page(facts=facts), 1_000)

    assert [fact(0), fact(2)] == list(found.current_facts)
    assert [("current_facts", True)] == [
        (one.section, one.bytes > 100_000) for one in found.oversize
    ]
    assert "2/3 oversize" == str(found.coverage["current_facts"])
    assert found.next is None


def test_an_oversize_state_becomes_a_handle():
    """A working state beyond the budget is a handle, and working is None."""
    found = answer(page(state=State("long " * 4_000, "green", "planner")), 1_000)

    assert found.working is None
    assert "0/1 oversize" == str(found.coverage["working"])


def test_what_does_not_fit_comes_later_and_small_things_still_come_now():
    """A long section leaves room that later sections use."""
    facts = [fact(n, "words " * 60) for n in range(30)]
    found = answer(page(facts=facts, decisions=["short"]), 1_000)

    assert "budget" == found.coverage["current_facts"].reason
    assert found.coverage["decisions"].complete


@pytest.mark.parametrize("wrong", ["4000", 4_000.0, None, True])
def test_a_budget_is_a_whole_number(wrong):
    """A budget that is no whole number is refused."""
    with pytest.raises(Fault) as refused:
        check_budget(wrong)

    assert "INVALID_ARGUMENT" == refused.value.code


@pytest.mark.parametrize("small", [511, 1, 0, -4])
def test_a_small_budget_is_refused_with_the_minimum(small):
    """Below the least budget the refusal names it."""
    with pytest.raises(Fault) as refused:
        check_budget(small)

    assert ("BUDGET_TOO_SMALL", 512) == (
        refused.value.code,
        refused.value.details["minimum"],
    )


def test_long_names_need_more_and_the_named_minimum_does():
    """Where names are long the refusal names a budget that works."""
    asked = page(project="名前" * 90, facts=[fact(0)])
    with pytest.raises(Fault) as refused:
        answer(asked, 512)
    minimum = refused.value.details["minimum"]

    assert minimum > 512
    assert answer(asked, minimum).tokens <= minimum
    assert len(follow(asked, minimum)) < 20


def test_512_is_enough_for_usual_names():
    """The least budget serves a scope with everything in it."""
    everything = {name: ["x" * 900] * 9 for name in SECTIONS[7:]}
    asked = page(
        project="billing-service-migration",
        facts=[fact(n, "y" * 5_000) for n in range(4)],
        heads=40,
        **everything,
    )
    answers = follow(asked, 512)

    assert all(found.tokens <= 512 for found in answers)
    assert 40 == sum(len(found.heads) for found in answers)


@pytest.mark.parametrize("returned", [None, 1.5, -1, True])
def test_a_counter_returns_whole_numbers(returned):
    """A counter that returns anything else is refused by name."""
    with pytest.raises(Fault) as refused:
        answer(page(), 600, check_counter(lambda _: returned))

    assert "$.count_tokens" == refused.value.details["path"]


def test_the_cost_is_that_of_the_greater_form():
    """`tokens` is the cost of text or wire JSON, whichever is more."""
    found = answer(page(facts=[fact(1)]), 2_000)

    assert Price(tokens.count).whole(found) == found.tokens
    assert attrs.evolve(found, tokens=0) == found
