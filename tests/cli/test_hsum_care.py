"""Backup, restore, prune, forget, watch, check on the command line."""

from __future__ import annotations

import signal
import subprocess
import time


def test_a_backup_can_be_restored_elsewhere(hsum, tmp_path):
    """The copy answers as the index did."""
    hsum.ok("init")
    citation = hsum.json("search", "lantern")["hits"][0]["citation"]
    hsum.ok("backup", tmp_path / "copy.hsum")
    hsum.ok("restore", tmp_path / "copy.hsum", tmp_path / "restored")
    there = ["--index", f"{tmp_path}/restored"]

    assert (
        hsum.json("get", citation)["text"] == hsum.json("get", citation, *there)["text"]
    )
    assert 2 == hsum("backup", tmp_path / "copy.hsum").status


def test_pruned_evidence_says_so(hsum):
    """A dry run first; then what only the past held is gone."""
    hsum.ok("init")
    nothing = hsum.json("prune", "--keep-generations", 1)
    citation = hsum.json("search", "Install")["hits"][0]["citation"]
    (hsum.cwd / "docs" / "guide.md").write_text("anew\n", encoding="utf-8")
    hsum.ok("ingest")
    plan = hsum.json("prune", "--keep-generations", 1, "--dry-run")
    still = hsum.ok("get", citation)
    refused = hsum("prune", "--keep-generations", 1, "--json")
    hsum.ok("prune", "--keep-generations", 1, "--confirm")
    gone = hsum("get", citation, "--json")

    assert (True, 0) == (nothing["dry_run"], nothing["revisions"])
    assert (True, 1) == (plan["dry_run"], plan["revisions"])
    assert (2, "CONFIRMATION_REQUIRED") == (refused.status, refused.json["code"])
    assert plan == refused.json["details"]
    assert "Install" in still.out
    assert (1, "EVIDENCE_PRUNED") == (gone.status, gone.json["code"])


def test_forgotten_bytes_never_come_back(hsum):
    """The path is left out from then on, and its citation says why."""
    hsum.ok("init")
    citation = hsum.json("search", "Install")["hits"][0]["citation"]
    planned = hsum("forget", "docs/guide.md")
    still = hsum.ok("get", citation)
    hsum.ok("forget", "docs/guide.md", "--confirm")
    hsum.ok("ingest", "--rehash")
    gone = hsum("get", citation, "--json")

    assert 2 == planned.status
    assert "would remove 1 revision of 1 path" in planned.out
    assert "Install" in still.out
    assert (1, "EVIDENCE_FORGOTTEN") == (gone.status, gone.json["code"])
    assert ["forgotten"] == [s["reason"] for s in hsum.json("skipped")["skipped"]]


def test_watch_ingests_what_changes_until_it_is_interrupted(hsum):
    """Each report is shown when it is there; Ctrl-C ends it with 130."""
    hsum.ok("init")
    process = subprocess.Popen(
        [*hsum.argv, "watch", "--settle-ms", "50"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=hsum.cwd,
        env=hsum.environ,
    )
    first = process.stdout.readline()
    time.sleep(0.5)  # the watcher starts after the first report
    (hsum.cwd / "new.md").write_text("new\n", encoding="utf-8")
    shown = b""
    while b"generation 2: 1 added" not in shown:
        shown = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert b"generation 1 stands" in first
    assert (130, b"interrupted\n") == (process.returncode, err)


def test_check_judges_locks_and_fixes(hsum):
    """Lines move, the lock knows what they were, --fix rewrites the place."""
    page = hsum.cwd / "page.md"
    page.write_text("See src/wick.py:4 for burning.\n", encoding="utf-8")
    hsum.ok("check", ".", "--lock")
    wick = hsum.cwd / "src" / "wick.py"
    wick.write_text("import oil\n\n" + wick.read_text("utf-8"), encoding="utf-8")
    moved = hsum("check", "page.md")
    sarif = hsum("check", "page.md", "--format", "sarif")
    fixed = hsum.json("check", "page.md", "--fix")

    assert 1 == moved.status
    assert "page.md:1:5  moved  src/wick.py:4" in moved.out
    assert "2.1.0" == sarif.json["version"]
    assert True is fixed["ok"]
    assert "src/wick.py:6" in page.read_text("utf-8")


def test_a_file_that_is_no_lock_is_never_overwritten(hsum):
    """`--lock README.md` reads the name as that of the lock file."""
    before = (hsum.cwd / "README.md").read_text("utf-8")

    done = hsum("check", ".", "--lock", "README.md", "--json")

    assert (2, "INVALID_ARGUMENT") == (done.status, done.json["code"])
    assert before == (hsum.cwd / "README.md").read_text("utf-8")


def test_an_answer_is_checked_as_it_comes_from_a_pipe(hsum):
    """`check -` reads stdin, whose paths start from the working directory."""
    hsum.ok("init")
    below = hsum.within(hsum.cwd / "src")
    said = "See wick.py:1, ../docs/guide.md:3 and nothing.py:9.\n"
    done = below("check", "-", input=said)
    both = below.json("check", "-", "wick.py", input="wick.py:2")
    refused = below("check", "-", "--fix", "--json", input=said)

    assert 1 == done.status
    assert "-:1:5  unpinned  wick.py:1" in done.out
    assert "-:1:39  unresolvable  nothing.py:9" in done.out
    assert (2, [None]) == (both["files"], [one["file"] for one in both["findings"]])
    assert (2, "INVALID_ARGUMENT") == (refused.status, refused.json["code"])


def test_a_restore_reports_the_index_that_it_made(hsum, tmp_path):
    """What counts from then on is the new directory, not the copy."""
    hsum.ok("init")
    hsum.ok("backup", tmp_path / "copy.hsum")
    made = hsum.json("restore", tmp_path / "copy.hsum", tmp_path / "restored")

    assert f"{tmp_path}/restored" == made["path"]


def test_a_copy_goes_to_a_file_and_no_stream(hsum):
    """`-` is refused where a whole database is read or written."""
    hsum.ok("init")
    for words in (["backup", "-"], ["restore", "-", "x"], ["restore", "x", "-"]):
        done = hsum(*words, "--json")
        assert (2, "INVALID_ARGUMENT") == (done.status, done.json["code"]), words

    assert 2 == hsum("check", ".", "--lock", "-").status
    assert not (hsum.cwd / "-").exists()
