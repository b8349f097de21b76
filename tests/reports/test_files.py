"""Files that vanish from other tools' indexes, and names they misread."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import hsum
from tests.cli.programs import Program
from tests.reports.trees import found, git, indexed, listed_by_git, paths, plant

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_names_that_one_slug_would_merge_stay_three_documents(tmp_path: Path) -> None:
    """Names that differ by `_`, `-` and space are three files, each openable."""
    files = {name: f"text of {name}\n" for name in SLUGS}
    index = indexed(tmp_path / "tree", files)

    opened = {each.path: index.get(each.citation).text for each in index.documents()}

    assert files == opened


SLUGS = ("my_file.md", "my-file.md", "my file.md")


def test_names_of_any_script_are_printed_as_they_are(tmp_path: Path) -> None:
    """JSON holds names in UTF-8, not as escapes."""
    tree = plant(tmp_path / "tree", {"Зоны и проекты.md": "а\n", "日本語.md": "い\n"})
    hsum_program = Program("hsum", tmp_path / "home", tree)
    hsum_program.ok("init")

    out = hsum_program.ok("documents", "--json").out

    assert '"Зоны и проекты.md"' in out
    assert '"日本語.md"' in out


def test_both_normal_forms_are_found_and_stay_two_documents(tmp_path: Path) -> None:
    """A query in either form finds names and bodies in both; nothing is merged."""
    composed, decomposed = "r\u00e9sum\u00e9", "re\u0301sume\u0301"
    names = {f"{composed}.txt", f"{decomposed}.txt"}
    index = indexed(
        tmp_path / "tree",
        {f"{form}.txt": f"my {form} here\n" for form in (composed, decomposed)},
    )

    for query in (composed, decomposed):
        assert names == set(found(index, query))
    assert sorted(names) == paths(index)


def test_a_name_alone_is_found_in_any_form_and_script(tmp_path: Path) -> None:
    """Names in either normal form, and parts of unspaced ones, find their files."""
    names = (
        "re\u0301sume\u0301.txt",
        "r\u00e9sum\u00e9.md",
        "日本語.md",
        "Зоны и проекты.md",
    )
    index = indexed(
        tmp_path / "tree", {name: f"words {n}\n" for n, name in enumerate(names)}
    )

    for query in ("r\u00e9sum\u00e9", "re\u0301sume\u0301"):
        assert set(names[:2]) == set(found(index, query))
    assert ["日本語.md"] == found(index, "日本")
    assert ["Зоны и проекты.md"] == found(index, "проекты")


def test_a_newline_in_a_name_is_escaped_for_people_alone(tmp_path: Path) -> None:
    """`a b/x.py` and a name with a newline are indexed; JSON has them exactly."""
    files = {"a b/x.py": "spaced = 1\n", "new\nline.txt": "broken = 1\n"}
    tree = plant(tmp_path / "tree", dict(files))
    program = Program("hsum", tmp_path / "home", tree)
    program.ok("init")

    exact = {each["path"] for each in program.json("documents")["documents"]}
    shown = program.ok("search", "broken").out

    assert set(files) == exact
    assert "new\nline.txt" not in shown
    assert "new\\nline.txt" in shown.replace("\\x0a", "\\n")


def test_links_to_folders_are_listed_where_people_look(tmp_path: Path) -> None:
    """A linked folder is absent, counted in each answer, and listed by name."""
    tree = plant(tmp_path / "tree", {"real/a.txt": "needle\n"})
    (tree / "linked").symlink_to("real")
    (tree / "loop").symlink_to(".")
    index = hsum.in_memory()
    index.ingest(tree)

    listed = {(skip.path, skip.reason) for skip in index.skipped()}

    assert {("linked", "symlink"), ("loop", "symlink")} == listed
    assert 2 == index.search("needle").searched.skipped["symlink"]
    assert ["real/a.txt"] == found(index, "needle")


def test_one_nul_does_not_hide_a_source_file(tmp_path: Path) -> None:
    """A source file with a raw NUL is text and is found."""
    index = indexed(
        tmp_path / "tree", {"a.ts": b"hello SIGNATURE_TOKEN here\x00more\n"}
    )

    assert ["a.ts"] == found(index, "SIGNATURE_TOKEN")


def test_a_large_file_is_in_and_a_larger_one_is_counted(tmp_path: Path) -> None:
    """614 KB are indexed whole; beyond 2 MiB the status has reason and count."""
    line = "const value = 1; // an ordinary line of source\n"
    big = line * (614_000 // len(line)) + "const last_of_big = 2;\n"
    index = indexed(tmp_path / "tree", {"big.zig": big, "huge.zig": line * 60_000})

    assert ["big.zig"] == found(index, "last_of_big")
    assert {"too_large": 1} == dict(index.status().skipped)


def test_a_rule_that_names_a_folder_takes_it_in(tmp_path: Path) -> None:
    """`!vendor` below `**/vendor/` keeps `a/vendor`, as git does."""
    tree = plant(
        tmp_path / "tree",
        {".gitignore": "**/vendor/\n", "a/.gitignore": "!vendor\n"}
        | {"a/vendor/f.txt": "x\n", "b/vendor/f.txt": "x\n"},
    )
    git(tree, "init", "-q")
    index = hsum.in_memory()
    index.ingest(tree, allow_sensitive=True)

    visible = [name for name in listed_by_git(tree) if ".gitignore" not in name]

    assert ["a/vendor/f.txt"] == visible == paths(index)


def test_the_start_of_a_walk_changes_no_verdict(tmp_path: Path) -> None:
    """`!/some_dir/build/` holds when the walk starts in `some_dir`, too."""
    tree = plant(
        tmp_path / "tree",
        {".gitignore": "build/\n!/some_dir/build/\n"}
        | {"some_dir/build/f.txt": "x\n", "other/build/f.txt": "x\n"},
    )
    git(tree, "init", "-q")
    whole, part = hsum.in_memory(), hsum.in_memory()
    whole.ingest(tree)
    part.ingest(tree / "some_dir")

    assert ["some_dir/build/f.txt"] == paths(whole)
    assert ["build/f.txt"] == paths(part)


def test_a_wildcard_names_no_folder(tmp_path: Path) -> None:
    """`!*/` takes no build output in: it speaks of folders at large.

    The folder is listed with its reason, and comes in when it is named.
    """
    tree = plant(
        tmp_path / "tree",
        {".gitignore": "*\n!*/\n!*.go\n", "main.go": "x\n"}
        | {"pkg/x/y.go": "x\n", "build/z.go": "x\n"},
    )
    git(tree, "init", "-q")
    index = hsum.in_memory()
    index.ingest(tree)

    assert ["main.go", "pkg/x/y.go"] == paths(index)
    assert "untracked build or vendor folder" in {
        skip.detail for skip in index.skipped() if skip.path == "build/"
    }

    index.ingest(include=["build/"], allow=["mass-delete"])

    assert ["build/z.go"] == paths(index)


def test_a_rule_of_the_parent_holds_in_a_subfolder(tmp_path: Path) -> None:
    """`**/bar/*` of the repository's top hides `bar/a` of a walk that starts below."""
    tree = plant(
        tmp_path / "tree",
        {".gitignore": "**/bar/*\n", "foo/bar/a.txt": "x\n", "foo/baz.txt": "x\n"},
    )
    git(tree, "init", "-q")
    index = hsum.in_memory()
    index.ingest(tree / "foo")

    assert ["baz.txt"] == paths(index)


def test_outside_of_a_repository_rules_start_at_the_root(tmp_path: Path) -> None:
    """Without git a rule file counts below the root that was given, and not above."""
    tree = plant(
        tmp_path / "tree",
        {".gitignore": "**/bar/*\n", "foo/bar/a.txt": "x\n", "foo/baz.txt": "x\n"},
    )
    whole, part = hsum.in_memory(), hsum.in_memory()
    whole.ingest(tree)
    part.ingest(tree / "foo")

    assert ["foo/baz.txt"] == paths(whole)
    assert ["bar/a.txt", "baz.txt"] == paths(part)


def test_edited_rules_leave_the_next_generation(tmp_path: Path) -> None:
    """Each ingest reads the rules again: what they drop is in no later answer."""
    tree = plant(
        tmp_path / "tree",
        {"a.txt": "alpha\n", "b.log": "beta\n"}
        | {f"{n}.txt": "filler\n" for n in range(6)},
    )
    index = hsum.in_memory()
    index.ingest(tree)
    plant(tree, {".gitignore": "*.log\n"})
    index.ingest(allow=["mass-delete"])

    assert [] == found(index, "beta")
    assert "b.log" not in paths(index)

    (tree / ".gitignore").unlink()
    index.ingest(allow=["mass-delete"])

    assert ["b.log"] == found(index, "beta")


def test_no_time_limit_cuts_an_ingest_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour that passes between two files changes nothing in what is indexed."""
    files = {f"d{n % 20}/{n}.txt": f"file number {n}\n" for n in range(400)}
    tree = plant(tmp_path / "tree", dict(files))
    passed = time.monotonic()

    def slow() -> float:
        nonlocal passed
        passed += 3_600.0
        return passed

    monkeypatch.setattr(time, "monotonic", slow)
    index = hsum.in_memory()
    report = index.ingest(tree)
    monkeypatch.undo()

    assert len(files) == report.added == len(paths(index))


def test_a_credential_folder_is_indexed_when_its_name_is_given(tmp_path: Path) -> None:
    """Who names `.ssh` gets it without its keys; from above it is not entered."""
    home = plant(
        tmp_path / "home",
        {".ssh/config": "Host a\n", ".ssh/id_rsa": "key\n", "a.txt": "x\n"},
    )
    named, above = hsum.in_memory(), hsum.in_memory()
    named.ingest(home / ".ssh")
    above.ingest(home)

    assert ["config"] == paths(named)
    assert {"id_rsa": "secret"} == {s.path: s.reason for s in named.skipped()}
    assert ["a.txt"] == paths(above)
    assert {".ssh/": "secret"} == {s.path: s.reason for s in above.skipped()}


def test_a_pipe_in_the_tree_keeps_no_one_waiting(tmp_path: Path) -> None:
    """A FIFO is no file: it is listed, and never opened."""
    tree = plant(tmp_path / "tree", {"a.txt": "x\n"})
    os.mkfifo(tree / "fifo")
    index = hsum.in_memory()
    index.ingest(tree)

    assert {"fifo": "special"} == {skip.path: skip.reason for skip in index.skipped()}
    assert ["a.txt"] == paths(index)
