"""The default counter against o200k."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hythe.resume.tokens import count
from tests.resume.corpora import texts
from tests.resume.o200k import o200k

KINDS = sorted(texts(0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_never_below(kind, seed):
    """No kind of text that agents record is counted below o200k."""
    text = texts(seed, 2_400)[kind]

    assert count(text) >= o200k(text)


@given(
    st.lists(
        st.tuples(st.sampled_from(KINDS), st.integers(0, 9), st.integers(20, 400)),
        min_size=8,
        max_size=30,
    )
)
def test_never_below_on_mixtures(parts):
    """No mixture of such texts is counted below o200k."""
    text = "\n".join(texts(seed, size)[kind] for kind, seed, size in parts)

    assert count(text) >= o200k(text)


@pytest.mark.parametrize("kind", ["prose", "code"])
@pytest.mark.parametrize("seed", range(5))
def test_close_on_prose_and_code(kind, seed):
    """Prose and code are counted at most 1.4 times."""
    text = texts(seed, 8_000)[kind]

    assert count(text) <= 1.4 * o200k(text)


@given(
    st.text(st.characters(min_codepoint=0x80, exclude_categories=["Cs"]), min_size=200)
)
def test_never_below_outside_ascii(text):
    """Text of any scripts, at random, is not counted below o200k."""
    assert count(text) >= 0.97 * o200k(text)


def test_one_letter_words():
    """A text of 509 one-letter words has 509 tokens or more."""
    assert count("a " * 509) >= 509


@given(st.text(), st.text())
def test_adds_up_to_one_token_at_a_line_break(one, two):
    """Lines add up: what was chosen by its own cost costs no more in the whole."""
    whole = count(f"{one}\n") + count(f"- {two}")

    assert abs(count(f"{one}\n- {two}") - whole) <= 2


def test_the_same_whatever_was_counted_before():
    """The count of a text depends on nothing else."""
    rand = random.Random(5)
    before = count("alpha beta Γάμμα")
    for _ in range(20_000):
        count("".join(rand.choices(string.ascii_lowercase, k=12)))

    assert before == count("alpha beta Γάμμα")


@pytest.mark.parametrize(
    "text", ["", "\0" * 900, " " * 5_000, "-" * 5_000, "\n" * 5_000, "a" * 90_000]
)
def test_any_shape_of_text(text):
    """Empty, controlling, blank and endless texts are counted, and not below."""
    assert count(text) >= o200k(text)
