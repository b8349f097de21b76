"""A pin names bytes; a lock file is a faithful list of pins."""

from __future__ import annotations

import copy
import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hsum
from hsum.check.pins import line_span, pin_of, read_lock, write_lock
from tests.reports.trees import plant


@given(
    st.lists(st.binary().filter(lambda b: b"\n" not in b), min_size=1),
    st.booleans(),
    st.data(),
)
def test_a_line_span_is_exactly_its_lines(lines, closed, data):
    """The span holds the lines between LFs; past the end there is none."""
    whole = b"\n".join(lines) + (b"\n" if closed else b"")
    total = whole.count(b"\n") + (not whole.endswith(b"\n") and bool(whole))
    first = data.draw(st.integers(1, total + 2))
    last = data.draw(st.integers(first, total + 3))
    span = line_span(whole, (first, last))
    if last > total:
        assert span is None
    else:
        assert whole.split(b"\n")[first - 1 : last] == whole[slice(*span)].split(b"\n")


@given(
    st.lists(st.tuples(st.text(max_size=9), st.binary(max_size=50), st.integers(0, 50)))
)
def test_a_lock_file_round_trips(rows):
    """Reading gives the pins that were written, sorted, the same bytes each time."""
    pins = [
        pin_of(
            f"{path.encode('utf-8', 'replace').decode()}:{n}",
            "p",
            data,
            (min(n, len(data)), len(data)),
        )
        for path, data, n in rows
    ]
    written = write_lock(pins)

    assert {pin.key: pin for pin in pins} == read_lock(written, "x")
    assert written == write_lock(reversed(list(read_lock(written, "x").values())))


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"format":"other","citations":[]}', b"\xff",
             b'{"format":"hsum-citations/1","citations":[{}]}',
             b'{"format":"hsum-citations/1","citations":[{"citation":1,"path":"","rev":"","span":[2,1],"span_sha256":"","lead":0}]}']
)  # fmt: skip
def test_anything_else_is_refused(data):
    """A damaged lock file is an error, never an empty one."""
    with pytest.raises(hsum.HsumError) as caught:
        read_lock(data, "citations.lock")

    assert caught.value.code == "INVALID_ARGUMENT"


# --- a lock file comes from anyone ------------------------------------------------------


def lock(**changed):
    row = {
        "citation": "a.py:1-1", "path": "a.py", "rev": "0" * 64, "span": [2, 3],
        "span_sha256": "1" * 64, "lead": 1,
    }  # fmt: skip
    return {"format": "hsum-citations/1", "citations": [row | changed]}


def refusal(data):
    with pytest.raises(hsum.HsumError) as caught:
        read_lock(data, "citations.lock")
    assert "INVALID_ARGUMENT" == caught.value.code
    assert "citations.lock is not a lock file of citations" in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    "changed",
    [
        {"path": "\ud800"}, {"citation": "\ud800"}, {"path": None}, {"rev": ""},
        {"rev": "A" * 64}, {"span_sha256": "0" * 63}, {"span_sha256": "0" * 64 + "\n"},
        {"span": [3, 2]}, {"span": [-1, 2]}, {"span": [2]}, {"span": [2, 3, 4]},
        {"span": "23"}, {"span": {"2": 0, "3": 0}}, {"span": [False, True], "lead": 0},
        {"span": [2, 3.5]}, {"span": [2, 2**63]}, {"lead": -1}, {"lead": 3},
        {"lead": True}, {"lead": None},
    ],
)  # fmt: skip
def test_each_field_is_held_to_its_kind_and_range(changed):
    """Text that no file name has, a hash of other digits, a span out of order."""
    assert 1 == len(read_lock(json.dumps(lock()).encode(), "citations.lock"))
    refusal(json.dumps(lock(**changed)).encode())


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"format":' * 100_000,
        b'{"format":"hsum-citations/1","citations":{}}',
        b'{"format":"hsum-citations/1","citations":""}',
        b'{"format":"\\ud800","citations":[]}',
        b'{"format":"hsum-citations/1","citations":[' + b"1" * 5_000 + b"]}",
    ],
)
def test_no_form_of_a_lock_file_is_beyond_refusal(data):
    """Deep, long or of another form: the message can be printed."""
    str(refusal(data)).encode()


def test_a_name_that_is_not_utf_8_is_pinned():
    """Its bytes are carried through the lock file."""
    path = os.fsdecode(b"caf\xe9.py")
    pin = pin_of(f"{path}:1-1", path, b"one\n", (0, 3))

    assert {pin.key: pin} == read_lock(write_lock([pin]), "citations.lock")


_HARD = (None, True, 1.5, -1, 2**63 - 1, 2**63, "", "\ud800", "\udcff", "0" * 64)
_LEAVES = (
    st.sampled_from(_HARD) | st.integers() | st.floats() | st.text(st.characters())
)
_VALUES = _LEAVES | st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)
_ROW = ("citations", 0)
_PLACES = st.sampled_from(
    [
        (), ("format",), ("citations",), _ROW, (*_ROW, "citation"), (*_ROW, "path"),
        (*_ROW, "rev"), (*_ROW, "span"), (*_ROW, "span", 0), (*_ROW, "span", 1),
        (*_ROW, "span_sha256"), (*_ROW, "lead"), (*_ROW, "another"),
    ]
)  # fmt: skip


@settings(max_examples=300)
@given(_PLACES, _VALUES)
def test_any_value_in_any_place_gives_a_lock_or_is_refused(place, value):
    """What is read can be written again and names a file; nothing else gets in."""
    whole = copy.deepcopy(lock())
    inner = whole
    for step in place[:-1]:
        inner = inner[step]
    if place:
        inner[place[-1]] = value
    data = json.dumps(whole if place else value).encode()
    try:
        pins = read_lock(data, "citations.lock")
    except hsum.HsumError:
        str(refusal(data)).encode()
        return

    assert pins == read_lock(write_lock(pins.values()), "x")
    for pin in pins.values():
        os.fsencode(pin.path)
        assert 0 <= pin.lead <= pin.start <= pin.end < 2**63


def test_a_hostile_lock_file_is_refused_before_any_file_is_looked_up(tmp_path):
    """Checking says that it is no lock file, whatever is cited."""
    data = json.dumps(lock(path="\ud800"))
    plant(tmp_path, {"a.py": "one\n", "x.md": "a.py:1\n", "citations.lock": data})
    with pytest.raises(hsum.HsumError, match="not a lock file of citations") as caught:
        hsum.check_files([tmp_path])

    assert "INVALID_ARGUMENT" == caught.value.code
