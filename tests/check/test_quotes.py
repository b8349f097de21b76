"""A citation is held to the words that are quoted beside it, and to no others."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum.check.find import find
from hsum.check.quotes import quote_beside, quotes, says
from tests.check.growth import growth


def pairs(text):
    found = find(text)
    paired = quote_beside(text, found)
    return {one.raw: quote.text.strip() for one, quote in paired.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a.py:1 says "all or nothing".', {"a.py:1": "all or nothing"}),
        ("„all or nothing“ (a.py:1)", {"a.py:1": "all or nothing"}),
        ("As a.py:1 has it:\n> all or\n> nothing\n", {"a.py:1": "all or\nnothing"}),
        ("a.py:1\n```py\nx = 1\n\ny = 2\n```\n", {"a.py:1": "x = 1\n\ny = 2"}),
        ('"one" (a.py:1) and "two" (b.py:2)', {"a.py:1": "one", "b.py:2": "two"}),
        ('a.py:1 says "one"; see also b.py:2.', {"a.py:1": "one"}),
        ('a.py:1 is far.\n\nAnother "paragraph" here.', {}),
        ('"the line a.py:1 itself"', {}),
        ('a.py:1 has `x = "1"` as code', {}),
    ],
)
def test_pairs(text, expected):
    """Nearest, mutual, and in the same paragraph."""
    assert expected == pairs(text)


@pytest.mark.parametrize(
    ("source", "quote", "expected"),
    [
        ("def f():\n    return 1\n", "def f(): return 1", True),
        ("# all of\n# it or none\n", "all of it or none", True),
        ("one two three four", "one … four", True),
        ("one two three four", "four ... one", False),
        ("one two", "one  two.", False),
        ("One two", "one two", False),
    ],
)
def test_words_are_compared(source, quote, expected):
    """White space, ellipses and comment leaders are forgiven; words are not."""
    assert expected == says(source, quote)


# --- the law of pairs ---------------------------------------------------------------

PIECES = (
    "a.py:1", "b/c d.py#L2", '"', '"', "“", "”", "«", "»", "„", "`", "``", "word", "x",
    " ", " ", "\n", "\n", "\n\n", " \n", "\n> ", "\n```\n", "\n~~~\n", "```",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_a_pair_is_mutual_nearest_in_one_paragraph(text):
    """Comparing each citation with each quote of its paragraph gives the same pairs."""
    found, quoted = find(text), list(quotes(text))

    def distance(quote, one):
        return max(quote.start - one.end, one.start - quote.end, 0)

    def pairable(quote, one):
        inside = quote.start <= one.start and one.end <= quote.end
        return not inside and not _parted(text, *sorted((quote.start, one.start)))

    def nearest(mine, others, as_pair):
        fit = [other for other in others if pairable(*as_pair(mine, other))]
        return min(fit, key=lambda other: distance(*as_pair(mine, other)), default=None)

    pairs = {}
    for one in found:
        quote = nearest(one, quoted, lambda one, quote: (quote, one))
        if quote and nearest(quote, found, lambda quote, one: (quote, one)) is one:
            pairs[one] = quote

    assert pairs == quote_beside(text, found)


def _parted(text, start, end):
    """Tell whether a blank line stands between, outside of all fences."""
    for quote in quotes(text):
        if re.match(" {0,3}(```|~~~)", text[quote.start :]):
            hidden = "x" * (quote.end - quote.start)
            text = text[: quote.start] + hidden + text[quote.end :]
    return re.search(r"\n\s*\n", text[start:end]) is not None


# --- the time it takes ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (lambda n: 'See src/a.py:1 says "some thing".\n\n' * n, 100),
        (lambda n: 'a.py:1 "x" ' * n, 200),
        (lambda n: '`a` "b" ' * n, 300),
        (lambda n: "a.py:1\n```\nx\n\ny\n```\n\n" * n, 150),
        (lambda n: "> a\n\n" * n, 300),
        (lambda n: "x\n" + " " * n + "\n", 8_000),
        (lambda n: "“" * n, 4_000),
        (lambda n: "« " * n, 4_000),
        (lambda n: "„" * n, 4_000),
        (lambda n: '"a\n\n' * n, 2_000),
        (lambda n: "`" * n, 8_000),
        (lambda n: "~" * n, 8_000),
    ],
)
def test_pairing_takes_time_in_proportion_to_the_text(text, size):
    """Many paragraphs, one long one, and marks that nothing closes: none is dear."""

    def paired(whole):
        return quote_beside(whole, find(whole))

    assert growth(paired, text, size) < 9


@pytest.mark.parametrize(
    ("quote", "size"),
    [
        (lambda n: "a" + " " * n + "b", 8_000),
        (lambda n: "a" + " " * n + "[" + " " * n + "b", 4_000),
        (lambda n: "[ " * n, 4_000),
        (lambda n: "... " * n, 1_000),
    ],
)
def test_comparing_takes_time_in_proportion_to_the_quote(quote, size):
    """White space and brackets that belong to no ellipsis are read once."""
    assert growth(lambda whole: says("a b", whole), quote, size) < 9
