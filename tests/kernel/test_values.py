"""Text, time, ids, cursors and escapes."""

from __future__ import annotations

import base64
import json
import time
import uuid
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum._kernel import cursors
from hsum._kernel.canonical import digest
from hsum._kernel.clock import SettableClock, as_clock, micros, rfc3339, system_clock
from hsum._kernel.escape import json_text, visible, visible_path
from hsum._kernel.faults import Fault
from hsum._kernel.ids import SequentialIds, as_ids, is_uuid, random_ids
from hsum._kernel.text import check_text, nfc, utf8_cut


@given(st.text())
def test_text_is_taken_exactly_when_utf_8_can_carry_it(text):
    """Refused text is exactly what has a lone surrogate."""
    surrogate = any("\ud800" <= c <= "\udfff" for c in text)
    try:
        taken = check_text(text)
    except Fault as fault:
        assert fault.code == "TEXT_INVALID"
        assert surrogate
    else:
        assert taken is text
        assert not surrogate


@pytest.mark.parametrize(
    ("value", "code"), [(3, "INVALID_ARGUMENT"), (b"x", "INVALID_ARGUMENT"),
                        ("x" * 11, "TOO_LARGE"), ("ü" * 6, "TOO_LARGE")]
)  # fmt: skip
def test_other_values_and_long_text_are_refused(value, code):
    """The limit counts bytes of UTF-8."""
    with pytest.raises(Fault) as caught:
        check_text(value, "$.x", limit=10)

    assert code == caught.value.code


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 40))
def test_a_cut_never_splits_a_character(text, size):
    """The prefix decodes, and gives back at most three bytes."""
    data = text.encode()
    end = utf8_cut(data, size)
    data[:end].decode()

    assert min(size, len(data)) - 3 <= end <= min(size, len(data))


def test_nfc_joins_twins():
    """The two spellings of one letter become equal."""
    assert "\u00e9" == nfc("e\u0301")


@given(st.datetimes(timezones=st.just(UTC), min_value=datetime(1, 1, 2)))  # noqa: DTZ001
def test_times_round_trip(moment):
    """Microseconds and RFC 3339 name the same moment."""
    us = micros(moment)

    assert us == micros(rfc3339(us))
    assert rfc3339(us).endswith("Z")


def test_an_offset_is_taken_into_account():
    """Times are compared in UTC."""
    east = timezone(timedelta(hours=2))

    assert micros("2026-01-01T00:00:00Z") == micros(
        datetime(2026, 1, 1, 2, tzinfo=east)
    )


@pytest.mark.parametrize(
    "moment",
    [datetime(2026, 1, 1), "2026-01-01T00:00:00", "soon", None, 1.5],  # noqa: DTZ001
)
def test_a_time_without_an_offset_is_refused(moment):
    """A naive time is not guessed."""
    with pytest.raises(Fault):
        micros(moment)


def test_clocks_can_be_injected_in_any_honest_form():
    """Microseconds and aware datetimes both make a clock."""
    aware = as_clock(lambda: datetime(2026, 1, 1, tzinfo=UTC))
    clock = SettableClock(step=1)

    assert micros("2026-01-01T00:00:00Z") == aware() == clock()
    clock.advance(-2)
    assert "<SettableClock 2025-12-31T23:59:59Z>" == repr(clock)
    clock.set("2027-01-01T00:00:00Z")
    assert "2027-01-01T00:00:00Z" == rfc3339(clock())
    assert as_clock(None) is system_clock
    with pytest.raises(Fault):
        as_clock(3)


def test_a_random_id_begins_with_its_millisecond():
    """It is a UUID of version 7 (RFC 9562): 48 bits of Unix time, 74 random ones."""
    before = time.time_ns() // 1_000_000
    found = [uuid.UUID(random_ids()) for _ in range(1_000)]
    after = time.time_ns() // 1_000_000

    assert {(7, uuid.RFC_4122)} == {(one.version, one.variant) for one in found}
    assert all(before <= one.int >> 80 <= after for one in found)
    assert 1_000 == len({one.int & 2**62 - 1 for one in found})
    assert 1 < len({one.int >> 64 & 0xFFF for one in found})


def test_id_sources_are_checked():
    """Only UUIDs in canonical form come from a source."""
    assert is_uuid(random_ids())
    assert SequentialIds("a")() == SequentialIds("a")() != SequentialIds("b")()
    assert as_ids(None) is random_ids
    assert is_uuid(as_ids(SequentialIds())())
    for bad in ("x", "A" * 36, "{6ba7b810-9dad-11d1-80b4-00c04fd430c}", 7):
        assert not is_uuid(bad)
    with pytest.raises(Fault):
        as_ids(lambda: "nope")()
    with pytest.raises(Fault):
        as_ids("nope")


@given(st.dictionaries(st.text("abc"), st.integers(0, 9) | st.text("xyz")))
def test_cursors_round_trip(payload):
    """What was put into a cursor comes out, of its own kind only."""
    payload.pop("kind", None)
    token = cursors.encode("page", payload)

    shape = {name: type(value) for name, value in payload.items()}

    assert payload == cursors.decode("page", token, **shape)
    with pytest.raises(Fault):
        cursors.decode("other", token, **shape)


@given(st.text() | st.integers() | st.binary())
def test_anything_else_is_no_cursor(token):
    """A malformed cursor is an argument error, never a crash."""
    with pytest.raises(Fault) as caught:
        cursors.decode("page", token)

    assert caught.value.code == "INVALID_ARGUMENT"


def test_a_damaged_cursor_is_refused():
    """One changed character is noticed."""
    token = cursors.encode("page", {"n": 1})
    for place in range(len(token)):
        changed = (
            token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
        )
        with pytest.raises(Fault):
            cursors.decode("page", changed, n=int)


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"n": 1},
        {"n": "x"},
        {"n": -1, "at": [1, "a"]},
        {"n": True, "at": [1, "a"]},
        {"n": 1, "at": [1, 2]},
        {"n": 1, "at": [1]},
        {"n": 1, "at": {"a": 1}},
        {"n": 1, "at": [1, "a"], "more": 1},
    ],
)
def test_a_cursor_of_another_shape_is_refused(payload):
    """Anyone can write one whose check is true: its values are checked as well."""
    token = cursors.encode("page", payload)
    with pytest.raises(Fault) as caught:
        cursors.decode("page", token, n=int, at=[int, str])

    assert caught.value.code == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "body",
    [
        b'{"kind":"page","n":"\\ud800"}',
        b'{"kind":"page","n": "x"}',
        b'{"n":"x","kind":"page"}',
        b"[" * 3_000,
    ],
)
def test_a_cursor_that_is_not_canonical_is_refused(body):
    """No call writes spaces, lone surrogates or depths without end."""
    raw = digest(body)[:12].encode() + body
    token = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    with pytest.raises(Fault) as caught:
        cursors.decode("page", token, n=str)

    assert caught.value.code == "INVALID_ARGUMENT"


@given(st.text())
def test_shown_text_cannot_act(text):
    """No control, bidirectional or surrogate character is left."""
    shown = visible(text)
    shown.encode()

    assert not any(ord(c) < 32 and c not in "\n\t" for c in shown)
    assert not set(shown) & set("\x7f\x9b\u202e\u2066\u200f\u2028")
    assert "\n" not in visible_path(text)


def test_bytes_of_names_are_shown_as_bytes():
    """A byte that is not UTF-8 shows as its value."""
    assert r"a\xffb\nc" == visible_path("a\udcffb\nc")


@given(
    st.recursive(
        st.text() | st.integers(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)
    )
)
def test_json_text_is_safe_and_equal(value):
    """JSON output is valid UTF-8, one line, and means the same."""
    text = json_text(value)
    text.encode()

    assert value == json.loads(text)
    assert not set(text) & set("\n\x1b\u2028\u202e\x9b")
