"""A working directory that was removed: what needs it says so, the rest works."""

from __future__ import annotations

import pytest

import hsum
import hythe

STATE = {"objective": "o", "status": "s", "owner": "w"}


@pytest.fixture
def gone(tmp_path, monkeypatch):
    """Stand in a folder that is no more; give one with an index and a store."""
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    hsum.initialize(root, name="known")
    with hythe.open(tmp_path / "team.hythe", agent="planner") as store:
        store.scope(project="p").checkpoint(STATE, parent=None)
    removed = tmp_path / "removed"
    removed.mkdir()
    monkeypatch.chdir(removed)
    removed.rmdir()
    return tmp_path


RELATIVE = {
    "open": lambda: hsum.open("x"),
    "open_managed": hsum.open_managed,
    "open_managed path": lambda: hsum.open_managed("./x"),
    "context": hsum.context,
    "initialize": hsum.initialize,
    "grant": lambda: hsum.grant(".", confirm=True),
    "revoke": lambda: hsum.revoke("."),
    "check_files": lambda: hsum.check_files(["x.md"]),
    "check text": lambda: hsum.check_files([], text="x.md:1"),
    "hsum.restore": lambda: hsum.restore("x", "y"),
    "ingest": lambda: hsum.open_managed("known").ingest("x"),
    "hsum.backup": lambda: hsum.open_managed("known").backup("x"),
    "hythe.open": lambda: hythe.open("x", agent="planner"),
    "hythe.restore": lambda: hythe.restore("x", "y"),
    "hythe.backup": lambda: hythe.in_memory(agent="planner").backup("x"),
    "export": lambda: hythe.in_memory(agent="planner").export("x"),
    "import": lambda: hythe.in_memory(agent="planner").import_("x"),
}


@pytest.mark.parametrize("name", RELATIVE)
@pytest.mark.usefixtures("gone")
def test_what_starts_from_there_is_refused(name):
    """A relative name leads nowhere, and the fault says why."""
    with pytest.raises((hsum.HsumError, hythe.HytheError)) as refused:
        RELATIVE[name]()

    assert "INVALID_ARGUMENT" == refused.value.code
    assert "the working directory" in refused.value.message


def test_what_is_named_in_full_works(gone):
    """Indexes by name, and files by their whole paths, need no folder."""
    with hsum.open_managed("known") as index:
        found = index.search("return")[0].citation
        assert "intact" == index.get(found, verify=True).span_state
        index.ingest()
        index.backup(gone / "copy.hsum")
        assert "known" == hsum.context(index="known").index
        assert hsum.context(citation=found).index_id == found.index_id
    with hythe.open(gone / "team.hythe", agent="planner") as store:
        store.backup(gone / "copy.hythe")
        store.export(gone / "team.jsonl")
        store.import_(gone / "team.jsonl")
    hsum.restore(gone / "copy.hsum", gone / "restored")
    hythe.restore(gone / "copy.hythe", gone / "restored.hythe")

    assert hsum.check_files([gone / "root"]).ok
    assert hsum.revoke(gone / "root")


@pytest.mark.usefixtures("gone")
def test_a_home_that_is_named_relatively_is_refused(monkeypatch):
    """What the environment names counts from the working directory as well."""
    monkeypatch.setenv("HSUM_HOME", "home")
    with pytest.raises(hsum.HsumError) as refused:
        hsum.context(index="known")

    assert "INVALID_ARGUMENT" == refused.value.code
