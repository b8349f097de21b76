"""Pictures and columns for terminals."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.cli.columns import aligned, width
from adapters.cli.graph import Node, draw
from adapters.cli.terminal import coloured


def drawn(*edges):
    nodes = [Node(name, parent, "*") for name, parent in edges]
    return [
        f"{picture} {node.id}" if node else picture for picture, node in draw(nodes)
    ]


def test_a_line_is_drawn_in_one_lane():
    """Each checkpoint follows its parent."""
    assert ["* c", "* b", "* a"] == drawn(("c", "b"), ("b", "a"), ("a", None))


def test_a_branch_runs_beside_and_joins_its_parent():
    """Two children of one parent meet above it."""
    assert ["* d", "│ * c", "├─╯", "* b", "* a"] == drawn(
        ("d", "b"), ("c", "b"), ("b", "a"), ("a", None)
    )


def test_three_branches_join_in_one_place():
    """All lanes of a parent's children run together."""
    assert ["* d", "│ * c", "│ │ * b", "├─┴─╯", "* a"] == drawn(
        ("d", "a"), ("c", "a"), ("b", "a"), ("a", None)
    )


def test_lanes_between_are_crossed():
    """A lane that goes on is drawn through."""
    assert ["* e", "│ * d", "│ │ * c", "├─┼─╯", "* │ a", "│ * b"][:5] == drawn(
        ("e", "a"), ("d", "b"), ("c", "a"), ("a", None), ("b", None)
    )[:5]


def test_a_history_cut_off_below_is_drawn_as_far_as_it_goes():
    """A parent that is not shown leaves its lane open."""
    assert ["* c", "│ * b"] == drawn(("c", "a"), ("b", "a"))


@given(st.lists(st.integers(0, 30), max_size=30))
def test_every_checkpoint_is_drawn_once(choices):
    """Whatever the shape, each node has one line, in the order given."""
    parents = [None, *(choice % (n + 1) for n, choice in enumerate(choices))]
    nodes = [
        Node(str(number), None if parent is None else str(parent), "*")
        for number, parent in reversed(list(enumerate(parents)))
    ]

    lines = list(draw(nodes))

    assert nodes == [node for _, node in lines if node is not None]
    assert all(("*" in picture) == (node is not None) for picture, node in lines)


def test_columns_line_up_by_cells():
    """Wide characters take two cells, combining ones none."""
    lines = aligned(
        [(("日本", ""), ("1", "")), (("e\u0301", "bold"), ("22", ""))], right=(1,)
    )

    assert ["日本   1", "e\u0301     22"] == [
        "".join(t for t, _ in line) for line in lines
    ]
    assert [4, 1, 3] == [width("日本"), width("e\u0301"), width("abc")]


def test_no_rows_are_no_lines():
    """An empty table is empty."""
    assert [] == aligned([])


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "expected"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (io.StringIO(), {}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_is_for_terminals_and_for_those_who_ask(stream, environ, expected):
    """NO_COLOR goes first, then FORCE_COLOR, then TERM=dumb."""

    assert expected == coloured(stream, environ)
