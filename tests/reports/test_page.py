"""The page that maps reported faults to tests names tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "decisions.md"
HERE = Path(__file__).parent


def test_every_test_on_the_page_exists():
    """Each id names a test function of its file."""
    named = set(
        re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE.read_text("utf-8"))
    )
    missing = [
        f"{file}::{test}" for file, test in sorted(named) if test not in _tests(file)
    ]

    assert named
    assert [] == missing


def test_every_reported_fault_has_a_row():
    """Each test of this folder is named on the page."""
    page = PAGE.read_text("utf-8")
    written = {
        f"tests/reports/{file.name}::{test}"
        for file in HERE.glob("test_*.py")
        if file.name != Path(__file__).name
        for test in _tests(f"tests/reports/{file.name}")
    }

    assert [] == sorted(test for test in written if f"`{test}`" not in page)


def _tests(file):
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
