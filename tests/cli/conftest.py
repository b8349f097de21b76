"""Homes, a small corpus and the programs."""

from __future__ import annotations

import pytest

from tests.cli.programs import Program

FILES = {
    "README.md": "# Lantern\n\nLantern lights the way. See `Wick.burn`.\n",
    "src/wick.py": (
        'class Wick:\n    """Burn oil slowly."""\n\n'
        "    def burn(self, oil):\n        return oil - 1\n"
    ),
    "docs/guide.md": "# Guide\n\n## Install\n\nPour the oil, then light the wick.\n",
    "docs/other.md": "# Other\n\nNothing of note, but a lantern.\n",
}


def write_corpus(root):
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def corpus(tmp_path):
    """A small tree of text files."""
    return write_corpus(tmp_path / "lantern")


@pytest.fixture
def hsum(tmp_path, corpus):
    """The program `hsum` in the corpus, with a home of its own."""
    return Program("hsum", tmp_path / "home", corpus)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """The program `hsum` in a corpus that is indexed once; only to be read."""
    base = tmp_path_factory.mktemp("shared")
    program = Program("hsum", base / "home", write_corpus(base / "lantern"))
    program.ok("init")
    return program


@pytest.fixture
def hythe(tmp_path):
    """The program `hythe` with a store of its own, used by the agent `planner`."""
    return Program(
        "hythe",
        tmp_path / "home",
        tmp_path,
        HYTHE_STORE=str(tmp_path / "team.hythe"),
        HYTHE_AGENT="planner",
    )


@pytest.fixture
def atlas(hythe):
    """The same, in a scope with two checkpoints; the second has a fact and a loop."""
    hythe.ok("checkpoint", "--project", "atlas", *STATE)
    words = ["--parent", 1, "--fact", "search", "p95", "40 ms", "--loop", "write tests"]
    hythe.ok("record", "--project", "atlas", *words)
    return hythe


STATE = ["--objective", "ship search", "--status", "green", "--owner", "planner"]
