"""A third-party client's sessions, replayed frame by frame, are answered alike."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import hsum
from tests.servers.sessions import PROGRAM
from tests.servers.transcripts import CITATION, essence

FOLDER = Path(__file__).parent / "transcripts"


@pytest.fixture
def arguments(tmp_path, monkeypatch):
    """How each recorded server was started, over the same small tree."""
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "src").mkdir()
    (root / "docs" / "guide.md").write_text("# Guide\n\nneedle in the stack\n", "utf-8")
    (root / "src" / "code.py").write_text(
        "def secret_part():\n    'needle in the stack'\n", "utf-8"
    )
    binding = hsum.initialize(root).context.binding
    store = tmp_path / "team.hythe"
    return {
        "evidence": ["hsum", "mcp", "--binding", binding],
        "memory": ["hythe", "mcp", "--store", str(store), "--agent", "planner"],
    }


@pytest.mark.parametrize("name", ["evidence", "memory"])
def test_a_recorded_session_is_answered_alike(arguments, name):
    """Each answer has the recorded essence, in the recorded order."""
    rows = [
        json.loads(line)
        for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    citation = ""
    with subprocess.Popen(
        [*PROGRAM, *arguments[name]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        for row in rows:
            if row["way"] == "in":
                sent = json.dumps(row["frame"]).replace("<citation>", citation)
                server.stdin.write(sent.encode() + b"\n")
                server.stdin.flush()
                continue
            frame = json.loads(server.stdout.readline())
            found = CITATION.search(
                json.dumps(frame.get("result", {}).get("structuredContent", ""))
            )
            citation = found[0] if found and not citation else citation
            assert essence(frame) == row["essence"], row
        server.stdin.close()

    assert server.returncode == 0
