"""Cited bytes are checked once each, in time, and the answer says how they stand."""

from __future__ import annotations

import pickle
import random
import time

import attrs
import pytest

from hythe.model import Divergent
from hythe.resume.evidence import CitationState, Cited, citations, state_of, with_states
from hythe.resume.probe import probe
from hythe.resume.wire import item
from tests.resume.corpora import citation
from tests.resume.pages import answer, fact, page, uuid_of

RAND = random.Random(7)
ONE, TWO = citation(RAND), citation(RAND)
FRESH = CitationState("unchanged", "intact")
GONE = CitationState("changed", "gone")


@pytest.mark.parametrize(
    ("source", "span", "standing"),
    [
        ("unchanged", "intact", "fresh"),
        ("changed", "intact", "fresh"),
        ("changed", "moved", "stale"),
        ("changed", "gone", "stale"),
        ("metadata_unchanged", None, "fresh"),
        ("metadata_changed", None, "stale"),
        ("missing", None, "stale"),
        ("blocked", None, "unchecked"),
        ("unverifiable", None, "unchecked"),
        (None, None, "unchecked"),
    ],
)
def test_standing(source, span, standing):
    """The cited bytes decide where they are known, else the file does."""
    assert standing == CitationState(source, span).standing


def test_each_citation_is_asked_for_once():
    """A citation that stands in several values is resolved once."""
    asked = []
    values = [attrs.evolve(fact(n), evidence=[ONE, TWO, "a note"]) for n in range(3)]
    probe(lambda text: asked.append(text) or {}, citations(values), 5_000)

    assert [ONE, TWO] == asked


def test_a_slow_resolver_is_not_waited_for():
    """What is not resolved in time is unchecked, and resume goes on."""

    def slow(text):
        if text == TWO:
            time.sleep(20)
        return {"source_state": "unchanged", "span_state": "intact"}

    start = time.monotonic()
    found = probe(slow, [ONE, TWO], 200)

    assert time.monotonic() - start < 5
    assert ["fresh", "unchecked"] == [found[text].standing for text in (ONE, TWO)]


def test_a_failing_resolver_leaves_citations_unchecked():
    """What a resolver raises stays with that citation."""

    def failing(text):
        if text == ONE:
            raise LookupError(text)
        return {"source_state": "changed", "span_state": "gone"}

    found = probe(failing, [ONE, TWO], 5_000)

    assert ["unchecked", "stale"] == [found[text].standing for text in (ONE, TWO)]


def test_no_time_means_no_check():
    """A time-out of 0 asks for nothing."""
    assert {ONE: CitationState()} == probe(lambda _: 1 / 0, [ONE], 0)
    assert {} == probe(None, [ONE], 500)


def test_an_answer_may_be_a_value_with_attributes():
    """A resolver may return a mapping, or a value such as hsum's Evidence."""
    assert FRESH == state_of(FRESH)
    assert GONE == state_of({"source_state": "changed", "span_state": "gone"})


@pytest.mark.parametrize("word", ['x"\n- forged', "", 7, None, "A" * 50])
def test_only_words_are_taken_as_states(word):
    """A resolver cannot put text of its own beside a citation."""
    assert CitationState() == state_of({"source_state": word, "span_state": word})


def test_citations_carry_their_states():
    """A delivered citation is still its text, and carries both states."""
    states = {ONE: FRESH, TWO: GONE}
    found = answer(
        page(facts=[attrs.evolve(fact(1), evidence=[ONE, "note"])], evidence=[TWO]),
        4_000,
        states=states,
    )
    cited, note = found.current_facts[0].evidence

    assert (ONE, "unchanged", "intact") == (cited, cited.source_state, cited.span_state)
    assert not isinstance(note, Cited)
    assert ("changed", "gone") == (
        found.evidence[0].source_state,
        found.evidence[0].span_state,
    )
    assert (1, 0) == (found.as_of.stale_evidence, found.as_of.unchecked_evidence)
    assert "(changed, gone)" in str(found)
    assert {"citation": TWO, "sourceState": "changed", "spanState": "gone"} == item(
        found.evidence[0]
    )


def test_states_do_not_break_the_budget():
    """With states beside every citation an answer still fits."""
    facts = [
        attrs.evolve(fact(n), evidence=[citation(RAND) for _ in range(3)])
        for n in range(30)
    ]
    states = dict.fromkeys(citations(facts), CitationState("metadata_unchanged"))
    for budget in (2_000, 4_000):
        found = answer(page(facts=facts), budget, states=states)

        assert found.tokens <= budget
        assert found.current_facts


def test_a_value_off_the_lineage_is_checked_as_well():
    """The evidence of a divergent value carries its state."""
    value = Divergent(
        "fact", "f", attrs.evolve(fact(1), evidence=[ONE]), uuid_of(7), 9, "a", "h"
    )
    found = with_states(value, {ONE: GONE})

    assert [ONE] == list(citations([value]))
    assert "gone" == found.value.evidence[0].span_state


def test_without_a_resolver_citations_count_as_unchecked():
    """No resolver: plain text, and the count of what was not checked."""
    found = answer(page(evidence=[ONE, "note"]), 4_000)

    assert 1 == found.as_of.unchecked_evidence
    assert not isinstance(found.evidence[0], Cited)


def test_a_cited_text_can_be_pickled():
    """A citation with its state crosses process borders whole."""
    copy = pickle.loads(pickle.dumps(Cited(ONE, GONE)))

    assert (ONE, GONE) == (copy, copy.state)
