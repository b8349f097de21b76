"""Checked files on a real tree: every edit has its verdict, and fixing is exact."""

from __future__ import annotations

import subprocess

import pytest

import hsum
from hsum.check.files import check_paths

BLOCKS = {name: f"def {name}():\n    return '{name}'\n" for name in "abcdefgh"}


@pytest.fixture
def tree(tmp_path):
    """A module of eight functions, notes that cite each, and a lock file."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "m.py").write_text("\n".join(BLOCKS.values()), "utf-8")
    rows = [
        f"- {name}: src/m.py:{at * 3 + 1}-{at * 3 + 2}"
        for at, name in enumerate(BLOCKS)
    ]
    (tmp_path / "notes.md").write_text("\n".join(rows), "utf-8")
    report = check_paths([tmp_path], root=tmp_path, lock=True)
    assert report.counts == {"unpinned": 8}
    return tmp_path


def verdicts(tree, **options):
    return [one.verdict for one in check_paths([tree], root=tree, **options)]


def rewrite(tree, change):
    path = tree / "src" / "m.py"
    path.write_text(change(path.read_text("utf-8")), "utf-8")


def test_locked_citations_stand_without_an_index(tree):
    """The lock file alone tells that nothing has changed."""
    assert verdicts(tree) == ["ok"] * 8


def test_lines_inserted_above_move_every_citation_alike(tree):
    """Both citations below an insertion shift by its length."""
    rewrite(tree, lambda text: "import os\n\n" + text)
    report = check_paths([tree], root=tree, fix=True)

    assert [one.verdict for one in report] == ["moved"] * 8
    assert report.ok
    notes = (tree / "notes.md").read_text("utf-8")
    assert notes.splitlines()[:2] == ["- a: src/m.py:3-4", "- b: src/m.py:6-7"]
    assert verdicts(tree) == ["ok"] * 8


def test_every_edit_has_its_verdict(tree):
    """Moved away, copied twice, edited, deleted: each is told from the others."""

    def change(text):
        text = text.replace(BLOCKS["h"], "")
        text = text.replace("return 'g'", "return 'G'")
        return text.replace(BLOCKS["f"], "")

    rewrite(tree, change)
    (tree / "src" / "n.py").write_text("x = 1\n" + BLOCKS["h"], "utf-8")
    for name in ("o", "p"):
        (tree / "src" / f"{name}.py").write_text(BLOCKS["f"], "utf-8")
    report = check_paths([tree], root=tree, fix=True)

    assert [one.verdict for one in report] == ["ok"] * 5 + [
        "ambiguous",
        "gone",
        "moved",
    ]
    assert report[7].moved_to.path == "src/n.py"
    assert "src/n.py:2-3" in (tree / "notes.md").read_text("utf-8")
    assert verdicts(tree) == ["ok"] * 5 + ["ambiguous", "gone", "ok"]


def test_a_deleted_file_is_gone_and_an_unknown_one_unresolvable(tree):
    """The lock remembers a file; what nothing knows is not guessed."""
    (tree / "src" / "m.py").unlink()
    cited = f"src/m.py:1-2 src/never.py:1 notes.md:99 notes.md:{'9' * 30} notes.md:2-1"
    (tree / "notes.md").write_text(cited, "utf-8")

    assert verdicts(tree) == ["gone", "unresolvable", *["past_end"] * 3]


def test_since_limits_to_what_a_commit_touched(tree):
    """Only citations whose citing or cited file changed are reported."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(tree)]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], check=True)

    assert verdicts(tree, since="HEAD") == []
    rewrite(tree, lambda text: "\n" + text)
    assert verdicts(tree, since="HEAD") == ["moved"] * 8
    with pytest.raises(hsum.HsumError) as caught:
        verdicts(tree, since="--no-such")
    assert caught.value.code == "INVALID_ARGUMENT"


def test_a_quote_is_held_to_the_cited_bytes(tree):
    """The right line with the wrong words is misquoted."""
    (tree / "notes.md").write_text(
        "src/m.py:2 has \"return 'a'\"\n\nand src/m.py:5 has \"return 'x'\"", "utf-8"
    )

    assert verdicts(tree) == ["unpinned", "misquoted"]


def test_partial_locking_keeps_the_other_pins(tree):
    """Locking one file does not unlock the citations of another."""
    (tree / "more.md").write_text("see src/m.py:1", "utf-8")
    check_paths([tree / "more.md"], root=tree, lock=True)

    assert verdicts(tree) == ["ok"] * 9


def test_each_path_is_pinned_by_the_nearest_lock(tree):
    """A folder's lock holds for it, whatever else is checked with it."""
    (tree / "docs").mkdir()
    (tree / "docs" / "page.md").write_text("see src/m.py:1", "utf-8")
    check_paths([tree / "docs"], root=tree, lock=tree / "docs" / "citations.lock")
    rewrite(tree, lambda text: "\n" + text)
    both = [tree / "docs", tree / "notes.md"]
    report = check_paths(both, root=tree)

    assert [one.verdict for one in report] == ["moved"] * 9
    assert [one.verdict for one in check_paths([tree], root=tree)] == ["moved"] * 9
    assert report.files == 2
    assert check_paths(both, root=tree, fix=True).ok
    assert [one.verdict for one in check_paths(both, root=tree)] == ["ok"] * 9


@pytest.mark.parametrize("content", ["{", '{"format": "x"}'])
def test_a_damaged_lock_file_stops_the_check(tree, content):
    """A lock file that cannot be read is not an empty one."""
    (tree / "citations.lock").write_text(content, "utf-8")
    with pytest.raises(hsum.HsumError) as caught:
        verdicts(tree)

    assert caught.value.code == "INVALID_ARGUMENT"


def test_bytes_that_are_not_utf_8_survive_a_fix(tree):
    """Rewriting changes the citation and no other byte."""
    notes = tree / "notes.md"
    notes.write_bytes(b"\xff src/m.py:1-2\r\n")
    rewrite(tree, lambda text: "\n" + text)
    check_paths([tree], root=tree, fix=True)

    assert notes.read_bytes() == b"\xff src/m.py:2-3\r\n"


def test_cited_lines_that_end_with_an_empty_one_move_whole(tmp_path):
    """As many lines as were cited, which is once fixed, and then stands."""
    (tmp_path / "m.py").write_text("a = 1\nb = 2\n\nc = 3\n", "utf-8")
    (tmp_path / "x.md").write_text("See m.py:1-3 here.\n", "utf-8")
    verdicts(tmp_path, lock=True)
    (tmp_path / "m.py").write_text("# top\na = 1\nb = 2\n\nc = 3\n", "utf-8")
    (moved,) = hsum.check_files([str(tmp_path)], fix=True)

    assert ("moved", (2, 4)) == (moved.verdict, moved.moved_to.lines)
    assert "m.py:2-4" in (tmp_path / "x.md").read_text("utf-8")
    assert ["ok"] == [one.verdict for one in hsum.check_files([str(tmp_path)])]
