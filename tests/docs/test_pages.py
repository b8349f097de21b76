"""The documentation is a test: what it shows runs, what it names exists."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import hsum
import hythe
from adapters.cli import hsum_program, hythe_program
from adapters.mcp.memory import NEEDED
from hsum import catalogue

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
# Pages whose Python runs as it stands, all blocks of a page in one namespace.
RUNNING = [
    "docs/tutorial/first-steps.md",
    "docs/how-to/look-after-a-store.md",
    "docs/how-to/share-state.md",
]


def blocks(name, language):
    text = (ROOT / name).read_text("utf-8")
    return [body for kind, body in BLOCK.findall(text) if kind == language]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty working directory with a home of its own and a folder of notes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    for name in (
        "HYTHE_STORE",
        "HYTHE_AGENT",
        "HSUM_INDEX",
        "HSUM_PROJECT",
        "HSUM_BINDING",
    ):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("name", RUNNING)
def test_python_on_a_page_runs(place, name, capsys):
    """Every Python block runs after the ones above it."""
    (place / "notes").mkdir()
    (place / "notes" / "measured.md").write_text("Search answers in 40 ms.\n", "utf-8")
    namespace = {}
    for body in blocks(name, "python"):
        exec(compile(body, name, "exec"), namespace)

    capsys.readouterr()


def test_the_readme_in_python_runs(place, capsys):
    """The first screen does what it shows."""
    tree = place / "tree"
    tree.mkdir()
    (tree / "core.py").write_text(
        "# a shielded cancel scope: CancelScope.shield\n", "utf-8"
    )
    (body,) = blocks("README.md", "python")
    exec(compile(body.replace("~/code/trio", str(tree)), "README.md", "exec"), {})

    assert "ship search" in capsys.readouterr().out


def test_the_first_steps_run(place):
    """A newcomer's shell, block by block, gets to the end."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = "\n".join(
        body
        for body in blocks("docs/tutorial/first-steps.md", "sh")
        if "pip install" not in body
    )
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env={**os.environ, "PATH": path}, capture_output=True, text=True,
        encoding="utf-8", timeout=180, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "moved" in done.stderr
    assert "r3 patch" in done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name):
    """Every relative link names a file that is there."""
    page = ROOT / name
    missing = {
        target
        for target in LINK.findall(page.read_text("utf-8"))
        if not (page.parent / target).exists()
    }

    assert set() == missing


def generator():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["errors.md", "mcp.md"])
def test_generated_pages_are_fresh(page):
    """The reference says what the code says."""
    made = generator().made(page)

    assert made == (DOCS / "reference" / page).read_text("utf-8"), (
        "run python docs/generate.py"
    )


def test_the_reference_is_complete():
    """Every code, tool and command has its entry."""
    errors = (DOCS / "reference" / "errors.md").read_text("utf-8")
    tools = (DOCS / "reference" / "mcp.md").read_text("utf-8")
    commands = (DOCS / "reference" / "commands.md").read_text("utf-8")
    names = [
        f"{program.group().name} {name}"
        for program in (hsum_program, hythe_program)
        for name in program.group().list_commands(click.Context(program.group()))
    ]

    python = (DOCS / "reference" / "python.md").read_text("utf-8")
    public = [
        f"{package.__name__}.{n}" for package in (hsum, hythe) for n in package.__all__
    ]

    assert [] == [name for name in public if f"\n### {name}\n" not in python]
    assert [] == [code for code in catalogue() if f"\n### {code}\n" not in errors]
    assert [] == [tool for tool in NEEDED if f"\n### {tool}\n" not in tools]
    assert [] == [name for name in names if f"\n### {name}\n" not in commands]
