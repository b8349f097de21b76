"""The structure is a test: what imports show, import-linter holds; here is the rest."""

from __future__ import annotations

import ast
import importlib
import os
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.sources

PACKAGES = ("hsum", "hythe", "adapters")
MODULES = sorted(p for name in PACKAGES for p in (ROOT / name).rglob("*.py"))
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def parsed(path):
    return ast.parse(path.read_text("utf-8"))


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]


def body_length(function):
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    body = function.body[1:] if documented else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def functions():
    for path in MODULES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, FUNCTIONS):
                yield path, node


@pytest.mark.parametrize(
    ("library", "homes"),
    [
        ("tantivy", {"hsum/index/lexical.py"}),
        ("portalocker", {"hsum/_kernel/lock.py"}),
        ("click", "adapters/cli"),
        ("rich", "adapters/cli"),
        ("mcp", "adapters/"),
        ("pytest", "adapters/"),
    ],
)
def test_a_library_has_one_home(library, homes):
    """Each foreign library is met in one place."""
    users = {
        path.relative_to(ROOT).as_posix()
        for path in MODULES
        if library in imported(parsed(path))
    }
    strays = (
        {user for user in users if not user.startswith(homes)}
        if isinstance(homes, str)
        else users - homes
    )

    assert set() == strays


def test_functions_fit_in_the_head():
    """No body over 60 lines; nine in ten at most 22."""
    lengths = {
        f"{path.relative_to(ROOT)}:{node.name}": body_length(node)
        for path, node in functions()
    }

    assert {} == {name: n for name, n in lengths.items() if n > 60}
    assert statistics.quantiles(lengths.values(), n=10)[-1] <= 22


def test_modules_hold_one_idea():
    """No module has over 500 lines."""
    long = {
        str(path.relative_to(ROOT)): n
        for path in MODULES
        if (n := len(path.read_text("utf-8").splitlines())) > 500
    }

    assert {} == long


@pytest.mark.parametrize("name", ["hsum", "hythe"])
def test_public_names_are_documented_and_distinct(name):
    """The lazy table lists what there is; every callable says what it does."""
    package = importlib.import_module(name)
    submodules = {p.stem for p in (ROOT / name).iterdir()}

    assert package.__all__ == sorted(package.__all__)
    assert set(package.__all__) <= set(dir(package))
    assert set() == set(package.__all__) & submodules
    for public in package.__all__:
        value = getattr(package, public)
        assert not callable(value) or value.__doc__, public


def test_the_libraries_never_print():
    """Words for people are the front ends' business."""
    printers = {
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in MODULES
        if not path.is_relative_to(ROOT / "adapters")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    }

    assert set() == printers


def test_importing_is_cheap():
    """`import hsum` and `import hythe` stay near `import sqlite3`."""
    # Processor time, in turns, the best of many: another load must not decide. Coverage
    # would have imported sqlite3 before us.
    environ = {k: v for k, v in os.environ.items() if not k.startswith("COV")}
    code = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"

    def once(module):
        done = subprocess.run(
            [sys.executable, "-c", code.format(module)],
            capture_output=True, check=True, text=True, encoding="utf-8", cwd=ROOT,
            env=environ,
        )  # fmt: skip
        return float(done.stdout)

    rounds = [[once(name) for name in ("sqlite3", "hsum", "hythe")] for _ in range(15)]
    floor, hsum, hythe = map(min, zip(*rounds, strict=True))

    assert hsum <= 3 * floor
    assert hythe <= 3 * floor


def test_the_wheel_holds_exactly_the_three_packages():
    """Nothing but the packages is shipped."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

    assert (
        list(PACKAGES)
        == config["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    )
