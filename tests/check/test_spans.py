"""What is asked of spans in order is answered as if each was looked at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hsum.check.spans import Row, Span

ROWS = st.sets(st.integers(0, 20)).map(
    lambda cuts: [Span(*pair) for pair in zip(*[iter(sorted(cuts))] * 2, strict=False)]
)
SPANS = st.tuples(st.integers(0, 20), st.integers(1, 6)).map(
    lambda drawn: Span(drawn[0], sum(drawn))
)


@given(ROWS, SPANS)
def test_touching_are_those_that_share_a_character(row, span):
    """A span that ends where another begins does not touch it."""
    shared = [
        number
        for number, one in enumerate(row)
        if {*range(one.start, one.end)} & {*range(span.start, span.end)}
    ]

    assert shared == [*Row(row).touching(*span)]


@given(ROWS, SPANS)
def test_one_of_the_row_holds_a_span_or_none_does(row, span):
    """Two that meet do not hold together what neither does alone."""
    held = any(one.start <= span.start and span.end <= one.end for one in row)

    assert held == Row(row).holds(*span)


@given(ROWS, SPANS)
def test_the_nearest_is_near(row, span):
    """Of what does not lie inside the span, the first of the nearest is given."""

    def nearest(ones):
        apart = [o for o in ones if not (span.start <= o.start and o.end <= span.end)]
        distances = [max(span.start - o.end, o.start - span.end, 0) for o in apart]
        return apart[distances.index(min(distances))] if apart else None

    assert nearest(row) == nearest(Row(row).near(*span))
