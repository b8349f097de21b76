"""Layouts that hide too much or too little in other tools."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hsum.index import skips
from hsum.index.scan import scan
from hsum.model import Options
from tests.scan.trees import ALL, candidates, git, listed_by_git, reasons, write

if TYPE_CHECKING:
    from pathlib import Path

X = b"x\n"

LAYOUTS: dict[str, tuple[dict[bytes, bytes], set[bytes]]] = {
    "allow list": (
        {b".gitignore": b"*\n!*/\n!*.go\n", b"main.go": X, b"a.txt": X}
        | {b"pkg/x/y.go": X, b"pkg/x/y.txt": X},
        {b"main.go", b"pkg/x/y.go"},
    ),
    "nested negation": (
        {b".gitignore": b"**/vend/\n", b"a/.gitignore": b"!vend\n"}
        | {b"a/vend/f.txt": X, b"b/vend/f.txt": X},
        {b"a/vend/f.txt"},
    ),
    "hidden folders only": (
        {b".gitignore": b".*/\n", b"a.txt": X, b"b/c.txt": X},
        {b"a.txt", b"b/c.txt"},
    ),
    "two stars in the middle": (
        {b".gitignore": b"**/bar/*\n", b"foo/bar/a": X, b"foo/baz": X, b"bar/b": X},
        {b"foo/baz"},
    ),
    "byte order mark": (
        {b".gitignore": b"\xef\xbb\xbf*.o\n", b"a.o": X, b"a.c": X},
        {b"a.c"},
    ),
    "POSIX classes": (
        {b".gitignore": b"[[:digit:]]*\n[[:upper:][:punct:]]x\n", b"1a": X}
        | {b"Ax": X, b"-x": X, b"ax": X},
        {b"ax"},
    ),
    "spaces at the end": (
        {b".gitignore": b"a  \nb\\ \nc\\  \nd\t\n", b"a": X, b"b ": X, b"c ": X}
        | {b"d": X, b"c": X},
        {b"c", b"d"},
    ),
    "escapes": (
        {b".gitignore": b"\\#a\n\\!b\nc\\*\nd\\\n", b"#a": X, b"!b": X, b"c*": X}
        | {b"cd": X, b"d": X, b"d\\": X},
        {b"cd", b"d", b"d\\"},
    ),
    "no way back below a hidden folder": (
        {b".gitignore": b"out/\n!out/keep\n", b"out/keep": X, b"in/keep": X},
        {b"in/keep"},
    ),
    "CRLF, comments, blanks": (
        {b".gitignore": b"# a\r\n\r\n*.o\r\n/b\r\n", b"a": X, b"b": X, b"c/b": X}
        | {b"x.o": X},
        {b"a", b"c/b"},
    ),
    "a NUL in a line": (
        {b".gitignore": b"a\0b\nc\n", b"a": X, b"ab": X, b"c": X},
        {b"ab"},
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(root: bytes, name: str) -> None:
    """The files of a hostile layout are those git lists, and those we expect."""
    files, expected = LAYOUTS[name]
    git(root, "init", "-q")
    write(root, files)

    visible = {path for path in listed_by_git(root) if not path.endswith(b".gitignore")}

    assert expected == visible == candidates(root)


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_without_git(root: bytes, name: str) -> None:
    """Where there is no repository the ignore files alone decide, and decide alike."""
    files, expected = LAYOUTS[name]
    write(root, files)

    assert expected == candidates(root)


def test_result_is_the_same_from_every_start(root: bytes) -> None:
    """A scan of a folder gives what a scan of its repository gives below it."""
    git(root, "init", "-q")
    write(root, {b".gitignore": b"out/\n!/some/out/\n*.o\n/some/x\n"})
    write(root, {b"some/out/a": X, b"some/x": X, b"some/b.o": X, b"some/c/d": X})
    whole = candidates(root)

    below = {b"some/" + path for path in candidates(root + b"/some")}

    assert {b"some/out/a", b"some/c/d"} == whole == below


def test_root_that_its_repository_ignores(root: bytes) -> None:
    """A root that a rule above it hides is empty, and a warning says so."""
    git(root, "init", "-q")
    write(root, {b".gitignore": b"gen/\n", b"gen/doc/a": X, b"gen/doc/b": X})

    found = scan(root + b"/gen/doc", ALL)

    assert ((), {b"a": skips.IGNORED, b"b": skips.IGNORED}) == (
        found.changed,
        reasons(found),
    )
    assert "no_ignore" in found.warnings[0]


def test_tracked_files_are_never_hidden(root: bytes) -> None:
    """What git tracks is in, though it is ignored, hidden or in a folder of packages."""
    git(root, "init", "-q")
    tracked = {b".github/ci.yml": X, b"out/keep": X, b"node_modules/a.js": X}
    tracked |= {b".gitignore": b"out/\n", b"build/tool": X, b"a.log": X}
    write(root, tracked)
    git(root, "add", "-f", ".")
    write(root, {b".github/new.yml": X, b"out/new": X, b"node_modules/new.js": X})
    write(root, {b"build/new": X, b".cache/x": X, b"out/deep/er/x": X})

    found = scan(root, ALL)

    assert {file.path for file in found.changed} == set(tracked) | {b"build/new"}
    assert reasons(found) == {
        b".git/": skips.REPOSITORY,
        b".cache/": skips.HIDDEN,
        b".github/new.yml": skips.HIDDEN,
        b"out/new": skips.IGNORED,
        b"out/deep/": skips.IGNORED,
        b"node_modules/new.js": skips.FOLDER,
    }


def test_submodules_and_nested_repositories_keep_their_own_rules(
    root: bytes, tmp_path: Path
) -> None:
    """Rules end at a repository within the tree, which has its own."""
    other = os.fsencode(tmp_path / "other")
    os.mkdir(other)
    git(other, "init", "-q")
    write(other, {b"kept.log": X, b".gitignore": b"*.tmp\n", b"a.tmp": X, b".env2": X})
    git(other, "add", "-f", "kept.log", "a.tmp", ".gitignore")
    git(other, "commit", "-qm", "one")
    git(root, "init", "-q")
    write(root, {b".gitignore": b"*.log\n", b"root.log": X, b"b.tmp": X})
    git(root, "submodule", "--quiet", "add", os.fsdecode(other), "deps/sub")
    git(root, "clone", "-q", os.fsdecode(other), "nested")
    write(root, {b"deps/sub/new.log": X, b"nested/new.log": X, b"nested/x.tmp": X})
    visible = listed_by_git(root) - {b".gitignore"}

    assert visible == candidates(root)
    assert {b"deps/sub/new.log", b"nested/new.log", b"b.tmp"} < visible


def test_worktree_is_a_root_of_its_own(root: bytes, tmp_path: Path) -> None:
    """A linked worktree has its own tracked set and shares the exclude file."""
    git(root, "init", "-q")
    write(root, {b"a.c": X, b".hidden": X})
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    tree = os.fsencode(tmp_path / "tree")
    git(root, "worktree", "add", "-q", os.fsdecode(tree))
    write(root, {b".git/info/exclude": b"*.o\n"})
    write(tree, {b"b.o": X, b"b.c": X, b"c.o": X})
    git(tree, "add", "-f", "c.o")

    assert {b"a.c", b"b.c", b"c.o", b".hidden"} == candidates(tree)
    assert listed_by_git(tree) == candidates(tree)


def test_excludes_file_of_the_user(
    root: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's excludes file counts, after the repository's own."""
    git(root, "init", "-q")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    write(os.fsencode(tmp_path), {b"git/ignore": b"*.o\n*.x\n", b"mine": b"*.y\n"})
    write(root, {b".git/info/exclude": b"!a.x\n", b"a.o": X, b"a.x": X, b"a.y": X})
    by_default = candidates(root)
    git(root, "config", "core.excludesFile", str(tmp_path / "mine"))

    assert ({b"a.x", b"a.y"}, {b"a.o", b"a.x"}) == (by_default, candidates(root))


def test_without_the_git_program(root: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git the ignore files alone decide, and a warning says so."""
    git(root, "init", "-q")
    write(root, {b".gitignore": b"*.o\n", b"a.o": X, b"a.c": X, b"build/b": X})
    git(root, "add", "-f", ".")
    monkeypatch.setenv("PATH", "/nonexistent")

    found = scan(root, ALL)

    assert [b"a.c"] == [file.path for file in found.changed]
    assert "the ignore files alone decide" in found.warnings[0]


def test_variables_of_git_do_not_lead_elsewhere(
    root: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A GIT_DIR in the environment, as hooks have it, changes nothing."""
    git(root, "init", "-q")
    write(root, {b".x": X})
    git(root, "add", ".x")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))

    assert {b".x"} == candidates(root)


def test_hooks_and_monitors_of_a_repository_never_run(root: bytes) -> None:
    """A scan runs no program that a repository names."""
    git(root, "init", "-q")
    write(root, {b"a": X, b"monitor": b"#!/bin/sh\ntouch ran\n"})
    os.chmod(root + b"/monitor", 0o755)
    git(root, "config", "core.fsmonitor", "./monitor")
    git(root, "config", "core.hooksPath", ".")
    before = os.stat(root + b"/.git").st_mtime_ns

    candidates(root)

    assert not os.path.exists(root + b"/ran")
    assert before == os.stat(root + b"/.git").st_mtime_ns


def test_a_folder_that_only_looks_like_a_repository(root: bytes) -> None:
    """A `.git` that is none starts no new rules."""
    write(root, {b".gitignore": b"*.o\n", b"a/.git/x": X, b"a/b.o": X, b"a/c": X})
    write(root, {b"b/.git": b"gitdir: /nowhere\n", b"b/b.o": X})

    assert {b"a/c"} == candidates(root)


def test_no_ignore_and_include(root: bytes) -> None:
    """`no_ignore` lifts the ignore files, `include` the hidden and folder rules too."""
    write(root, {b".gitignore": b"*.md\n", b"a.md": X, b"b.c": X, b".h/c.md": X})
    write(root, {b"node_modules/d.md": X, b"e/node_modules/f.md": X, b".env": X})

    without_rules = candidates(root, Options(no_ignore=True))
    included = candidates(root, Options(include=("*.md", ".env")))
    below = candidates(root, Options(include=("/e/**",), exclude=("node_modules/",)))

    assert {b"a.md", b"b.c"} == without_rules
    assert {b"a.md", b".h/c.md", b"node_modules/d.md"} | {
        b"e/node_modules/f.md"
    } == included
    assert set() == below


def test_every_folder_rule(root: bytes) -> None:
    """Build output, packages and environments stay out, by the marks they have."""
    write(root, {b"node_modules/a": X, b"__pycache__/a": X, b"env/pyvenv.cfg": X})
    write(root, {b"rust/Cargo.toml": X, b"rust/target/a": X, b"java/pom.xml": X})
    write(root, {b"java/target/a": X, b"plain/target/a": X, b"build/a": X})
    write(root, {b"dist/a": X, b"vendor/a": X, b"venv/a": X})

    found = scan(root, ALL)

    assert {b"plain/target/a", b"venv/a", b"java/pom.xml", b"rust/Cargo.toml"} == {
        file.path for file in found.changed
    }
    assert {
        b"node_modules/": "folder",
        b"__pycache__/": "folder",
        b"env/": "folder",
        b"rust/target/": "folder",
        b"java/target/": "folder",
        b"build/": "folder",
        b"dist/": "folder",
        b"vendor/": "folder",
    } == reasons(found)


def test_secrets_need_the_option(root: bytes) -> None:
    """Secret-looking files stay out even when tracked or included."""
    git(root, "init", "-q")
    secret = {b".env": X, b"a/.env.local": X, b"k.pem": X, b"id_rsa.pub": X}
    secret |= {b".netrc": X, b".ssh/config": X, b"id_ed25519": X}
    write(root, secret | {b"env.py": X})
    git(root, "add", "-f", ".")

    kept = candidates(root, Options(include=("*",)))

    assert {b"env.py"} == candidates(root, Options()) == kept
    assert set(secret) | {b"env.py"} == candidates(root, ALL)


def test_the_path_above_the_root_is_no_reason(tmp_path: Path) -> None:
    """A root may lie below hidden, credential and build folders."""
    root = os.fsencode(tmp_path / ".cache" / ".ssh" / "build" / "node_modules")
    write(root, {b"a": X})

    assert {b"a"} == candidates(root, Options())
