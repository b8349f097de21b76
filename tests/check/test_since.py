"""`since`: what changed is found by hashes of our own; a repository runs nothing."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

import hsum

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not there")


def git(root, *words):
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words],
        cwd=root,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A repository of three committed files, two of which cite."""
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("a = 1\n", encoding="utf-8")
    (root / "one.md").write_text("see a.py:1\n", encoding="utf-8")
    (root / "two.md").write_text("see one.md:1\n", encoding="utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")
    return root


def cited_since(root, revision="HEAD"):
    report = hsum.check_files([root], since=revision)
    return [(one.file, one.found.raw) for one in report]


def test_nothing_changed_affects_nothing(root):
    """Neither an old file nor one that was only touched is reported."""
    os.utime(root / "a.py", (1, 1))

    assert [] == cited_since(root)


def test_a_change_affects_who_cites_and_what_is_cited(root):
    """In the tree, in the index, or in a later commit: it is a change."""
    (root / "a.py").write_text("a = 2\n", encoding="utf-8")
    changed = [("one.md", "a.py:1")]
    assert changed == cited_since(root)
    git(root, "add", "-A")
    assert changed == cited_since(root)
    git(root, "commit", "-qm", "y")
    assert [] == cited_since(root)
    assert changed == cited_since(root, "HEAD~1")
    (root / "a.py").unlink()
    (root / "new.md").write_text("see two.md:1\n", encoding="utf-8")

    assert [("new.md", "two.md:1"), *changed] == cited_since(root)


def test_paths_count_from_the_folder_that_is_checked(root):
    """A folder below the top, with a name that is no pattern, is found again."""
    below = root / "b[1]"
    below.mkdir()
    (below / "c.md").write_text("see b[1]/c.md:1 and a.py:1\n", encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "y")
    assert () == hsum.check_files([below], since="HEAD").findings
    (below / "c.md").write_text("so: see a.py:1\n", encoding="utf-8")

    assert ["a.py:1"] == [
        one.found.raw for one in hsum.check_files([below], since="HEAD")
    ]


@pytest.mark.parametrize("revision", ["--output=x", "nothing", "", "HEAD:a.py", "a\0b"])
def test_what_names_no_commit_is_refused(root, revision):
    """No option is smuggled in, and git's answer is passed on."""
    with pytest.raises(hsum.HsumError) as refused:
        hsum.check_files([root], since=revision)

    assert "INVALID_ARGUMENT" == refused.value.code
    assert not (root / "x").exists()


def _hostile(root, marker):
    """Let the repository's configuration name a command wherever git would run one."""
    run = f"touch {marker}; cat"
    (root / ".gitattributes").write_text("* filter=evil diff=evil\n", encoding="utf-8")
    hooks = root / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {marker}\n", encoding="utf-8")
        (hooks / name).chmod(0o755)
    for key, value in {
        "filter.evil.clean": run,
        "filter.evil.smudge": run,
        "filter.evil.process": run,
        "filter.evil.required": "true",
        "diff.evil.textconv": run,
        "diff.evil.command": run,
        "diff.external": run,
        "core.fsmonitor": run,
        "core.hooksPath": str(hooks),
        "core.pager": run,
        "core.sshCommand": run,
        "core.alternateRefsCommand": run,
        "pager.diff": run,
        "pager.ls-tree": run,
        "remote.origin.url": str(root),
        "remote.origin.uploadpack": run,
        "remote.origin.promisor": "true",
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "protocol.allow": "always",
    }.items():
        git(root, "config", key, value)


def test_a_repository_runs_nothing(root, tmp_path):
    """Filters, drivers, hooks, monitors and remotes of a clone are never started."""
    marker = tmp_path / "marker"
    tree = subprocess.run(
        ["git", "rev-parse", "HEAD^{tree}", "HEAD:a.py"],
        cwd=root,
        check=True,
        capture_output=True,
    ).stdout.split()
    _hostile(root, marker)
    for name in ("a.py", "one.md", "two.md"):
        os.utime(root / name, (1, 1))
    (root / "a.py").write_text("a = 3\n", encoding="utf-8")
    marker.unlink(missing_ok=True)
    blob = tree[1].decode()
    (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert [("one.md", "a.py:1")] == cited_since(root)
    with hsum.open(tmp_path / "index") as index:
        index.ingest(root)
        index.status()
    missing = tree[0].decode()
    (root / ".git" / "objects" / missing[:2] / missing[2:]).unlink()
    with pytest.raises(hsum.HsumError):
        cited_since(root)

    assert not marker.exists()
