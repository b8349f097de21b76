"""JSON Merge Patch, against the vectors of its standard and its laws."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hythe.checkpoint.patch import apply_patch

# RFC 7396, appendix A.
VECTORS = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]

leaves = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3)
    ),
    max_leaves=12,
)


def merged(target, patch):
    """The pseudocode of RFC 7396, section 2, word for word."""
    if isinstance(patch, dict):
        if not isinstance(target, dict):
            target = {}
        for name, value in patch.items():
            if value is None:
                if name in target:
                    del target[name]
            else:
                target[name] = merged(target.get(name), value)
        return target
    return patch


@pytest.mark.parametrize(("target", "patch", "expected"), VECTORS)
def test_the_vectors_of_the_standard_hold(target, patch, expected):
    """Each example of the standard's appendix gives its result."""
    assert expected == apply_patch(target, patch)


@given(values, values)
def test_any_patch_does_what_the_standard_says(target, patch):
    """A patch does what the standard's pseudocode does to a copy."""
    expected = merged(copy.deepcopy(target), copy.deepcopy(patch))

    assert expected == apply_patch(target, patch)


@given(values, values)
def test_a_patch_changes_neither_argument(target, patch):
    """Target and patch are as before, and what comes out shares nothing with them."""
    before = copy.deepcopy((target, patch))
    result = apply_patch(target, patch)
    if isinstance(result, dict):
        result["added"] = 1
        for value in result.values():
            if isinstance(value, list):
                value.append(1)

    assert before == (target, patch)


@given(values, st.dictionaries(st.sampled_from("abcd"), values, max_size=3))
def test_a_patch_twice_is_the_patch_once(target, patch):
    """Applying the same patch again changes nothing."""
    once = apply_patch(target, patch)

    assert once == apply_patch(once, patch)
