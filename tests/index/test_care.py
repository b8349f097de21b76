"""Projects, status and views: what people see of an index."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import hsum
from hsum import Citation, Hit, Hits, Place, Searched
from hsum._kernel.catalogue import ENTRIES
from tests.index.trees import plant


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root")


@pytest.fixture
def index(tmp_path: Path):
    with hsum.open(tmp_path / "ix") as made:
        yield made


def _git(folder: Path, *command: str) -> None:
    settings = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(
        ["git", *settings, *command], cwd=folder, check=True, capture_output=True
    )


def test_projects_are_added_listed_and_removed(index: hsum.Index, root: Path) -> None:
    """`default` comes with the index and stays; names are unique."""
    index.ingest(root)
    docs = index.projects.add("docs", include=["docs/**"], exclude="*.txt")
    listed = index.projects.list()
    with pytest.raises(hsum.Conflict) as exists:
        index.projects.add("docs")
    removed = index.projects.remove("docs")
    with pytest.raises(hsum.NotFound) as unknown:
        index.projects.remove("docs")
    with pytest.raises(hsum.InvalidInput):
        index.projects.remove("default")

    assert ["default", "docs"] == [project.name for project in listed]
    assert (("docs/**",), ("*.txt",)) == (docs.include, docs.exclude)
    assert docs == removed == listed[1]
    assert "PROJECT_EXISTS" == exists.value.code
    assert "PROJECT_UNKNOWN" == unknown.value.code
    assert ["default"] == unknown.value.details["projects"]


@pytest.mark.parametrize("name", ["", ".x", "-x", "a b", "a/b", "x" * 65, 7, None])
def test_project_names_can_be_typed(index: hsum.Index, name: object) -> None:
    """A name begins with a letter or digit and has no space or slash."""
    with pytest.raises(hsum.InvalidInput):
        index.projects.add(name)  # type: ignore[arg-type]


def test_a_project_before_the_first_ingest_makes_the_index(index: hsum.Index) -> None:
    """Its id is kept by the ingest that follows."""
    project = index.projects.add("docs")

    assert project in index.projects.list()
    assert 2 == len(list(index.projects))
    assert "<Projects default, docs>" == repr(index.projects)


def test_projects_of_a_new_schema_are_the_same_in_memory(root: Path) -> None:
    """The twin in memory has the same projects."""
    with hsum.in_memory() as index:
        index.ingest(root)
        index.projects.add("docs", include=["docs/**"])

        assert ["default", "docs"] == [one.name for one in index.projects.list()]


def test_the_status_counts_what_is_behind(index: hsum.Index, root: Path) -> None:
    """Files that differ and commits without an ingest are counted."""
    _git(root, "init", "-q")
    _git(root, "add", ".")
    _git(root, "commit", "-qm", "one")
    index.ingest(root)
    fresh = index.status().problems
    for number in range(20):
        (root / "notes.txt").write_bytes(b"%d\n" % number)
        _git(root, "commit", "-qam", f"{number}")
    (problem,) = index.status().problems
    _git(root, "pack-refs", "--all")
    again = index.status().problems
    index.ingest()
    caught_up = index.status().problems
    _git(root, "commit", "-q", "--allow-empty", "-m", "empty")
    (empty,) = index.status().problems
    unchanged = index.ingest().unchanged

    assert () == fresh == caught_up
    assert "STALE" == problem.code
    assert "1 documents differ" in problem.message
    assert "20 commits" in problem.message
    assert (problem,) == again
    assert "1 commits came after the last ingest" == empty.message
    assert unchanged
    assert () == index.status().problems


def test_the_status_tells_sizes_and_options(index: hsum.Index, root: Path) -> None:
    """It has all that `status` promises, before and after the first ingest."""
    before = index.status()
    index.ingest(root, exclude=["docs/"])
    status = index.status()

    assert "<Status nothing ingested yet>" == repr(before)
    assert (1, 1, 4) == (status.generation, status.build, status.documents)
    assert {"excluded": 1} == status.skipped
    assert ("docs/",) == status.options.exclude
    assert status.disk_bytes > status.bytes > 0
    assert index.generations()[0].committed_at == status.last_ingest
    assert str(root) == status.source_root


def test_the_index_is_a_container(index: hsum.Index, root: Path) -> None:
    """`in`, `len`, truth and `[]` do what they say."""
    index.ingest(root)
    citation = index.documents()[0].citation
    other = Citation.parse(str(citation).replace(citation.rev, "0" * 64))

    assert citation in index
    assert str(citation) in index
    assert other not in index
    assert "no citation" not in index
    assert 7 not in index
    assert bool(index)
    assert 5 == len(index)
    assert "generation 1, 5 documents" in repr(index)


def test_beyond_the_revision_nothing_is_cited(index: hsum.Index, root: Path) -> None:
    """A span past the end does not resolve; the whole and the empty one do."""
    index.ingest(root)
    document = index.documents()[0]

    assert document.citation.span(document.size, document.size) in index
    assert document.citation.span(0, document.size + 1) not in index


def test_ids_must_belong_together(index: hsum.Index, root: Path) -> None:
    """A source id with another document's id, or another index's, is nothing."""
    index.ingest(root)
    first, second = (found.citation for found in index.documents()[:2])
    mixed = Citation(
        first.index_id, first.source_id, second.document_id, first.rev, 0, 1
    )
    foreign = Citation(
        first.source_id, first.source_id, first.document_id, first.rev, 0, 1
    )

    assert mixed not in index
    assert foreign not in index


def test_the_catalogue_has_every_code() -> None:
    """It is the one that faults are made from, and a copy of it."""
    hsum.catalogue().clear()

    assert dict(ENTRIES) == hsum.catalogue()


_EVIL = "<script>alert(1)</script>\x1b[31m\u202e"


def test_notebook_views_escape_what_they_show(index: hsum.Index, root: Path) -> None:
    """No text of a file or a name acts in a notebook."""
    plant(root, {"<b>.txt": _EVIL.encode() * 300, "bad.bin": b"\0\x01\xff" * 99})
    report = index.ingest(root)
    citation = index.documents()[0].citation
    hit = Hit(citation, citation.index_id, "<b>.txt", (1, 2), "<i>", _EVIL, 1.0)
    hits = Hits((hit,) * 60, 1, "limit_reached", Searched(1, 1), "c")
    shown = [
        value._repr_html_()
        for value in (hit, hits, report, index.status(), index.doctor())
    ]

    assert not any(
        text in html for html in shown for text in ("<script", "\x1b", "<b>.t")
    )
    assert "&lt;script&gt;" in shown[0]
    assert "and 10 more" in shown[1]
    assert "binary" in shown[2]


def test_hits_are_a_sequence(index: hsum.Index, root: Path) -> None:
    """Iteration, length, slices and truth are those of a tuple."""
    index.ingest(root)
    citation = index.documents()[0].citation
    hit = Hit(citation, citation.index_id, "a.py", (3, 3), "f", "text", 0.25)
    hits = Hits((hit, hit), 4, "unique_exhausted", Searched(5, 7, {"binary": 2}))

    assert [hit, hit] == list(hits)
    assert (hit,) == hits[1:]
    assert hit is hits[-1]
    assert hit in hits
    assert not Hits((), 1, "deadline", Searched(0, 0))
    assert "<Hits 2 of generation 4, unique_exhausted>" == repr(hits)
    assert "<Hit a.py:3 in f, score 0.25>" == repr(hit)
    assert "<Place a.py:3-9>" == repr(Place("a.py", 0, 9, (3, 9)))
    assert "<Searched 5 documents, 7 passages; 2 files skipped>" == repr(hits.searched)
