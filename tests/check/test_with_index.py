"""Forty citations of an indexed tree, edited in every way, judged and fixed."""

from __future__ import annotations

import os

import pytest

import hsum
from hsum.model import Citation

NAMES = [f"part_{n:02}" for n in range(20)]


def block(name):
    return f"def {name}(value):\n    total = value + len('{name}')\n    return total\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An initialized project whose notes cite each block twice: by lines and by URI."""
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    (root / "code.py").write_text("\n".join(map(block, NAMES)), "utf-8")
    (root / "other.py").write_text("x = 1\n", "utf-8")
    hsum.initialize(root, name="project")
    index = hsum.open_managed("project")
    (document,) = [d for d in index.documents() if d.path == "code.py"]
    whole = (root / "code.py").read_bytes()
    forms = ("code.py:{0}-{1}", "code.py#L{0}-L{1}", "`code.py:{0}-{1}`")
    rows = []
    for n, name in enumerate(NAMES):
        start = whole.index(block(name).encode())
        span = start, start + len(block(name))
        uri = Citation(
            document.citation.index_id, document.source_id, document.document_id,
            document.rev, *span,
        )  # fmt: skip
        first = n * 4 + 1
        rows += [forms[n % 3].format(first, first + 2), f"<{uri}>"]
    (root / "notes.md").write_text("\n\n".join(rows) + "\n", "utf-8")
    return root


def verdicts(report):
    return [one.verdict for one in report]


def edit(root, **changed):
    """Replace blocks of the module: None drops one."""
    blocks = [changed.get(name, block(name)) for name in NAMES]
    (root / "code.py").write_text(
        "\n".join(b for b in blocks if b is not None), "utf-8"
    )


def test_unlocked_lines_are_unpinned_and_uris_stand(project):
    """The index pins what names a revision; lines are pinned by a lock alone."""
    assert verdicts(hsum.check_files(["notes.md"])) == ["unpinned", "ok"] * 20
    with hsum.open_managed("project") as index:
        assert index.check((project / "notes.md").read_text("utf-8")).ok


def test_each_edit_is_judged_and_only_unique_moves_are_fixed(project):
    """Shifted, moved, doubled, edited and deleted blocks are told apart."""
    hsum.check_files(["notes.md"], lock=True)
    last, moved, doubled, edited = NAMES[19], NAMES[18], NAMES[17], NAMES[16]
    edit(project, **{last: None, moved: None, doubled: None, edited: "pass\n"})
    text = (project / "code.py").read_text("utf-8")
    (project / "code.py").write_text("import os\n\n\n" + text, "utf-8")
    (project / "other.py").write_text("x = 1\n\n" + block(moved), "utf-8")
    for name in ("a", "b"):
        (project / f"{name}.py").write_text(block(doubled), "utf-8")
    ends = ["gone"] * 2 + ["ambiguous"] * 2 + ["moved"] * 2 + ["gone"] * 2
    report = hsum.check_files(["notes.md"], fix=True)

    assert verdicts(report) == ["moved"] * 32 + ends
    lines = (project / "notes.md").read_text("utf-8").split("\n\n")
    assert lines[0] == "code.py:4-6"
    assert lines[2] == "code.py#L8-L10"
    assert lines[36] == "other.py:3-5"
    again = hsum.check_files(["notes.md"], fix=True)
    assert verdicts(again)[0::2] == ["ok"] * 16 + ["gone", "ambiguous", "ok", "gone"]
    assert not any(one.fixed for one in again)


def test_after_an_ingest_moved_uris_are_fixed_too(project):
    """A URI is rewritten to the revision that was indexed since; then all is clean."""
    hsum.check_files(["notes.md"], lock=True)
    text = (project / "code.py").read_text("utf-8")
    (project / "code.py").write_text("import os\n\n\n\n" + text, "utf-8")
    with hsum.open_managed("project") as index:
        index.ingest()
    report = hsum.check_files(["notes.md"], fix=True)

    assert verdicts(report) == ["moved"] * 40
    assert report.ok
    assert verdicts(hsum.check_files(["notes.md"])) == ["ok"] * 40


def test_a_deleted_file_is_gone(project):
    """What was indexed and is nowhere now is gone, in both forms."""
    (project / "code.py").unlink()

    assert verdicts(hsum.check_files(["notes.md"])) == ["gone"] * 40


def test_a_renamed_file_has_moved(project):
    """Equal bytes under a new name are one other place."""
    (project / "code.py").rename(project / "renamed.py")
    report = hsum.check_files(["notes.md"])

    assert verdicts(report) == ["moved"] * 40
    assert report[0].moved_to.path == "renamed.py"


def test_what_cannot_be_cited(project):
    """Malformed, foreign, past the end: each is bad, none is guessed."""
    good = (project / "notes.md").read_text("utf-8").split("\n\n")[1].strip("<>\n")
    past = good.partition("#")[0] + "#bytes=0-999999"
    foreign = good.replace(good[10:18], "00000000")
    (project / "bad.md").write_text(
        f"{past}\n\n{foreign}\n\nhsum://v1/x\n\ncode.py:500\n\nnowhere/x.py:1",
        "utf-8",
    )
    report = hsum.check_files([os.fspath(project / "bad.md")])

    assert verdicts(report) == [
        "past_end",
        "unresolvable",
        "unresolvable",
        "past_end",
        "unresolvable",
    ]


def test_locked_citations_need_no_index(project, monkeypatch):
    """On a fresh clone the lock file alone judges both forms."""
    hsum.check_files([project], lock=True)
    monkeypatch.setenv("HSUM_HOME", str(project / "nothing"))
    assert verdicts(hsum.check_files([project])) == ["ok"] * 40
    text = (project / "code.py").read_text("utf-8")
    (project / "code.py").write_text("import os\n" + text, "utf-8")

    assert verdicts(hsum.check_files([project])) == ["moved"] * 40


@pytest.mark.parametrize(
    ("text", "code"), [(3, "INVALID_ARGUMENT"), ("\ud800", "TEXT_INVALID")]
)
def test_what_is_no_text_is_refused(project, text, code):
    """A check takes text that UTF-8 can carry, and raises its own fault for the rest."""
    with hsum.open_managed("project") as index, pytest.raises(hsum.HsumError) as caught:
        index.check(text)

    assert code == caught.value.code


def test_a_name_that_no_file_can_have_is_not_there(project):
    """A NUL or a name without an end between backticks is judged, not a traceback."""
    with hsum.open_managed("project") as index:
        found = index.check(f"`co\0de.py:1` and `{'a' * 5_000}.py:2`")

    assert ["unresolvable"] * 2 == verdicts(found.findings)


@pytest.mark.parametrize("inside", [True, False])
def test_a_uri_is_judged_in_the_tree_that_was_indexed(project, tmp_path, inside):
    """Wherever the text that cites it stands, and when its bytes move, too."""
    (first, *_) = [
        f.found.raw for f in hsum.check_files(["."]) if f.found.form == "uri"
    ]
    folder = tmp_path if inside else tmp_path / "elsewhere" / "deep"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "answer.md").write_text(f"See {first}.\n", "utf-8")
    asked = [str(folder / "answer.md")]

    assert ["ok"] == verdicts(hsum.check_files(asked, lock=True))
    assert ["ok"] == verdicts(hsum.check_files(asked, index="project"))

    edit(project, part_00="import os\n\n" + block("part_00"))
    (moved,) = hsum.check_files(asked)

    assert ("moved", "code.py", (3, 5)) == (
        moved.verdict, moved.moved_to.path, moved.moved_to.lines,
    )  # fmt: skip

    edit(project, part_00="import os\n")

    assert ["gone"] == verdicts(hsum.check_files(asked))


def test_a_named_index_is_the_tree_that_lines_mean(project, tmp_path, monkeypatch):
    """A text elsewhere may cite its files as they are written there."""
    away = tmp_path / "away"
    away.mkdir()
    monkeypatch.chdir(away)
    (away / "answer.md").write_text("See code.py:1-3.\n", "utf-8")

    assert ["unresolvable"] == verdicts(hsum.check_files(["answer.md"]))
    assert ["unpinned"] == verdicts(hsum.check_files(["answer.md"], index="project"))


def test_a_text_elsewhere_is_locked_in_the_tree_of_its_index(project, tmp_path):
    """Paths in a lock file start from the tree that it lies in."""
    away = tmp_path / "away"
    away.mkdir()
    (away / "answer.md").write_text("See code.py:1-3.\n", "utf-8")
    asked = [str(away / "answer.md")]

    assert ["unpinned"] == verdicts(hsum.check_files(asked, index="project", lock=True))
    assert (project / "citations.lock").is_file()
    assert [] == list(away.glob("*.lock"))
    assert ["ok"] == verdicts(hsum.check_files(asked, index="project"))
    assert ["unresolvable"] == verdicts(hsum.check_files(asked))
