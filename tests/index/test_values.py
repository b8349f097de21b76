"""Values tell their state in one line, and evidence names itself elsewhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

import attrs
import pytest

import hsum
from hsum import Change, Citation, Context, Evidence, Options, Problem, Progress, Skip
from hsum.model.care import BackupReport, ForgetReport, PruneReport
from tests.index.trees import TREE, plant

UUID = "0f3a9c1e-8b7d-4c6a-9e5f-1a2b3c4d5e6f"
CITATION = Citation(UUID, UUID, UUID, "a" * 64, 0, 4)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (Skip("a.bin", "binary", "NUL byte"), "<Skip a.bin: binary (NUL byte)>"),
        (Change("renamed", "b", "a"), "<Change renamed b from a>"),
        (Change("added", "b"), "<Change added b>"),
        (Problem("STALE", "3 documents", "ingest"), "<Problem STALE: 3 documents>"),
        (Progress("read", 3, 10), "<Progress read 3/10>"),
        (Progress("scan", 3), "<Progress scan 3/?>"),
        (Options(), "<Options default>"),
        (Options(no_ignore=True), "<Options no_ignore=True>"),
        (
            Context("notes", UUID, "default", UUID, "/r", None, "explicit", "/d"),
            "<Context notes/default by explicit>",
        ),
        (
            PruneReport(3, 2, 1_000, dry_run=True),
            "<PruneReport would remove 2 revisions, 1,000 bytes; kept from generation 3>",
        ),
        (
            ForgetReport(("a",), 1, 10, ("b",)),
            "<ForgetReport removed 1 revisions of 1 paths, 1 other paths hold the same bytes>",
        ),
        (
            BackupReport("/c", UUID, 2, 1, 1),
            "<BackupReport /c: generation 2, verified>",
        ),
    ],
)
def test_a_value_is_one_line(value: object, line: str) -> None:
    """The repr tells what a person asks first."""
    assert line == repr(value)


def test_reports_tell_what_went_wrong() -> None:
    """Failed files, a dry run and nothing to do show in the one line."""
    failed = hsum.IngestReport(2, added=1, failed=(Skip("a", "unreadable"),))
    dry = hsum.IngestReport(None, dry_run=True, dropped=3)

    assert failed.partial
    assert "<IngestReport generation 2: +1 ~0 -0, 0 skipped, 1 failed>" == repr(failed)
    assert "<IngestReport dry run: +0 ~0 -3, 0 skipped>" == repr(dry)


def test_evidence_tells_its_states_and_its_name_elsewhere(tmp_path: Path) -> None:
    """The SWHID is that of the git blob, with an end-inclusive span."""
    root = plant(tmp_path / "root")
    blob = subprocess.run(
        ["git", "hash-object", str(root / "src/helm.py")],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    with hsum.in_memory() as index:
        index.ingest(root)
        found = next(d for d in index.documents() if d.path == "src/helm.py")
        evidence = index.get(found.citation, verify=True)
        empty = index.get(found.citation.span(3, 3))

        assert "<Evidence src/helm.py:1-3 unchanged, intact>" == repr(evidence)
        assert f"swh:1:cnt:{blob};bytes=0-{found.size - 1}" == evidence.swhid()
        assert f"swh:1:cnt:{blob}" == empty.swhid()
        assert "return" in evidence._repr_html_()
        assert TREE["src/helm.py"] == evidence.content


def test_evidence_without_an_index_has_no_name_elsewhere() -> None:
    """What was built by hand says so."""
    evidence = Evidence(CITATION, CITATION, UUID, "a", (1, 1), b"text", "text", "utf-8")
    with pytest.raises(hsum.InvalidInput, match="no index behind it"):
        evidence.swhid()

    assert "<Evidence a:1 unverifiable>" == repr(evidence)
    assert "truncated" in repr(attrs.evolve(evidence, truncated=True))


def test_documents_tell_their_record_and_size(tmp_path: Path) -> None:
    """A record shows its key beside the path."""
    root = plant(tmp_path / "root", {"a.jsonl": b'{"id": 7}\n', "b.txt": b"b\n"})
    with hsum.in_memory() as index:
        index.ingest(root)

        assert ["<Document a.jsonl#7, 10 bytes>", "<Document b.txt, 2 bytes>"] == [
            repr(found) for found in index.documents()
        ]
        assert "<Project default: everything>" == repr(index.projects.list()[0])
        assert "<DoctorReport healthy: 1 generations, 2 revisions, 2 blocks>" == repr(
            index.doctor()
        )
        (generation,) = index.generations()
        assert repr(generation).startswith("<Generation 1: +2 ~0 -0, 2 documents, ")
