"""A pin names bytes; a lock file is a faithful list of pins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hsum
from hsum.check.pins import line_span, pin_of, read_lock, write_lock


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
