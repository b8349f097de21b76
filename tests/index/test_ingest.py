"""Ingesting: one new generation or none, and nothing that was cited is ever lost."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

import hsum
from hsum.testing import SequentialIds, SettableClock, check_index
from tests.index.trees import TREE, contents, everything_below, ids, plant, settle
from tests.index.unprivileged import NOBODY, as_nobody, opened_up


@pytest.fixture(params=["disk", "memory"])
def index(request, tmp_path: Path):
    made = hsum.open(tmp_path / "ix") if request.param == "disk" else hsum.in_memory()
    with made:
        yield made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root")


def test_the_kit_of_laws_holds_on_disk_and_in_memory(tmp_path: Path) -> None:
    """What users can run against their own indexes holds for ours."""
    folders = (tmp_path / str(number) for number in range(100))

    assert check_index(hsum.in_memory) == check_index(lambda: hsum.open(next(folders)))


def test_the_first_ingest_takes_everything(index: hsum.Index, root: Path) -> None:
    """Each file is a document whose bytes are those of the file."""
    report = index.ingest(root)

    assert "<IngestReport generation 1: +5 ~0 -0, 0 skipped>" == repr(report)
    assert TREE == contents(index)
    assert (5, 5, 5) == (report.discovered, report.indexed, len(index))
    assert sum(map(len, TREE.values())) == report.bytes


def test_the_first_generation_commits_of_an_empty_tree_too(
    index: hsum.Index, tmp_path: Path
) -> None:
    """An empty root gives generation 1 with nothing in it, and a second ingest none."""
    (tmp_path / "empty").mkdir()
    report = index.ingest(tmp_path / "empty")

    assert (1, 0, False) == (report.generation, report.documents, report.unchanged)
    assert index.ingest().unchanged
    assert () == index.documents()


def test_an_unchanged_tree_commits_none(index: hsum.Index, root: Path) -> None:
    """Neither a second ingest nor a touched file makes a generation."""
    index.ingest(root)
    os.utime(root / "notes.txt", ns=(1, 1))
    report = index.ingest()

    assert report.unchanged
    assert 1 == report.generation == len(index.generations())
    assert 5 == report.documents == report.indexed


def test_an_idle_ingest_writes_nothing(tmp_path: Path, root: Path) -> None:
    """Once the times are proven, an ingest leaves every file of the index alone."""
    with hsum.open(tmp_path / "ix") as index:
        index.ingest(root)
        settle()
        index.ingest()
        before = everything_below(tmp_path / "ix")
        index.ingest()

        assert before == everything_below(tmp_path / "ix")


def test_a_dry_run_shows_what_a_guard_would_refuse(
    index: hsum.Index, root: Path
) -> None:
    """The plan is wanted most when it is dangerous: it is shown, with what it needs."""
    index.ingest(root)
    for path in [p for p in root.rglob("*") if p.is_file()]:
        path.unlink()
    planned = index.ingest(dry_run=True)

    assert planned.dropped == len(index)
    assert any("--allow mass-delete" in warning for warning in planned.warnings)
    with pytest.raises(hsum.HsumError) as caught:
        index.ingest()
    assert "CONFIRMATION_REQUIRED" == caught.value.code


def test_changes_are_told_apart(index: hsum.Index, root: Path) -> None:
    """A generation counts what it adds, changes, moves and drops."""
    index.ingest(root)
    (root / "new.txt").write_bytes(b"new\n")
    (root / "notes.txt").write_bytes(b"three\n")
    (root / "src/crew.py").rename(root / "src/hands.py")
    (root / "docs/sea.md").unlink()
    planned = index.ingest(dry_run=True, allow=["mass-delete"])
    report = index.ingest(allow=["mass-delete"])
    counts = (report.added, report.changed, report.renamed, report.dropped)
    last = index.generations()[-1]

    assert (1, 1, 1, 1) == counts
    assert counts == (last.added, last.changed, last.renamed, last.dropped)
    assert counts == (planned.added, planned.changed, planned.renamed, planned.dropped)
    assert [
        ("added", "new.txt", None),
        ("changed", "notes.txt", None),
        ("renamed", "src/hands.py", "src/crew.py"),
        ("dropped", "docs/sea.md", None),
    ] == [(change.kind, change.path, change.was) for change in planned.changes]


def test_past_generations_stay_listed_with_their_bytes(
    index: hsum.Index, root: Path
) -> None:
    """Every generation still gives what it held."""
    index.ingest(root)
    (root / "notes.txt").write_bytes(b"three\n")
    index.ingest()
    (root / "notes.txt").unlink()
    index.ingest()

    assert TREE == contents(index, 1)
    assert {**TREE, "notes.txt": b"three\n"} == contents(index, 2)
    assert TREE.keys() - {"notes.txt"} == contents(index, 3).keys()


@pytest.mark.parametrize("number", [0, 2, -1])
def test_an_unknown_generation_is_refused(
    index: hsum.Index, root: Path, number: int
) -> None:
    """Only committed generations can be listed; the next step names the newest."""
    index.ingest(root)
    with pytest.raises(hsum.NotFound) as caught:
        index.documents(number)

    assert "NO_GENERATION" == caught.value.code
    assert "The newest is 1" in caught.value.hint


def test_a_same_size_edit_in_one_tick_is_found(index: hsum.Index, root: Path) -> None:
    """A file that was changed right after it was read is read again (git's racy rule)."""
    index.ingest(root)
    before = os.stat(root / "notes.txt")
    (root / "notes.txt").write_bytes(b"one\nTWO\n")
    os.utime(root / "notes.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
    report = index.ingest()

    assert 1 == report.changed
    assert b"one\nTWO\n" == contents(index)["notes.txt"]


def test_rehash_reads_what_looks_the_same(index: hsum.Index, root: Path) -> None:
    """With `rehash` every file is read; what is the same stays the same."""
    index.ingest(root)
    settle()
    index.ingest()
    told = []
    report = index.ingest(rehash=True, progress=told.append)

    assert report.unchanged
    assert 5 == max(one.done for one in told if one.phase == "read")


def test_ids_survive_edits_deletion_return_and_rename(
    index: hsum.Index, root: Path
) -> None:
    """Source and document ids are those of the first ingest, whatever comes after."""
    index.ingest(root)
    first = ids(index)
    (root / "notes.txt").write_bytes(b"edited\n")
    (root / "docs/sea.md").rename(root / "ocean.md")
    (root / "README.md").unlink()
    index.ingest(allow=["mass-delete"])
    (root / "README.md").write_bytes(b"# Back\n")
    index.ingest()
    now = ids(index)

    assert first["notes.txt"] == now["notes.txt"]
    assert first["docs/sea.md"] == now["ocean.md"]
    assert first["README.md"] == now["README.md"]


def test_an_ambiguous_rename_makes_new_ids(index: hsum.Index, root: Path) -> None:
    """Two new paths with the bytes of one that vanished: neither is its successor."""
    index.ingest(root)
    first = ids(index)
    data = (root / "notes.txt").read_bytes()
    (root / "notes.txt").unlink()
    plant(root, {"a.txt": data, "b.txt": data})
    report = index.ingest()

    assert (0, 2, 1) == (report.renamed, report.added, report.dropped)
    assert first["notes.txt"] not in ids(index).values()


def test_a_path_that_had_a_source_keeps_it(index: hsum.Index, root: Path) -> None:
    """A file moved onto a path that was known before is no rename."""
    plant(root, {"old.txt": b"old\n"})
    index.ingest(root)
    first = ids(index)
    (root / "old.txt").unlink()
    index.ingest()
    (root / "notes.txt").rename(root / "old.txt")
    report = index.ingest()

    assert (0, 1, 1) == (report.renamed, report.added, report.dropped)
    assert first["old.txt"] == ids(index)["old.txt"]


def test_a_swap_of_two_files_is_two_changes(index: hsum.Index, root: Path) -> None:
    """Paths, not bytes, carry the ids of files that are still there."""
    index.ingest(root)
    first = ids(index)
    (root / "notes.txt").rename(root / "t")
    (root / "README.md").rename(root / "notes.txt")
    (root / "t").rename(root / "README.md")

    assert 2 == index.ingest().changed
    assert first == ids(index)


def test_equal_bytes_are_stored_once(index: hsum.Index, root: Path) -> None:
    """Copies share their revision, and each has its own citation."""
    plant(root, {"copy/a.txt": b"same\n" * 50, "copy/b.txt": b"same\n" * 50})
    index.ingest(root)
    copies = [found for found in index.documents() if found.path.startswith("copy")]

    assert 1 == len({found.rev for found in copies})
    assert 2 == len({found.document_id for found in copies})
    assert 6 == index.doctor().revisions


def test_options_hold_until_given_again(index: hsum.Index, root: Path) -> None:
    """What was told once is told for ever, and shows in the status."""
    index.ingest(root, exclude=["docs/"], max_file_bytes=1_000)
    plant(root, {"docs/more.md": b"more\n", "big.txt": b"x" * 1_001})
    index.ingest()
    kept = index.status().options
    report = index.ingest(exclude=[])

    assert (("docs/",), 1_000) == (kept.exclude, kept.max_file_bytes)
    assert 2 == report.added
    assert {"too_large": 1} == report.skipped
    assert () == index.status().options.exclude


def test_one_text_is_one_pattern(index: hsum.Index, root: Path) -> None:
    """A bare string is not taken letter by letter."""
    index.ingest(root, include="src/**")

    assert {"src/helm.py", "src/crew.py"} == contents(index).keys()


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_file_bytes": 0},
        {"max_file_bytes": True},
        {"max_file_bytes": "2"},
        {"include": [b"x"]},
        {"exclude": ["\ud800"]},
        {"no_ignore": "yes"},
        {"allow": ["everything"]},
        {"allow": [1]},
        {"root": 7},
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_written(
    tmp_path: Path, root: Path, wrong: dict
) -> None:
    """Nothing is made on disk by a call that is refused."""
    with hsum.open(tmp_path / "ix") as index, pytest.raises(hsum.InvalidInput):
        index.ingest(**{"root": root, **wrong})

    assert not (tmp_path / "ix").exists()


def test_the_first_ingest_needs_a_root(index: hsum.Index) -> None:
    """Without a recorded root the call says what to do."""
    with pytest.raises(hsum.InvalidInput, match="needs a root") as caught:
        index.ingest()

    assert "ingest(" in caught.value.hint


def test_a_link_where_the_root_was_is_another_root(
    index: hsum.Index, root: Path, tmp_path: Path
) -> None:
    """The recorded root is no way to what a link put in its place."""
    index.ingest(root)
    root.rename(tmp_path / "moved")
    root.symlink_to(tmp_path / "moved")

    for given in (None, root):
        with pytest.raises(hsum.Conflict) as mismatch:
            index.ingest(given)
        assert "ROOT_MISMATCH" == mismatch.value.code
    assert 1 == len(index.generations())


def test_another_root_is_refused_and_a_rebind_keeps_all_ids(
    index: hsum.Index, root: Path, tmp_path: Path
) -> None:
    """An index stands for one root until it is moved on purpose."""
    index.ingest(root)
    first = ids(index)
    root.rename(tmp_path / "moved")
    with pytest.raises(hsum.NotFound) as missing:
        index.ingest()
    with pytest.raises(hsum.Conflict) as mismatch:
        index.ingest(tmp_path / "moved")
    report = index.ingest(tmp_path / "moved", rebind=True)

    assert "ROOT_MISSING" == missing.value.code
    assert "ROOT_MISMATCH" == mismatch.value.code
    assert report.unchanged
    assert first == ids(index)
    assert str(tmp_path / "moved") == index.status().source_root


def test_a_missing_root_leaves_the_evidence(index: hsum.Index, root: Path) -> None:
    """Evidence answers when the root is gone, and the status says so."""
    index.ingest(root)
    root.rename(root.with_name("away"))

    assert TREE == contents(index)
    assert ["ROOT_MISSING"] == [item.code for item in index.status().problems]


def test_a_root_that_never_was_is_told_from_one_that_went(
    index: hsum.Index, root: Path, tmp_path: Path
) -> None:
    """Only what the index belongs to can be brought back or moved."""
    hints = []
    for given in (tmp_path / "typo", root / "notes.txt", root):
        if given == root:
            index.ingest(root)
            root.rename(root.with_name("away"))
        with pytest.raises(hsum.NotFound) as caught:
            index.ingest(given)
        hints.append(caught.value.hint)

    assert ["Give the path of a directory."] * 2 == hints[:2]
    assert "hsum trust NEW" in hints[2]


def test_mass_deletion_must_be_meant(index: hsum.Index, root: Path) -> None:
    """Losing everything, or a quarter of ten and more, is refused, then allowed."""
    plant(root, {f"many/{number}.txt": b"%d\n" % number for number in range(10)})
    index.ingest(root)
    for number in range(4):
        (root / f"many/{number}.txt").unlink()
    with pytest.raises(hsum.InvalidInput) as caught:
        index.ingest()

    assert "CONFIRMATION_REQUIRED" == caught.value.code
    assert (15, 4) == (
        caught.value.details["documents"],
        caught.value.details["dropped"],
    )
    assert 15 == len(index)
    assert 4 == index.ingest(allow=["mass-delete"]).dropped


def test_files_that_turn_binary_count_as_dropped(index: hsum.Index, root: Path) -> None:
    """The guard sees what only reading shows, and nothing of it is kept."""
    index.ingest(root)
    for name in TREE:
        (root / name).write_bytes(b"\0\xff\xfe\x01" * 100)
    with pytest.raises(hsum.InvalidInput, match="5 of 5 documents"):
        index.ingest()

    assert TREE == contents(index)
    assert index.doctor().healthy
    assert 5 == index.ingest(allow="mass-delete").dropped


def test_a_broad_root_must_be_meant(index: hsum.Index) -> None:
    """The file system's root is refused before it is walked."""
    with pytest.raises(hsum.InvalidInput) as caught:
        index.ingest("/")

    assert ["broad-root"] == caught.value.details["allow"]


def test_a_dry_run_writes_nothing_at_all(tmp_path: Path, root: Path) -> None:
    """Neither before the first ingest nor after it, not even a lock file."""
    with hsum.open(tmp_path / "ix") as index:
        first = index.ingest(root, dry_run=True)
        made = (tmp_path / "ix").exists()
        index.ingest(root)
        before = everything_below(tmp_path / "ix")
        (root / "notes.txt").write_bytes(b"changed\n")
        second = index.ingest(dry_run=True, exclude=["docs/"])

        assert not made
        assert (5, 1, 1) == (first.added, second.changed, second.dropped)
        assert before == everything_below(tmp_path / "ix")
        assert () == index.status().options.exclude


@pytest.mark.parametrize("phase", ["scan", "read", "commit"])
def test_a_progress_callback_that_raises_stops_the_ingest(
    index: hsum.Index, root: Path, phase: str
) -> None:
    """What it raises passes through unchanged, and nothing is written."""

    class Stop(Exception):
        pass

    def stop(progress: hsum.Progress) -> None:
        if progress.phase == phase and progress.done == 0:
            raise Stop(progress)

    index.ingest(root)
    (root / "notes.txt").write_bytes(b"changed\n")
    with pytest.raises(Stop):
        index.ingest(progress=stop)

    assert TREE == contents(index)
    assert 1 == len(index.generations())
    assert 1 == index.ingest().changed


def test_progress_ends_where_it_said(index: hsum.Index, root: Path) -> None:
    """Reading goes from 0 to the number of files, and the commit comes last."""
    told: list[hsum.Progress] = []
    index.ingest(root, progress=told.append)
    reads = [(one.done, one.total) for one in told if one.phase == "read"]

    assert [(done, 5) for done in range(6)] == reads
    assert ("commit", 1, 1) == (told[-1].phase, told[-1].done, told[-1].total)


def test_the_index_leaves_its_own_directory_out(root: Path) -> None:
    """An index inside its root does not index itself."""
    with hsum.open(root / "my [index]") as index:
        index.ingest(root)
        settle()
        index.ingest()

        assert TREE == contents(index)
        assert index.ingest().unchanged


@pytest.mark.skipif(os.getuid() != 0, reason="drops root's power to read everything")
def test_an_unreadable_file_keeps_its_last_good_revision(tmp_path: Path) -> None:
    """It is reported, the ingest is partial, and the rest goes on."""
    root = plant(opened_up(tmp_path) / "root", {"a.txt": b"first\n", "b.txt": b"b\n"})
    folder = tmp_path / "ix"
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)

    def ingest() -> tuple:
        with hsum.open(folder) as index:
            report = index.ingest(root)
            failed = [(skip.path, skip.reason) for skip in report.failed]
            return report.partial, failed, contents(index)["a.txt"], report.skipped

    with hsum.in_memory() as index:
        index.ingest(root)
    clean = as_nobody(ingest)
    (root / "a.txt").write_bytes(b"second\n")
    (root / "a.txt").chmod(0)
    partial = as_nobody(ingest)
    (root / "a.txt").chmod(0o644)

    assert (False, [], b"first\n", {}) == clean
    assert (True, [("a.txt", "unreadable")], b"first\n", {}) == partial
    assert (False, [], b"second\n", {}) == as_nobody(ingest)


def test_a_file_that_changes_while_it_is_read_is_partial(
    index: hsum.Index, root: Path
) -> None:
    """It keeps its last good revision, and the next ingest reads it again."""
    target = root / "notes.txt"
    index.ingest(root)
    target.write_bytes(b"x\n" * 750_000)
    still = threading.Event()

    def scribble() -> None:
        with target.open("r+b", buffering=0) as file:
            while not still.is_set():
                file.seek(0)
                file.write(os.urandom(8).hex().encode())

    scribbler = threading.Thread(target=scribble)
    scribbler.start()
    try:
        report = index.ingest()
    finally:
        still.set()
        scribbler.join()

    if report.failed:  # reading may, by luck, fall between two writes
        assert [("notes.txt", "changed_while_read")] == [
            (skip.path, skip.reason) for skip in report.failed
        ]
        assert report.partial
        assert TREE["notes.txt"] == contents(index)["notes.txt"]
        assert 1 == index.ingest().changed
    assert 1_500_000 == len(contents(index)["notes.txt"])


def test_bytes_are_kept_verbatim(index: hsum.Index, tmp_path: Path) -> None:
    """BOM, CRLF, UTF-16, no final newline, invalid bytes: what went in comes out."""
    files = {
        "bom.txt": b"\xef\xbb\xbfone\r\ntwo",
        "utf16.txt": "\ufeffЗоны и проекты\r\n".encode("utf-16-le"),
        "latin.txt": b"caf\xe9\n" * 10,
        "lone.txt": b"a\rb\x0bc\xe2\x80\xa8d",
        "long.txt": b"x" * 60_000 + b" tail",
        "empty.txt": b"",
    }
    index.ingest(plant(tmp_path / "odd", files))
    encodings = {found.path: found.encoding for found in index.documents()}

    assert files == contents(index)
    assert "utf-16-le" == encodings["utf16.txt"]
    assert "unknown-8bit" == encodings["latin.txt"]
    assert index.doctor().healthy


def test_names_are_bytes(index: hsum.Index, tmp_path: Path) -> None:
    """Names that are not UTF-8, or not pretty, come back as they are."""
    root = plant(tmp_path / "names", {"日本語.md": b"1", "a b/x y.py": b"2"})
    odd = os.fsencode(root) + b"/caf\xe9\nline.txt"
    with open(odd, "wb") as file:
        file.write(b"3")
    index.ingest(root)
    expected = ["a b/x y.py", os.fsdecode(b"caf\xe9\nline.txt"), "日本語.md"]

    assert sorted(expected) == sorted(found.path for found in index.documents())
    assert index.ingest().unchanged


def test_records_are_documents(index: hsum.Index, tmp_path: Path) -> None:
    """Each record of a JSON-lines file has its own id, found again by its key."""
    lines = b'{"id": 1, "text": "one"}\n{"id": "b", "text": "two"}\n'
    root = plant(tmp_path / "lines", {"data.jsonl": lines})
    index.ingest(root)
    first = {found.record: found.document_id for found in index.documents()}
    plant(root, {"data.jsonl": b'{"id": "b", "text": "2"}\n{"id": "c"}\n'})
    report = index.ingest()
    second = {found.record: found.document_id for found in index.documents()}

    assert {"1", "b"} == first.keys()
    assert (1, 1, 1) == (report.added, report.changed, report.dropped)
    assert first["b"] == second["b"]
    assert {
        "data.jsonl#b": b'{"id": "b", "text": "2"}\n',
        "data.jsonl#c": b'{"id": "c"}\n',
    } == contents(index)
    assert index.doctor().healthy


def test_two_runs_with_the_same_clock_and_ids_are_equal(
    tmp_path: Path, root: Path
) -> None:
    """Documents, citations and generations are a function of tree, clock and ids."""

    def run(folder: Path) -> tuple:
        (root / "notes.txt").write_bytes(TREE["notes.txt"])
        with hsum.open(folder, clock=SettableClock(step=1), ids=SequentialIds()) as ix:
            ix.ingest(root)
            (root / "notes.txt").write_bytes(b"later\n")
            ix.ingest()
            return ix.documents(), ix.generations(), ix.projects.list()

    assert run(tmp_path / "one") == run(tmp_path / "two")
