"""The tutorial works as it stands: its files, its commands, its output."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.plugin import projects

TUTORIAL = (projects.ROOT / "docs/tutorial/evaluation.md").read_text("utf-8")
_FILE = re.compile(
    r"<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
_COMMAND = re.compile(r"<!-- command -->\n```sh\npytest (.*?)\n```", re.DOTALL)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The files of the page, in an empty directory."""
    folder = tmp_path_factory.mktemp("tutorial")
    projects.write(folder, dict(_FILE.findall(TUTORIAL)))
    return folder


def test_the_command_of_the_page_passes(written):
    """Every test passes, and the summary is that of the page."""
    [command] = _COMMAND.findall(TUTORIAL)

    ran = projects.pytest(written, *command.split())

    assert 0 == ran.status, ran.text
    assert {"passed": 8} == ran.counts()
    for line in ("retrieval: 4 cases, nDCG@10 1.000", "citations: 3 answers, 3 citat"):
        assert line in ran.text
        assert line in TUTORIAL


def test_the_failure_of_the_page_is_real(written):
    """A misquoted answer fails with the difference that the page shows."""
    test = (written / "test_agent.py").read_text("utf-8")
    demanded = re.sub(r"with pytest.raises\(.*\):", "if True:", test)
    projects.write(written, {"failing.py": demanded})

    ran = projects.pytest(written, "failing.py")

    shown = [line[1:].strip() for line in TUTORIAL.split("\n") if line[:2] == "E "]
    printed = [line[1:].strip() for line in ran.text.split("\n")]
    assert {"failed": 1, "passed": 3} == ran.counts()
    for line in shown:
        assert any(one.startswith(line.removesuffix("...")) for one in printed), line


def test_it_works_without_pytest(written):
    """The last file of the page runs as a script."""
    done = subprocess.run(
        [sys.executable, "by_hand.py"],
        cwd=written, capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip

    assert "<Evaluation 1 cases, nDCG 1.000" in done.stdout
    assert "1 of 1 citations hold" in done.stdout
