"""The plugin in runs of its own: what it gives, and that it is quiet otherwise."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.plugin import projects

DOCS = {
    "docs/scope.md": "# Scopes\n\nA shielded cancel scope survives.\n",
    "docs/other.md": "# Other\n\nNothing of note.\n",
}
FIXTURES = """
import hsum, pytest
from adapters.pytest_plugin.client import Refused

FILES = {"a.md": "A shielded cancel scope survives."}


def test_index_is_empty(hsum_index):
    with pytest.raises(hsum.NotFound):
        hsum_index.search("anything")


def test_corpora_of_one_test_are_apart(hsum_corpus, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "b.md").write_text("other words")
    one, other = hsum_corpus(FILES), hsum_corpus(tmp_path / "own")
    assert ["a.md"] == [hit.path for hit in one.search("shielded")]
    assert ["b.md"] == [hit.path for hit in other.search("words")]


def test_shared_is_read_only(hsum_shared_corpus):
    index = hsum_shared_corpus(FILES)
    assert 1 == len(index.search("shielded"))
    with pytest.raises(hsum.HsumError):
        index.ingest()


def test_agents(hythe_agents, hythe_store, hythe_clock):
    planner, critic = hythe_agents("planner", "critic")
    before = planner.observe("api", "uses SQLite").recorded_at
    hythe_clock.advance(60)
    assert 60 == (critic.observe("api", "is fast").recorded_at - before).seconds
    assert {"planner", "critic"} <= {one.id for one in hythe_store.agents()}


def test_servers(hsum_corpus, hythe_store, mcp_client):
    evidence, memory = mcp_client(hsum_corpus(FILES)), mcp_client(hythe_store)
    [hit] = evidence.call("evidence_search", query="shielded")["hits"]
    assert FILES["a.md"] == evidence.read(hit["citation"])["text"]
    with pytest.raises(Refused) as refused:
        evidence.call("evidence_search", query='"')
    assert "QUERY_UNCLOSED_QUOTE" == refused.value.code
    assert {"resume", "checkpoint"} <= {tool.name for tool in memory.tools()}


@pytest.mark.parametrize("number", range(4))
def test_shared_by_workers(number, hsum_shared_corpus):
    folder = hsum_shared_corpus(FILES).status().data_path
    with open("folders.txt", "a") as file:
        file.write(folder + chr(10))
"""
CASES = [
    {"query": "shielded scope", "relevant": ["docs/scope.md"]},
    {"query": "nothing of note", "relevant": ["docs/other.md", "docs/scope.md"]},
]


def lines(cases):
    return "".join(f"{json.dumps(case)}\n" for case in cases)


@pytest.fixture
def project(tmp_path):
    """A small project with documents and cases."""
    projects.write(tmp_path, {**DOCS, "cases.jsonl": lines(CASES)})
    return tmp_path


def test_fixtures_work_and_are_shared_by_workers(project):
    """Every fixture gives what its name says; four workers build one shared index."""
    projects.write(project, {"test_fixtures.py": FIXTURES})

    ran = projects.pytest(project, "-q", "-n", "4", "-W", "error", "--strict-markers")

    assert {"passed": 9} == ran.counts(), ran.text
    assert 0 == ran.status
    assert 1 == len(set((project / "folders.txt").read_text().split()))
    assert "hsum" not in ran.text


def test_cases_are_tests_with_a_minimum(project):
    """Each line is a test; the mean decides, and the page and the summary say so."""
    page = project / "out" / "report.html"
    words = ["cases.jsonl", "--hsum-eval", "cases.jsonl", f"--hsum-report={page}"]

    passed = projects.pytest(project, *words, "--hsum-eval-min", "0.7")
    failed = projects.pytest(
        project, *words, "-n", "2", "--hsum-eval-min", "recall=0.9"
    )

    assert (0, {"passed": 2}) == (passed.status, passed.counts()), passed.text
    assert (1, {"passed": 2}) == (failed.status, failed.counts())
    assert "at least the minimum 0.7" in passed.text
    assert "below the minimum 0.9" in failed.text
    assert "missed by 'nothing of note': docs/scope.md" in failed.text
    assert "docs/scope.md was missed" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (
            {"query": "shielded", "relevant": ["docs/other.md"], "minimum": 0.5},
            "missed",
        ),
        (
            {"query": "shielded", "relevant": ["nowhere.md"]},
            "not in the index: nowhere",
        ),
        ({"query": '"shielded', "relevant": ["docs/scope.md"]}, "QUERY_UNCLOSED_QUOTE"),
        ({"query": "shielded"}, "cases.jsonl:1: required field missing"),
        (
            {"query": "x", "relevant": ["a"], "k": 3},
            "cases.jsonl:1: extra fields found",
        ),
        ({"query": "x", "relevant": []}, "a case names something relevant"),
    ],
)
def test_bad_cases_fail_with_a_reason(project, case, said):
    """A case that misses its minimum, cannot be met or makes no sense says why."""
    projects.write(project, {"cases.jsonl": lines([case])})

    ran = projects.pytest(project, "cases.jsonl", "--hsum-eval", "cases.jsonl")

    assert ran.status in {1, 2}
    assert said in ran.text


def test_marked_tests_ask_their_own_index(project):
    """The marker asks what the test made, else the shared index, as often as it stands."""
    projects.write(
        project,
        {
            "test_marked.py": """
import pytest
case = pytest.mark.retrieval_case

@case(query="kept", relevant=["mine.md"], minimum=1.0)
@case("warm", ["mine.md:2"], minimum=1.0)
def test_own(hsum_corpus):
    hsum_corpus({"mine.md": "kept\\nwarm"})

@case(query="cancel scope survives", relevant=["docs/scope.md:3"], minimum=0.5)
def test_shared(): pass

@case(query="shielded", relevant=["docs/other.md"])
def test_by_hand(retrieval_case, hsum_eval_index):
    [result] = retrieval_case(hsum_eval_index)
    assert ("docs/other.md",) == result.missed

@case(query="shielded", relevant=["docs/other.md"], minimum=0.1)
def test_fails(): pass
"""
        },
    )

    ran = projects.pytest(project, "test_marked.py", "--strict-markers")

    assert {"failed": 1, "passed": 3} == ran.counts(), ran.text
    assert "retrieval: 5 cases" in ran.text
    assert "nDCG@10 0.00, minimum 0.10" in ran.text


def test_documents_are_checked(project):
    """Each Markdown file is a test; what is cited and gone fails it, and no Python runs."""
    projects.write(
        project,
        {
            "docs/good.md": "See `docs/scope.md:3`.\n",
            "docs/bad.md": "See `docs/scope.md:3-99` and hsum://v1/nonsense.\n",
            "docs/test_not_run.py": "raise SystemError\n",
            "docs/node_modules/skipped.md": "See `gone.md:1`.\n",
        },
    )

    ran = projects.pytest(project, "--hsum-check", "docs", "docs/good.md")

    assert (1, {"failed": 1, "passed": 3}) == (ran.status, ran.counts()), ran.text
    assert "bad.md:1:6: past_end docs/scope.md:3-99" in ran.text
    assert "unresolvable hsum://v1/nonsense" in ran.text


@pytest.mark.parametrize(
    "words",
    [
        ["--hsum-check", "nowhere"],
        ["--hsum-eval", "nowhere.jsonl"],
        ["--hsum-eval", "cases.jsonl", "--hsum-eval-min", "2"],
        ["--hsum-eval-min", "speed=0.5"],
        ["--hsum-check", ".home"],
    ],
)
def test_wrong_options_are_refused(project, words):
    """What options name exists, and minima lie between 0 and 1."""
    (project / ".home").mkdir()

    ran = projects.pytest(project, *words)

    assert 4 == ran.status
    assert "ERROR: " in ran.text


@pytest.mark.sources
def test_this_repository_cites_itself():
    """The citations of our own documents stand, by the lock file alone."""
    ran = projects.pytest(projects.ROOT, "docs/explanation", "--hsum-check", "docs")

    assert 0 == ran.status, ran.text


# --- unused -------------------------------------------------------------------------

_UNRELATED = """
import sys

def test_nothing(request):
    assert not {"hsum", "hythe", "tantivy", "sqlite_utils", "mcp"} & set(sys.modules)
"""


@pytest.mark.parametrize("words", [[], ["-p", "no:hsum_hythe"]])
def test_unused_it_is_silent_and_light(tmp_path, words):
    """In an unrelated project it prints nothing and imports nothing but itself."""
    projects.write(tmp_path, {"test_unrelated.py": _UNRELATED})

    # As everywhere: all plugins of the environment, found by themselves.
    ran = projects.pytest(
        tmp_path, "-q", "-W", "error", *words,
        alone=["-p", "no:asyncio"], PYTEST_DISABLE_PLUGIN_AUTOLOAD="",
    )  # fmt: skip

    assert {"passed": 1} == ran.counts(), ran.text
    assert "hsum" not in ran.text
    assert not (tmp_path / ".home").exists()


def test_switched_off_it_gives_nothing(tmp_path):
    """Without the plugin its fixtures and options are unknown."""
    projects.write(tmp_path, {"test_a.py": "def test_a(hsum_index): pass\n"})
    off = ["-p", "no:hsum_hythe"]

    ran = projects.pytest(tmp_path, alone=off)
    refused = projects.pytest(tmp_path, "--hsum-check=.", alone=off)

    assert "fixture 'hsum_index' not found" in ran.text
    assert 4 == refused.status


def test_it_costs_little_to_start():
    """Loading it takes less than a tenth of what loading pytest takes."""
    code = """
import time
began = time.perf_counter()
import pytest, _pytest.config, _pytest.python, _pytest.terminal
loaded = time.perf_counter()
import adapters.pytest_plugin
print((time.perf_counter() - loaded) / (loaded - began))
"""
    command = [sys.executable, "-c", code]

    def share():
        done = subprocess.run(command, capture_output=True, check=True, text=True)
        return float(done.stdout)

    assert min(share() for _ in range(5)) < 0.1
