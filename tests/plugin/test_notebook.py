"""The notebook of the tutorial runs, and every result shows itself safely."""

from __future__ import annotations

import ast
import json

import pytest

from tests.plugin import projects
from tests.plugin.test_page import Tags

NOTEBOOK = projects.ROOT / "docs/tutorial/tour.ipynb"


def run(source, names):
    """Run a cell; return the value of its last line, as a notebook does."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return last and eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.fixture(scope="module")
def shown():
    """The type and the HTML of what each cell shows."""
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    names = {}
    values = [
        run("".join(cell["source"]), names)
        for cell in cells
        if cell["cell_type"] == "code"
    ]
    return {type(value).__name__: value._repr_html_() for value in values if value}


def test_every_kind_of_result_shows_itself(shown):
    """Hits, evidence, ingests, checks, checkpoints, history, resume, evaluations."""
    assert {
        "IngestReport", "Hits", "Evidence", "CheckReport", "Evaluation", "Checkpoint",
        "History", "Resume",
    } == shown.keys()  # fmt: skip


def test_views_are_well_formed_and_have_no_scripts(shown):
    """Every tag is closed, and none runs or loads anything."""
    for html in shown.values():
        tags = Tags(html).seen

        assert not {name for name, _ in tags} & {"script", "link", "img", "iframe"}
        assert not any(key.startswith("on") for _, attrs in tags for key in attrs)


def test_history_is_a_graph_and_coverage_is_bars(shown):
    """A circle for each checkpoint, the pointer and the retired head by name; a bar for each section."""
    assert shown["History"].count("<text ") == 5
    for word in ("[pointer]", "[retired]"):
        assert 1 == shown["History"].count(word)
    assert shown["Resume"].count("<svg ") >= 5
    assert 3 == shown["Evaluation"].count("<a href='#case-")


def test_the_notebook_is_committed_clean():
    """No outputs and no counts: they come from running it."""
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]

    assert all(not cell.get("outputs") for cell in cells)
    assert all(cell.get("execution_count") is None for cell in cells)
    assert len(cells) == len({cell["id"] for cell in cells})
