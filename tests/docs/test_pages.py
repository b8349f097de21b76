"""The documentation is whole: what it names is there, and what there is it names."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys

import click
import pytest

import hsum
import hythe
from adapters.cli import hsum_program, hythe_program
from adapters.mcp.memory import NEEDED
from hsum import catalogue
from tests.docs.pages import DOCS, NAMES, ROOT

LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


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


def test_the_site_is_built_without_a_word(tmp_path):
    """Neither a warning nor a note: every page is in the menu, every link leads there."""
    pytest.importorskip("mkdocs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", tmp_path],
        cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True,
        text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    said = [
        line
        for line in done.stderr.splitlines()
        if not re.match("INFO +- +(Cleaning|Building|Documentation built)", line)
    ]

    assert (0, []) == (done.returncode, said)
    assert (tmp_path / "tutorial" / "tour.ipynb").exists()


@pytest.mark.sources
def test_what_the_pages_cite_stands(monkeypatch, tmp_path):
    """Each citation of our own code is pinned, and is still where it was."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("HSUM_HOME", str(tmp_path))
    report = hsum.check_files(["docs"])

    assert {"ok"} == report.counts.keys()


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


@pytest.mark.parametrize("page", ["commands.md", "python.md"])
def test_generated_pages_have_the_words_of_the_code(page):
    """Where lines break is up to versions of what prints them."""
    made = generator().made(page)

    assert made.split() == (DOCS / "reference" / page).read_text("utf-8").split(), (
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
