"""The benchmarks' own arithmetic: targets, percentiles, gains, tables and plots."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from time import sleep

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.harness import (
    Row,
    Taken,
    at_least,
    at_most,
    both_in_turn,
    in_turn,
    middle,
    percentile,
    shown,
    spent,
    taken,
)
from benchmarks.ranking import ndcg
from benchmarks.report import plot, table

_ROW = Row("get", "small", "ms", 3.0, "a & b", 2.0, at_most(2, plus=0.5))


@pytest.mark.parametrize(
    ("target", "ours", "expected"),
    [
        (at_most(2), 4.0, True),
        (at_most(2), 4.1, False),
        (at_most(2, plus=1), 5.0, True),
        (at_least(1.5), 3.0, True),
        (at_least(1.5), 2.9, False),
    ],
)
def test_a_target_is_a_bound_on_ours(target, ours, expected):
    """A bound is so many times theirs and a constant, from above or from below."""
    assert expected is target.met(ours, 2.0)


def test_a_row_tells_ratio_and_verdict():
    """The ratio is ours to theirs; without a target a row judges nothing."""
    assert (1.5, "met") == (_ROW.ratio, _ROW.verdict)
    assert "shown" == shown(_ROW).verdict


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 1))
def test_a_percentile_is_a_sample(samples, share):
    """At least the share of the samples does not exceed it."""
    found = percentile(samples, share)

    assert sum(sample <= found for sample in samples) >= share * len(samples)


def test_calls_take_turns():
    """Each call is made once more than it is measured, one after the other."""
    made = []
    slow, quick = in_turn(
        lambda: (made.append("slow"), sleep(0.01)),
        lambda: made.append("quick"),
        times=3,
    )

    assert ["slow", "quick"] * 4 == made
    assert slow > quick


def test_waiting_takes_time_but_no_cpu():
    """Either clock is read: what sleeps is long by the one and short by the other."""
    (slept,) = both_in_turn(lambda: sleep(0.2), times=1)

    assert slept.seconds >= 0.2
    assert slept.cpu < 0.1


def test_the_work_of_a_child_counts():
    """The CPU time of a process that was waited for is in what the call took."""
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    found = taken(lambda: subprocess.run([sys.executable, "-c", burn], check=True))

    assert found.cpu >= 0.3


def test_the_middle_is_taken_of_each_clock():
    """One slow round by the clock does not choose which CPU time is reported."""
    rounds = [Taken(1, 9), Taken(2, 8), Taken(3, 7)]

    assert Taken(2, 8) == middle(rounds)
    assert Taken(4, 16) == middle(rounds) + middle(rounds)


def test_a_note_tells_the_cpu_time_of_both_sides():
    """In milliseconds, or in the unit that is asked for."""
    assert "CPU 5.6 against 1.57" == spent(Taken(9, 0.0056), Taken(8, 0.001568))
    assert "CPU 153 against 70" == spent(Taken(900, 153.2), Taken(800, 70.0), 1)


@pytest.mark.parametrize(
    ("ranked", "relevant", "expected"),
    [
        (["a", "b"], {"a", "b"}, 1.0),
        (["x", "a"], {"a"}, 0.6309),
        (["x"] * 10 + ["a"], {"a"}, 0.0),
        ([], {"a"}, 0.0),
        (list("abcdefghij"), set("abcdefghijkl"), 1.0),
    ],
)
def test_gain_is_discounted_by_place(ranked, relevant, expected):
    """Ten of the relevant in front are perfect; later places count less."""
    assert expected == pytest.approx(ndcg(ranked, relevant), abs=1e-4)


def test_a_table_has_aligned_columns():
    """Every line of the Markdown table is as long as the others."""
    lines = table([_ROW, shown(_ROW)]).splitlines()

    assert 4 == len(lines)
    assert 1 == len({len(line) for line in lines})


def test_a_plot_is_wellformed():
    """The plot is XML with one bar for each row, whatever the labels hold."""
    drawn = ET.fromstring(plot([_ROW, shown(_ROW)]))

    assert 2 == len(drawn.findall("{http://www.w3.org/2000/svg}rect"))
