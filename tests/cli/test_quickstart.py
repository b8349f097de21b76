"""The first command of each program, and the commands that it prints."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import hsum as library
from tests.cli.programs import Program


@pytest.fixture
def programs(tmp_path):
    """A folder of two small scripts that start the programs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("hsum", "hythe"):
        script = folder / name
        script.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -m adapters.cli {name} "$@"\n',
            encoding="utf-8",
        )
        script.chmod(0o755)
    return folder


def repeated(done, program, programs):
    """Run what a tour says can be copied, in a shell, to its end."""
    script = done.out.partition("as commands to copy:\n")[2]
    path = f"{programs}{os.pathsep}{program.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e"],
        input=script,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=program.cwd,
        env={**program.environ, "PATH": path, "TMPDIR": str(programs)},
        check=False,
    )


def test_hsum_quickstart_verifies_an_edit(hsum, programs):
    """Index, search, get, edit a copy, verify; and all of it again by hand."""
    hsum = hsum.within(hsum.cwd, TMPDIR=str(programs))
    done = hsum.ok("quickstart", hsum.cwd)
    again = repeated(done, hsum, programs)

    assert "cited bytes moved; now at" in done.err
    assert 0 == again.returncode, again.stderr
    assert "cited bytes moved; now at" in again.stderr


def test_hsum_quickstart_takes_the_enclosing_repository(hsum, tmp_path):
    """Without a path the repository around is meant; nothing in it is changed."""
    hsum = hsum.within(hsum.cwd / "docs", TMPDIR=str(tmp_path))
    subprocess.run(["git", "init", "-q", hsum.cwd.parent], check=True)
    before = sorted(
        path for path in hsum.cwd.parent.rglob("*") if ".git" not in str(path)
    )

    done = hsum.json("quickstart")

    assert f"hsum init {hsum.cwd.parent}" in [step["command"] for step in done["steps"]]
    assert before == sorted(
        path for path in hsum.cwd.parent.rglob("*") if ".git" not in str(path)
    )


def test_hsum_quickstart_falls_back_to_its_own_sources(tmp_path):
    """Anywhere else there is still something to index, also where git ignores it."""
    program = Program("hsum", tmp_path / "home", tmp_path, TMPDIR=str(tmp_path))

    done = program.json("quickstart")

    sources = os.path.dirname(library.__file__)
    first = f"hsum init {sources} --no-ignore"
    assert first in [step["command"] for step in done["steps"]]
    assert "moved" == done["steps"][-1]["result"]["span_state"]


def test_hythe_quickstart_reconciles_and_resumes(hythe, programs):
    """Checkpoint, record with a citation, branch, reconcile, resume; and again."""
    hythe = hythe.within(hythe.cwd, TMPDIR=str(programs))
    done = hythe.ok("quickstart")
    again = repeated(done, hythe, programs)

    assert "r4 reconciled" in done.out
    assert "hsum://v1/" in done.out
    assert 0 == again.returncode, again.stderr
    assert "r4 reconciled" in again.stdout
