"""init, context, trust, untrust, project: which index a command is about."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess

import pytest

KEYS = [
    "index",
    "index_id",
    "project",
    "project_id",
    "source_root",
    "binding",
    "selection",
    "data_path",
]


def test_init_indexes_binds_and_shows_a_search(hsum):
    """The first command leaves something to look at."""
    done = hsum.ok("init")

    assert "Index lantern of" in done.out
    assert "generation 1: 4 added" in done.out
    assert "$ hsum search" in done.out
    assert "hsum://v1/" in done.out


def test_the_search_that_init_shows_can_be_copied(hsum, tmp_path):
    """From outside the folder the line names the index; from inside it need not."""
    inside = _shown(hsum.ok("init"))
    outside = hsum.within(tmp_path)
    line = _shown(outside.ok("init", hsum.cwd))

    assert [*inside, "--index", "lantern"] == line
    assert outside.json(*line)["hits"]


def _shown(done):
    (line,) = (x for x in done.out.splitlines() if x.startswith("$ hsum "))
    return shlex.split(line)[2:]


def test_outside_every_root_the_known_indexes_are_named(hsum, tmp_path):
    """Who stands elsewhere is told what --index may be."""
    hsum.ok("init")
    done = hsum.within(tmp_path)("search", "oil")

    assert 1 == done.status
    assert "name one with --index (lantern)." in done.err


def test_init_again_keeps_all_ids(hsum):
    """A second run brings the index up to date, and nothing gets a new id."""
    first = hsum.json("init")
    (hsum.cwd / "new.md").write_text("new\n", encoding="utf-8")
    second = hsum.json("init")

    assert first["context"] == second["context"]
    assert first["binding"] == second["binding"]
    assert (1, 2) == (first["report"]["generation"], second["report"]["generation"])


def test_init_takes_the_git_root_around_the_working_directory(hsum):
    """Below a repository the repository is meant."""
    subprocess.run(["git", "init", "-q", hsum.cwd], check=True)

    made = hsum.within(hsum.cwd / "docs").json("init")

    assert str(hsum.cwd) == made["context"]["source_root"]


def test_init_names_a_second_folder_of_the_same_name(hsum, tmp_path):
    """`-2` follows when the name is taken by another root."""
    hsum.ok("init")
    other = tmp_path / "elsewhere" / "lantern"
    other.mkdir(parents=True)
    (other / "a.md").write_text("a\n", encoding="utf-8")

    assert "lantern-2" == hsum.json("init", other)["context"]["index"]
    assert "lantern-2" == hsum.json("init", other)["context"]["index"]


def test_a_refused_init_leaves_nothing(hsum, tmp_path):
    """What a guard refuses is not half made."""
    guarded = hsum.within(tmp_path, HOME=str(hsum.cwd))

    done = guarded("init", hsum.cwd, "--json")

    assert (2, "CONFIRMATION_REQUIRED") == (done.status, done.json["code"])
    assert [] == list((tmp_path / "home" / "data" / "indexes").iterdir())


def test_init_of_a_missing_folder_says_so(hsum):
    """There is nothing to index."""
    done = hsum("init", "nowhere", "--json")

    assert (1, "ROOT_MISSING") == (done.status, done.json["code"])


def test_managed_files_are_the_users_alone(hsum, tmp_path):
    """Every directory is 0700, every file 0600, whatever the umask is."""
    old = os.umask(0o022)
    try:
        hsum.ok("init")
        (hsum.cwd / "new.md").write_text("new\n", encoding="utf-8")
        hsum.ok("ingest")
    finally:
        os.umask(old)
    paths = [tmp_path / "home", *(tmp_path / "home").rglob("*")]
    found = {(path.is_dir(), oct(stat.S_IMODE(path.stat().st_mode))) for path in paths}

    assert {(True, "0o700"), (False, "0o600")} == found


def test_context_prints_exactly_its_lines(hsum):
    """Six facts and how they came about, in this order."""
    made = hsum.json("init")
    done = hsum.ok("context")

    context = made["context"]
    assert [
        "Index: lantern",
        f"Index ID: {context['index_id']}",
        "Project: default",
        f"Project ID: {context['project_id']}",
        f"Source root: {hsum.cwd}",
        f"Binding: {made['binding']['id']}",
        "Selection: trusted_root",
    ] == done.out.splitlines()


def test_context_verbose_adds_the_data_path(hsum, tmp_path):
    """Where the data lie is told on request."""
    hsum.ok("init")

    lines = hsum.ok("context", "--verbose").out.splitlines()

    assert f"Data path: {tmp_path}/home/data/indexes/lantern" == lines[-1]


def test_context_json_has_exactly_its_keys(hsum):
    """Programs read the same words."""
    hsum.ok("init")

    assert KEYS == list(hsum.json("context"))


def test_context_tells_how_the_index_was_selected(hsum, tmp_path):
    """By option, by path, by environment, by the bound root."""
    made = hsum.json("init")
    outside = hsum.within(tmp_path)
    path = made["context"]["data_path"]
    environment = hsum.within(tmp_path, HSUM_INDEX="lantern")

    assert "explicit" == outside.json("context", "--index", "lantern")["selection"]
    assert "path" == outside.json("context", "--index", path)["selection"]
    assert "environment" == environment.json("context")["selection"]
    assert "trusted_root" == hsum.json("context")["selection"]
    assert made["binding"]["id"] == environment.json("context")["binding"]


def test_outside_of_every_root_nothing_is_selected(hsum, tmp_path):
    """The way out is named."""
    done = hsum.within(tmp_path)("context")

    assert 1 == done.status
    assert "" == done.out
    assert done.err.startswith("INDEX_NOT_FOUND")
    assert "hsum init" in done.err


def test_an_unknown_index_names_those_there_are(hsum):
    """A misspelt name can be mended."""
    hsum.ok("init")

    done = hsum("status", "--index", "lanter", "--json")

    assert ("INDEX_NOT_FOUND", {"known": ["lantern"]}) == (
        done.json["code"],
        done.json["details"],
    )


def test_projects_can_be_added_listed_and_removed(hsum):
    """A project is a name for some of the documents."""
    hsum.ok("init")
    added = hsum.json("project", "add", "docs", "--include", "docs/**")
    listed = hsum.json("project", "list")
    twice = hsum("project", "add", "docs")
    hsum.ok("project", "remove", "docs")

    assert ["docs/**"] == added["include"]
    assert ["default", "docs"] == [p["name"] for p in listed["projects"]]
    assert 1 == twice.status
    assert ["default"] == [p["name"] for p in hsum.json("project", "list")["projects"]]


def test_trust_needs_an_explicit_word(hsum):
    """Without --confirm nothing is granted, and the whole command is shown."""
    done = hsum("trust", ".")

    assert 2 == done.status
    assert "CONFIRMATION_REQUIRED" in done.err
    assert f"hsum trust {hsum.cwd} --confirm`" in done.err
    named = hsum("trust", ".", "--index", "lantern", "--project", "docs", "--json")
    command = f"hsum trust {hsum.cwd} --confirm --index lantern --project docs"
    assert f"Run `{command}`." == named.json["hint"]


def test_trust_needs_an_index(hsum):
    """There is nothing to serve before `hsum init`."""
    done = hsum("trust", ".", "--confirm", "--json")

    assert (1, "INDEX_NOT_FOUND") == (done.status, done.json["code"])
    assert "hsum init" in done.json["hint"]


def test_trust_is_idempotent_and_each_project_has_its_own(hsum):
    """The same grant gives the same binding."""
    made = hsum.json("init")
    hsum.ok("project", "add", "docs", "--include", "docs/**")
    again = hsum.json("trust", ".", "--confirm")
    docs = hsum.json("trust", ".", "--confirm", "--project", "docs")

    assert made["binding"] == again
    assert docs["id"] != again["id"]
    assert docs["id"] == hsum.json("context", "--project", "docs")["binding"]


def test_untrust_revokes(hsum):
    """A revoked binding selects nothing any more, and cannot be revoked again."""
    binding = hsum.json("init")["binding"]["id"]
    revoked = hsum.json("untrust", binding)
    twice = hsum("untrust", binding, "--json")

    assert [binding] == [item["id"] for item in revoked["revoked"]]
    assert "INDEX_NOT_FOUND" == hsum("context", "--json").json["code"]
    assert (2, "NOT_TRUSTED") == (twice.status, twice.json["code"])
    assert "Binding: none" in hsum.ok("context", "--index", "lantern").out


def test_a_moved_index_keeps_its_ids_and_loses_its_binding(hsum, tmp_path):
    """`trust NEW --confirm --index NAME` follows a root that was moved."""
    made = hsum.json("init")
    moved = tmp_path / "moved"
    os.rename(hsum.cwd, moved)
    there = hsum.within(moved)
    missing = there("ingest", "--index", "lantern", "--json")
    binding = there.json("trust", moved, "--confirm", "--index", "lantern")
    context = there.json("context")

    assert "ROOT_MISSING" == missing.json["code"]
    assert made["binding"]["id"] != binding["id"]
    assert made["context"]["index_id"] == context["index_id"]
    assert str(moved) == context["source_root"]
    assert (
        "NOT_TRUSTED" == there("untrust", made["binding"]["id"], "--json").json["code"]
    )


def test_another_root_is_refused_for_an_index_that_has_one(hsum, tmp_path):
    """An index stands for one root."""
    hsum.ok("init")
    other = tmp_path / "other"
    other.mkdir()

    done = hsum("ingest", other, "--index", "lantern", "--json")

    assert (1, "ROOT_MISMATCH") == (done.status, done.json["code"])


@pytest.mark.parametrize("name", ["config", "data/indexes/lantern"])
def test_a_directory_that_others_may_enter_is_refused(hsum, tmp_path, name):
    """The fix is the command that closes it."""
    hsum.ok("init")
    folder = tmp_path / "home" / name
    folder.chmod(0o755)

    done = hsum("status", "--json")

    assert (7, "PERMISSION_DENIED") == (done.status, done.json["code"])
    assert f"Close it: chmod 700 {folder}" == done.json["hint"]


def test_the_bindings_are_json_that_people_can_read(hsum, tmp_path):
    """`trust.json` is one small document."""
    made = hsum.json("init")
    path = tmp_path / "home" / "config" / "trust.json"
    data = json.loads(path.read_text("utf-8"))

    assert "hsum-trust/1" == data["format"]
    assert [made["binding"]] == data["bindings"]
