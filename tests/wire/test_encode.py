"""Values as JSON."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters._wire.encode import Encoder, camel, readable, snake
from hsum import json_text


@attrs.frozen
class Inner:
    path: str
    next_actions: tuple[str, ...] = ()


@attrs.frozen
class Outer:
    inner: Inner
    counts: Mapping[str, int] = attrs.field(factory=dict)
    _secret: str = "s"


class Word(Enum):
    ONE = "one"


encode = Encoder(snake, {})


def test_fields_become_keys_and_private_ones_stay_inside():
    """A value is an object of its public fields."""
    value = Outer(Inner("a", ("b",)), {"k_x": 1})

    expected = {"inner": {"path": "a", "next_actions": ["b"]}, "counts": {"k_x": 1}}
    assert expected == encode(value)


def test_hythe_spells_fields_in_camel_case_and_leaves_data_alone():
    """Names of fields are translated, keys of data are not."""
    value = Outer(Inner("a", ("b",)), {"k_x": 1})

    expected = {"inner": {"path": "a", "nextActions": ["b"]}, "counts": {"k_x": 1}}
    assert expected == Encoder(camel, {})(value)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("heads", "heads"),
        ("next_actions", "nextActions"),
        ("also_live_count", "alsoLiveCount"),
        ("import_", "import"),
    ],
)
def test_camel_case(name, expected):
    """The first word stays small, the others begin large."""
    assert expected == camel(name)


def test_a_path_that_is_not_utf8_also_comes_as_base64():
    r"""Its bytes show as `\xNN`, and are exact in `path_base64`."""
    name = os.fsdecode(b"caf\xe9.md")

    expected = {
        "path": "caf\\xe9.md",
        "path_base64": base64.b64encode(b"caf\xe9.md").decode(),
        "next_actions": [],
    }
    assert expected == encode(Inner(name))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        (b"\xff", "/w=="),
        (Word.ONE, "one"),
        ({"b", "a"}, ["a", "b"]),
        (datetime(2026, 1, 2, 3, tzinfo=UTC), "2026-01-02T03:00:00Z"),
        (
            datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=2))),
            "2026-01-02T01:00:00Z",
        ),
        (Path("x"), "x"),
    ],
)
def test_plain_values(value, expected):
    """Each kind has one form."""

    assert expected == encode(value)


texts = st.text(st.characters(), max_size=20)
values: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | texts | st.binary(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=9,
)


@given(values)
def test_what_leaves_is_always_utf8(value):
    """Lone surrogates never reach the wire; the document can be read back."""
    data = encode(value)

    assert data == json.loads(json_text(data).encode("utf-8").decode("utf-8"))


@given(st.text(st.characters(codec="utf-8")))
def test_readable_text_stays_as_it_is(text):
    """Only what UTF-8 cannot carry is escaped."""
    assert text == readable(text)
