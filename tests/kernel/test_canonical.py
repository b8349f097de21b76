"""Canonical bytes are those of RFC 8785, whichever path makes them."""

from __future__ import annotations

import json
import math

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from hsum._kernel.canonical import canonical, canonical_of_simple, digest, digest_of
from hsum._kernel.faults import Fault

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | TEXT
    | st.floats(allow_nan=False, allow_infinity=False)
)
JSON = st.recursive(
    SCALARS, lambda c: st.lists(c) | st.dictionaries(TEXT, c), max_leaves=25
)


@given(JSON)
def test_bytes_equal_an_independent_implementation(value):
    """The fast path and the standard agree on any JSON value."""
    assert rfc8785.dumps(value) == canonical(value)


@given(
    st.recursive(
        st.none() | st.booleans() | TEXT,
        lambda c: (
            st.lists(c) | st.dictionaries(st.text(st.characters(codec="ascii")), c)
        ),
        max_leaves=25,
    )
)
def test_what_was_checked_as_it_came_in_has_the_same_bytes(value):
    """Data without floats and with ASCII keys needs no second look."""
    assert rfc8785.dumps(value) == canonical_of_simple(value)


@given(JSON)
def test_parsing_gives_the_value_back(value):
    """Canonical bytes are JSON of the same value."""
    assert json.loads(canonical(value), parse_int=float) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([56, {"d": True, "10": None, "1": []}], b'[56,{"1":[],"10":null,"d":true}]'),
        (
            {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\x80": 6},
            '{"\\r":2,"1":4,"\x80":6,"\u20ac":1,"\U0001f600":5,"\ufb33":3}'.encode(),
        ),
        ({"peach": 1, "péché": 2, "pêche": 3, "sin": 4},
         '{"peach":1,"péché":2,"pêche":3,"sin":4}'.encode()),
        ([333333333.33333329, 1e30, 4.50, 2e-3, 1e-27, -0.0],
         b"[333333333.3333333,1e+30,4.5,0.002,1e-27,0]"),
        ('\u20ac$\x0f\nA\'B"\\\\"/', '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'.encode()),
        ((1, (2,)), b"[1,[2]]"),
    ],
)  # fmt: skip
def test_published_vectors(value, expected):
    """The examples of RFC 8785 come out byte for byte."""
    assert expected == canonical(value)


@pytest.mark.parametrize(
    ("value", "code", "path"),
    [
        (math.nan, "INVALID_ARGUMENT", "$"),
        ([1, -math.inf], "INVALID_ARGUMENT", "$[1]"),
        ({"a": {"b": 2**53}}, "INVALID_ARGUMENT", "$.a.b"),
        ({1: 2}, "INVALID_ARGUMENT", "$"),
        ({"a": b"x"}, "INVALID_ARGUMENT", "$.a"),
        ({"a": ["ok", "\ud800"]}, "TEXT_INVALID", "$.a[1]"),
        ({"\udfff": 1}, "TEXT_INVALID", "$ (key)"),
    ],
)
def test_what_json_cannot_carry_is_refused_with_its_path(value, code, path):
    """No value is changed in silence to fit."""
    with pytest.raises(Fault) as caught:
        canonical(value)

    assert code == caught.value.code
    assert path == caught.value.details["path"]


def test_derived_types_count_as_what_they_are():
    """Enumerations of text and numbers are their value."""

    class Word(str):
        __slots__ = ()

    class Number(int):
        pass

    class Real(float):
        pass

    assert b'["x",3,1.5]' == canonical([Word("x"), Number(3), Real(1.5)])


def test_a_digest_is_the_sha_256_of_the_bytes():
    """Anyone can recompute a digest with the standard alone."""
    assert digest(b'{"a":1}') == digest_of({"a": 1})


def test_what_is_nested_too_deeply_is_refused():
    """No depth of nesting exhausts the stack of the caller."""
    value = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(Fault) as caught:
        canonical(value)

    assert "TOO_LARGE" == caught.value.code
