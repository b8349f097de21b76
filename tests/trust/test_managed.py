"""Managed indexes and what a binding lets be read, as a library."""

from __future__ import annotations

import json
import multiprocessing
import os
from pathlib import Path

import pytest

import hsum
from hsum._kernel.ids import SequentialIds

spawn = multiprocessing.get_context("spawn")


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """A small tree, with a home of its own for hsum."""
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    for name in ("HSUM_INDEX", "HSUM_PROJECT", "HSUM_BINDING"):
        monkeypatch.delenv(name, raising=False)
    root = tmp_path / "lantern"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "guide.md").write_text("pour the oil slowly\n", encoding="utf-8")
    (root / "wick.py").write_text("oil = 1\n", encoding="utf-8")
    return root


@pytest.fixture
def made(corpus):
    """The tree's index, with a project `docs` beside `default`."""
    made = hsum.initialize(corpus)
    with hsum.open_managed("lantern") as index:
        index.projects.add("docs", include=["docs/"])
    return made


def code_of(call, *args, **options):
    with pytest.raises(hsum.HsumError) as caught:
        call(*args, **options)
    return caught.value.code


def test_initialize_reports_what_it_made(corpus):
    """Index, binding, report, and an answered search."""
    made = hsum.initialize(corpus)

    assert (
        "<Initialized lantern: <IngestReport generation 1: +2 ~0 -0, 0 skipped>>"
        == repr(made)
    )
    assert made.context.binding == made.binding.id
    assert made.hits[0].path == "docs/guide.md"
    assert f"<Binding {made.binding.id} lantern/default -> {str(corpus)!r}>" == repr(
        made.binding
    )


def test_initialize_makes_nothing_in_a_home_that_is_not_utf8(
    corpus, tmp_path, monkeypatch
):
    """The search index takes paths of text alone; the next step names the variable."""
    home = tmp_path / os.fsdecode(b"home\xff")
    monkeypatch.setenv("HSUM_HOME", str(home))
    with pytest.raises(hsum.InvalidInput, match="is not UTF-8") as caught:
        hsum.initialize(corpus)

    assert "HSUM_HOME" in caught.value.hint
    assert not home.exists()


def test_initialize_of_an_empty_folder_has_nothing_to_search(corpus, tmp_path):
    """An empty tree is a generation too."""
    (tmp_path / "empty").mkdir()

    made = hsum.initialize(tmp_path / "empty")

    assert (1, "", None) == (made.report.generation, made.query, made.hits)


def test_initialize_with_injected_ids_is_repeatable(corpus, tmp_path, monkeypatch):
    """The same source of ids gives the same index and binding."""
    first = hsum.initialize(corpus, ids=SequentialIds("a"), clock=lambda: 1)
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "other"))
    second = hsum.initialize(corpus, ids=SequentialIds("a"), clock=lambda: 1)

    assert first.context.index_id == second.context.index_id
    assert first.binding.id == second.binding.id


def test_a_name_can_be_chosen(corpus):
    """Another name is another index of the same root, and then both must be named."""
    hsum.initialize(corpus)

    assert "notes" == hsum.initialize(corpus, name="notes").context.index
    assert "INVALID_ARGUMENT" == code_of(hsum.context, directory=corpus)
    assert "INVALID_ARGUMENT" == code_of(hsum.initialize, corpus, name="../x")


def test_a_name_of_another_root_is_refused(corpus, tmp_path):
    """An index is never taken over by naming it."""
    hsum.initialize(corpus)
    (tmp_path / "other").mkdir()

    assert "ROOT_MISMATCH" == code_of(
        hsum.initialize, tmp_path / "other", name="lantern"
    )
    assert "lantern" == hsum.context(directory=corpus).index


def initialize(home, root):
    os.environ["HSUM_HOME"] = str(home)
    hsum.initialize(root, lock_timeout_ms=60_000)


def test_processes_that_initialize_one_root_make_one_index(corpus, tmp_path):
    """Whoever comes second finds what the first one made."""
    home = tmp_path / "home"
    processes = [
        spawn.Process(target=initialize, args=(home, corpus)) for _ in range(3)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert [0, 0, 0] == [process.exitcode for process in processes]
    assert ["lantern"] == sorted(p.name for p in (home / "data/indexes").iterdir())


def test_open_managed_takes_the_index_of_the_working_directory(
    made, corpus, monkeypatch
):
    """Below a bound root nothing need be said."""
    monkeypatch.chdir(corpus / "docs")
    with hsum.open_managed() as index:
        assert 2 == len(index)
    monkeypatch.chdir("/")

    assert "INDEX_NOT_FOUND" == code_of(hsum.open_managed)


def test_context_finds_an_index_by_a_citation(made):
    """From anywhere, without a name, also when the binding is gone."""
    citation = made.hits[0].citation
    by_binding = hsum.context(citation=citation, directory="/")
    hsum.revoke(made.binding)
    by_folder = hsum.context(citation=str(citation), directory="/")

    assert "lantern" == by_binding.index == by_folder.index
    assert by_folder.binding is None


def test_revoke_takes_a_binding_an_id_or_a_root(made, corpus):
    """Each names what is to end; what is not bound cannot end."""
    docs = hsum.grant(corpus, confirm=True, project="docs")

    assert (docs,) == hsum.revoke(docs.id)
    assert (made.binding,) == hsum.revoke(corpus)
    assert "NOT_TRUSTED" == code_of(hsum.revoke, corpus)


def test_nothing_is_served_without_a_binding(made, monkeypatch):
    """An unknown id, none at all, or one from the environment."""
    assert "NOT_TRUSTED" == code_of(hsum.open_bound)
    assert "NOT_TRUSTED" == code_of(hsum.open_bound, made.context.index_id)
    monkeypatch.setenv("HSUM_BINDING", made.binding.id)
    with hsum.open_bound() as bound:
        assert 2 == len(bound)
        assert [1] == [one.number for one in bound.generations()]
        assert bound.doctor().healthy


def test_a_bound_index_shows_its_project_alone(made, corpus):
    """What is outside is as unknown as what never was."""
    outside = made.context.index_id
    docs = hsum.grant(corpus, confirm=True, project="docs")
    with hsum.open_managed("lantern") as index:
        hidden = next(d.citation for d in index.documents() if d.path == "wick.py")
    with hsum.open_bound(docs.id) as bound:
        hits = bound.search("oil")
        shown = hits[0].citation
        unknown = str(shown).replace(shown.document_id, outside)

        assert ["docs/guide.md"] == [hit.path for hit in hits]
        assert ["docs/guide.md"] == [item.path for item in bound.documents()]
        assert 1 == len(bound)
        assert (True, False) == (shown in bound, hidden in bound)
        assert "pour the oil slowly\n" == bound[shown].text
        assert "EVIDENCE_NOT_FOUND" == code_of(bound.get, hidden)
        assert "EVIDENCE_NOT_FOUND" == code_of(bound.get, unknown)
        assert "PROJECT_UNKNOWN" == code_of(bound.search, "oil", project="default")
        assert ["unresolvable"] == [f.verdict for f in bound.check(f"see {hidden} x")]


def test_no_call_on_a_bound_index_names_what_is_outside(made, corpus, tmp_path):
    """Skips, projects, status and copies show nothing of another project."""
    (corpus / "private").mkdir()
    (corpus / "private" / "key.pem").write_text("k")
    (corpus / "docs" / "blob.bin").write_bytes(bytes(99))
    with hsum.open_managed("lantern") as index:
        index.ingest()
        index.projects.add("private", include=["private/**"])
    docs = hsum.grant(corpus, confirm=True, project="docs")
    with hsum.open_bound(docs.id) as bound:
        status = bound.status()

        assert ["docs/blob.bin"] == [item.path for item in bound.skipped()]
        assert ["docs"] == [item.name for item in bound.projects.list()]
        assert ["docs"] == [item.name for item in status.projects]
        assert (1, {"binary": 1}) == (status.documents, status.skipped)
        assert (1, 20) == (status.passages, status.bytes)
        assert {"binary": 1} == bound.search("oil").searched.skipped
        assert "PERMISSION_DENIED" == code_of(bound.generations)
        assert "PERMISSION_DENIED" == code_of(bound.doctor)
        assert "PERMISSION_DENIED" == code_of(bound.backup, tmp_path / "copy")
        assert "PERMISSION_DENIED" == code_of(bound.forget, "wick.py")
        assert "PERMISSION_DENIED" == code_of(bound.prune, keep_generations=1)
        assert not (tmp_path / "copy").exists()


def test_a_bound_index_writes_nothing(made):
    """Reading is all that a binding grants."""
    with hsum.open_bound(made.binding.id) as bound:
        assert "PERMISSION_DENIED" == code_of(bound.ingest)
        assert "PERMISSION_DENIED" == code_of(bound.projects.add, "x")


def test_a_revoked_binding_is_noticed_at_the_next_call(made):
    """An open handle has no rights of its own."""
    with hsum.open_bound(made.binding.id) as bound:
        hsum.revoke(made.binding)

        assert "NOT_TRUSTED" == code_of(bound.search, "oil")
        assert "NOT_TRUSTED" == code_of(bound.get, made.hits[0].citation)
        assert "NOT_TRUSTED" == code_of(bound.status)


@pytest.mark.parametrize("key", ["root", "index_id", "project_id"])
def test_a_binding_must_match_the_index_in_everything(made, tmp_path, key):
    """Root, index id and project id all have to be those that were granted."""
    path = tmp_path / "home" / "config" / "trust.json"
    data = json.loads(path.read_text("utf-8"))
    data["bindings"][0][key] = made.binding.id
    path.write_text(json.dumps(data), encoding="utf-8")

    with pytest.raises(hsum.HsumError) as caught:
        hsum.open_bound(made.binding.id)

    assert "NOT_TRUSTED" == caught.value.code
    assert "hsum trust" in caught.value.hint


def test_a_removed_index_is_no_longer_served(made, tmp_path):
    """A binding of nothing grants nothing."""
    (tmp_path / "home/data/indexes/lantern/index.sqlite").unlink()

    assert "NOT_TRUSTED" == code_of(hsum.open_bound, made.binding.id)


@pytest.mark.parametrize("text", [b"", b"not a database" * 1_000])
def test_a_lost_index_is_not_passed_over(made, corpus, tmp_path, text):
    """Its root gets no second index in silence; other roots are as they were."""
    (tmp_path / "other").mkdir()
    database = Path(made.binding.data_path) / "index.sqlite"
    database.write_bytes(text)
    with pytest.raises(hsum.Damaged) as caught:
        hsum.initialize(corpus)
    other = hsum.initialize(tmp_path / "other")

    assert "STORE_DAMAGED" == caught.value.code
    assert "other" == other.context.index
    assert text == database.read_bytes()


def test_an_index_elsewhere_can_be_bound_by_its_path(corpus, tmp_path):
    """The directory of an index that is not managed stands for its name."""
    folder = tmp_path / "shared-index"
    with hsum.open(folder) as index:
        index.ingest(corpus)
    binding = hsum.grant(corpus, confirm=True, index=str(folder))

    assert str(folder) == binding.index
    assert binding.id == hsum.context(directory=corpus).binding
    with hsum.open_bound(binding.id) as bound:
        assert 2 == len(bound)
