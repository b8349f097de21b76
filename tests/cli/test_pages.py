"""What people read: every command's page, run from nothing, in one process."""

from __future__ import annotations

import json
import re

import pytest

from adapters._wire import hsum_verbs, hythe_verbs
from adapters.cli import hsum_pages, hythe_pages
from adapters.cli.run import run
from hythe import HytheError
from hythe import open as open_store
from tests.cli.conftest import STATE, write_corpus

# What Python prints for itself: `<Plan ...>`, `Ranks(exact=None)`, `['a']`, `x=()`.
REPRS = re.compile(
    r"<[A-Z]\w+ |\w+\(\w+=|\['|=\(|\bNone\b|\bTrue\b|\b1 (?!class|stands)\w+s\b"
)
SCOPE = ["--project", "atlas"]


class Walk:
    """One program, run again and again; it keeps all that was read."""

    def __init__(self, program, capsys):
        self.program = program
        self.capsys = capsys
        self.read = []

    def __call__(self, *words, status=0):
        found = run(self.program, [str(word) for word in words])
        out, err = self.capsys.readouterr()
        self.read.append((words, out + err))
        assert status == found, (words, out, err)
        return out

    def json(self, *words):
        assert 0 == run(self.program, [*map(str, words), "--json"])
        return json.loads(self.capsys.readouterr().out)

    def reprs(self):
        return [(words, text) for words, text in self.read if REPRS.search(text)]


@pytest.fixture
def hythe(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HYTHE_STORE", str(tmp_path / "team.hythe"))
    monkeypatch.setenv("HYTHE_AGENT", "planner")
    return Walk("hythe", capsys)


@pytest.fixture
def hsum(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(write_corpus(tmp_path / "lantern"))
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    return Walk("hsum", capsys)


def test_every_command_has_a_page():
    """A result without one would have to be shown as Python shows it."""
    shown = {*hsum_pages._PAGES, *hsum_pages._WITH_OPTIONS}
    names = {
        verb.function.rpartition(".")[2].rpartition(":")[2]
        for verb in hythe_verbs.VERBS
        if verb.command or verb.tool == "plan_reconcile"
    }

    assert {verb.command for verb in hsum_verbs.VERBS if verb.command} == shown
    assert names <= {*hythe_pages._PAGES}


def test_state_is_shown_in_plain_words(hythe):
    """Checkpoints, heads, plans, resume: no value appears as Python writes it."""
    hythe("checkpoint", *SCOPE, *STATE, "--next-action", "write tests")
    hythe("record", *SCOPE, "--parent", 1, "--fact", "search", "p95", "40 ms")
    other = ["--parent", 1, "--fact", "search", "p95", "50 ms", "--loop", "ask"]
    hythe("checkpoint", *SCOPE, *STATE, *other, "--blocker", "a", "--agent", "critic")
    for verb in ("heads", "history", "resume"):
        hythe(verb, *SCOPE)
    plan = hythe("reconcile", *SCOPE, "--plan")
    hythe("patch", *SCOPE, "--parent", 1, "--status", "red", status=1)

    assert "fact of r3: search p95 50 ms (asserted)" in plan
    assert "loop of r3: ask (open)" in plan
    assert "blockers differs\n  r3  a\n  r2  none\n" in plan
    assert [] == hythe.reprs()


def test_memory_and_mail_are_shown_in_plain_words(hythe):
    """Further lines of a text stand below it; what is said about them is said once."""
    hythe("observe", "api", "uses PG 14")
    hythe("observe", "api", "uses PG 15\nand more")
    shown = hythe("current", "api")
    hythe("entity", "pay", "--alias", "payments", "--definition", "takes payments")
    hythe("relate", "api", "part-of", "pay")
    for words in (["api", "--show"], ["api", "--near"]):
        hythe("entity", *words)
    hythe("observe", "api", "uses PG 16", "--replaces", "current")
    found = hythe("search", "PG", "--superseded")
    hythe("checkpoint", *SCOPE, *STATE)
    hythe("agent", "register", "critic", "--capability", "review")
    agents = hythe("agent", "list")
    hythe("send", "--to", "critic", "look\nhere", "--thread", "t")
    hythe("handoff", "--to", "critic", *SCOPE, "the work")
    inbox = hythe("inbox", "--agent", "critic")
    ids = [one["id"] for one in hythe.json("inbox", "--agent", "critic")["messages"]]
    assert "1 message read\n" == hythe("read", ids[0], "--agent", "critic")
    again = hythe("read", *ids, "--agent", "critic")
    hythe("credential", "issue", "critic", "state:read")
    hythe("credential", "list")

    assert "api: uses PG 15\n    and more\n" in shown
    assert "1 more is live and disagrees:" in shown
    assert 1 == found.count("\n  superseded by ")
    assert "critic  review\n" == agents
    assert "1  planner  message, thread t  new  " in inbox
    assert "2  planner  handoff, of atlas  new  " in inbox
    assert "1 message read, 1 already\n" == again
    assert [] == hythe.reprs()


def test_the_care_of_a_store_is_shown_in_plain_words(hythe, tmp_path):
    """Kinds of rows are counted below each other, in words."""
    hythe("checkpoint", *SCOPE, *STATE)
    hythe("send", "--to", "planner", "a note")
    hythe("doctor")
    hythe("backup", tmp_path / "copy.hythe")
    hythe("restore", tmp_path / "copy.hythe", tmp_path / "other.hythe")
    exported = hythe("export", tmp_path / "team.jsonl")
    there = ["--store", tmp_path / "third.hythe"]
    hythe("import", tmp_path / "team.jsonl", "--dry-run", *there)
    imported = hythe("import", tmp_path / "team.jsonl", *there)
    again = hythe("import", tmp_path / "team.jsonl", *there)
    made = hythe.json("observe", "api", "hunter2")["id"]
    hythe("redact", made, "--reason", "x", status=2)
    hythe("redact", made, "--reason", "x", "--confirm")
    hythe("prune")

    assert "team.jsonl: 8 rows\n  1  entity\n  1  entity name\n" in exported
    assert "8 rows, 8 added\n  1  entity\n" in imported
    assert "8 rows, nothing added\n" == again
    assert [] == hythe.reprs()


def test_an_index_is_shown_in_plain_words(hsum, tmp_path):
    """Options are spelled as one would give them; ranks and counts are words."""
    hsum("init")
    hsum("ingest", "--exclude", "*.tmp", "--max-file-bytes", 9_000)
    status = hsum("status")
    found = hsum("search", "Wick.burn", "--explain", "--limit", 1)
    for verb in ("context", "documents", "generations", "skipped", "doctor"):
        hsum(verb)
    hsum("project", "add", "docs", "--include", "docs/**")
    hsum("project", "list")
    hsum("backup", tmp_path / "copy.hsum")
    hsum("restore", tmp_path / "copy.hsum", tmp_path / "restored")
    nothing = hsum("prune", "--keep-generations", 1)
    (tmp_path / "lantern" / "docs" / "other.md").unlink()
    hsum("ingest")
    planned = hsum("prune", "--keep-generations", 1, status=2)
    hsum("prune", "--keep-generations", 1, "--confirm")
    hsum("forget", "README.md", status=2)
    hsum("check", "src")

    assert "Options      --exclude *.tmp --max-file-bytes 9000\n" in status
    assert re.search(r"  score [\d.]+: exact #\d, bm25 #\d, file ", found)
    assert "nothing to remove" in nothing
    assert "would remove 1 revision of 41 B before generation 2\n" in planned
    assert [] == hsum.reprs()


def test_the_search_that_init_shows_works_as_it_stands(hsum):
    """Where a folder has two indexes the command names the one it means."""
    first = hsum("init")
    second = hsum("init", "--name", "other")

    assert "--index" not in first
    assert re.search(r"^\$ hsum search \S+ --index other$", second, re.MULTILINE)


def test_a_hint_suits_whoever_called(hythe, tmp_path):
    """The command line points to --help, which callers in Python do not have."""
    hythe("observe", "api", "is up")
    wrong = ["inbox", "--limit", 5_000]
    hythe(*wrong, status=2)
    with (
        pytest.raises(HytheError) as refused,
        open_store(tmp_path / "team.hythe", agent="planner") as store,
    ):
        store.inbox(limit=5_000)

    assert "`hythe inbox --help` shows the forms." in hythe.read[-1][1]
    assert "--" not in refused.value.hint


def test_null_is_no_patch_and_no_state(hythe):
    """JSON that says nothing is refused, and not taken for an option left out."""
    hythe("checkpoint", *SCOPE, *STATE)
    for words in (["patch", "--patch", "null"], ["checkpoint", "--state", "null"]):
        hythe(*words, *SCOPE, "--parent", 1, status=2)

    assert 1 == len(hythe.json("history", *SCOPE)["history"])


def test_watch_says_that_it_gives_many_documents(hsum):
    """What `--json` prints is said where it is more than one document."""
    hsum("init")

    assert "each report as a JSON document on a line" in " ".join(
        hsum("watch", "--help").split()
    )
    assert "Print one JSON document." in hsum("ingest", "--help")
