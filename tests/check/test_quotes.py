"""A citation is held to the words that are quoted beside it, and to no others."""

from __future__ import annotations

import pytest

from hsum.check.find import find
from hsum.check.quotes import quote_beside, says


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
