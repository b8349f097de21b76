"""Axes, ticks and curves: what is drawn is what was measured, and can be read."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.curves import Panel, Point, draw, figures, restored
from benchmarks.scales import Scale, bounds, label, rungs, spaced, ticks

SVG = "{http://www.w3.org/2000/svg}"
_POSITIVE = st.floats(1e-6, 1e9)


# --- sizes and axes -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("total", "most", "expected"),
    [
        (78_579, 5, [1_000, 3_000, 10_000, 30_000, 78_579]),
        (599, 5, [10, 30, 100, 300, 599]),
        (252, 2, [100, 252]),
        (252, 1, [252]),
        (4, 5, [1, 4]),
        (1, 5, [1]),
    ],
)
def test_rungs_lead_up_to_the_total(total, most, expected):
    """The last size is everything; those before it are round and well below it."""
    assert expected == rungs(total, most)


@given(st.lists(_POSITIVE, min_size=1, max_size=9))
def test_bounds_hold_the_values_and_a_decade(values):
    """No value lies outside, and what hardly changes does not fill the picture."""
    low, high = bounds(values)

    assert low <= min(values) * (1 + 1e-6)
    assert high >= max(values) * (1 - 1e-6)
    assert high / low >= 10 * (1 - 1e-6)


@given(st.lists(_POSITIVE, min_size=1, max_size=9), st.integers(4, 9))
def test_ticks_are_few_and_on_the_axis(values, most):
    """From two to `most` round values, in order, none off the axis."""
    low, high = bounds(values)
    found = ticks(low, high, most)

    assert 1 <= len(found) <= most
    assert sorted(set(found)) == found
    assert all(low * (1 - 1e-6) <= one <= high * (1 + 1e-6) for one in found)
    assert all(math.isclose(one, float(f"{one:.0e}")) for one in found)


@given(_POSITIVE, st.floats(2, 1e6), st.floats(0, 1))
def test_a_scale_is_logarithmic(low, times, share):
    """Equal ratios are equal distances, whichever way the axis runs."""
    scale = Scale(low, low * times, 300.0, 20.0)

    assert scale(low) == 300.0
    assert scale(low * times) == pytest.approx(20.0)
    assert scale(low * times**share) == pytest.approx(300 - 280 * share, abs=1e-4)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1_000_000, "1,000,000"), (0.02, "0.02"), (5, "5"), (3 * 10.0**-3, "0.003")],
)
def test_a_tick_is_written_as_people_do(value, expected):
    """No exponents, no binary dust."""
    assert expected == label(value)


@given(st.lists(st.floats(0, 300), max_size=5), st.floats(1, 20))
def test_labels_keep_their_distance_and_order(places, gap):
    """What was above stays above, at least the gap away; what is free does not move."""
    found = spaced(places, gap)
    order = sorted(range(len(places)), key=lambda at: places[at])
    apart = [found[b] - found[a] for a, b in pairwise(order)]

    assert all(distance >= gap - 1e-6 for distance in apart)
    if all(places[b] - places[a] >= gap for a, b in pairwise(order)):
        assert found == pytest.approx(places)


# --- pictures -------------------------------------------------------------------------

_PANEL = Panel("growth", "Search & get", "files", "ms", guided=True)
_POINTS = [
    Point(_PANEL, line, "small", size, size * factor)
    for line, factor in (("<hsum>", 0.01), ("raw", 0.002))
    for size in (1_000, 100, 10)
]


def _parsed(points, foot="a < b"):
    return ET.fromstring(draw(points, foot))


def _texts(drawn):
    return [text.text for text in drawn.iter(f"{SVG}text")]


def test_a_figure_is_wellformed_whatever_it_says():
    """Names are text, not markup; title, unit, axis, lines and foot can be read."""
    said = _texts(_parsed(_POINTS))

    assert {"Search & get, ms", "<hsum>", "raw", "files", "a < b"} <= set(said)
    assert {"10", "100", "1,000", "in proportion"} <= set(said)


def test_a_curve_runs_from_left_to_right_through_its_points():
    """Each line has one mark a point, and its path is in the order of the sizes."""
    drawn = _parsed(_POINTS)
    paths = [path.get("d") for path in drawn.iter(f"{SVG}path")]
    marks = [path for path in drawn.iter(f"{SVG}path") if path.get("transform")]
    curves = [
        re.findall(r"([\d.]+),([\d.]+)", path.get("d"))
        for path in drawn.iter(f"{SVG}path")
        if "curve" in path.get("class")
    ]

    assert len(paths) > len(marks) == len(_POINTS) + 2
    for curve in curves:
        x, y = zip(*((float(a), float(b)) for a, b in curve), strict=True)
        assert list(x) == sorted(x)
        assert list(y) == sorted(y, reverse=True)


def test_what_grows_in_proportion_lies_on_the_guide():
    """The guide begins where the first line does and has the slope of proportion."""
    by_class = {
        path.get("class"): path.get("d") for path in _parsed(_POINTS).iter(f"{SVG}path")
    }

    assert by_class["curve c0"] == next(
        path.get("d")
        for path in _parsed(_POINTS).iter(f"{SVG}path")
        if path.get("class") == "guide" and "h14" not in path.get("d")
    )


def test_the_last_value_of_each_line_is_written():
    """The eye needs no ruler for the largest size."""
    assert {"10", "2"} <= set(_texts(_parsed(_POINTS)))


def test_nothing_lies_outside_the_picture():
    """Every mark is within the view box."""
    drawn = _parsed(_POINTS)
    _, _, width, height = map(float, drawn.get("viewBox").split())
    for path in drawn.iter(f"{SVG}path"):
        if place := path.get("transform"):
            x, y = map(float, re.findall(r"[\d.]+", place))
            assert 0 < x < width
            assert 0 < y < height


def test_too_many_lines_are_refused():
    """A fifth line has no colour of its own."""
    points = [Point(_PANEL, str(at), "small", 10, 1.0) for at in range(5)]
    with pytest.raises(ValueError, match="told apart"):
        draw(points, "")


def test_the_largest_size_is_on_the_axis():
    """However odd the number is; a round one that has no room beside it goes."""
    points = [Point(_PANEL, "hsum", "large", size, 1.0) for size in (1_000, 11_234)]
    said = _texts(_parsed(points))

    assert {"1,000", "5,000", "11,234"} <= set(said)
    assert "10,000" not in said


def test_one_size_can_be_drawn():
    """A single point has an axis around it."""
    assert "10" in _texts(_parsed(_POINTS[-1:]))


def test_points_are_drawn_into_the_figure_of_their_panel():
    """One picture a figure, with the corpus at its bottom where there is one."""
    other = attrs.evolve(_PANEL, figure="other")
    found = figures([*_POINTS, Point(other, "x", "-", 10, 1.0)], "here")

    assert ["growth", "other"] == list(found)
    assert "corpus small · here" in _texts(ET.fromstring(found["growth"]))
    assert "here" in _texts(ET.fromstring(found["other"]))


def test_points_come_back_from_json():
    """What was measured can be drawn again, to the byte."""
    stored = json.loads(json.dumps([attrs.asdict(point) for point in _POINTS]))

    assert _POINTS == list(map(restored, stored))


def test_a_figure_can_be_read_on_either_ground():
    """The ground is opaque, and every class has a colour for dark pages, too."""
    style = ET.fromstring(draw(_POINTS, "")).find(f"{SVG}style").text
    light, dark = style.split("@media (prefers-color-scheme: dark)")

    assert 'class="ground"' in draw(_POINTS, "")
    for name in ("ground", "grid", "axis", "c0", "c1", "c2", "c3", "f0", "f3"):
        assert f".{name} {{" in light
        assert f".{name} {{" in dark
