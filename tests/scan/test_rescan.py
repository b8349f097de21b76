"""A scan that remembers the last one answers as one that does not."""

from __future__ import annotations

import os
import shutil
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hsum.index import seen, skips, walk
from hsum.index.git import GitFailed, Repository, Tracked
from hsum.index.scan import Outcome, Previous, Scan, scan
from hsum.index.skips import Skip
from hsum.model import Options
from tests.scan.trees import (
    ALL,
    age,
    git,
    indexed,
    reasons,
    remembered,
    write,
)

X = b"x\n"


def paths(found: Scan) -> list[bytes]:
    return [file.path for file in found.changed]


def test_nothing_changed_reads_nothing_and_says_so(root: bytes) -> None:
    """A tree that stands as it was gives nothing to read and nothing to store."""
    write(root, {b"a": X, b"b/c": X, b"b/d.o": X, b".gitignore": b"*.o\n"})
    os.symlink(b"a", root + b"/link")
    age(root)
    first = scan(root, ALL)

    found = scan(root, ALL, remembered(first))

    assert ((), (), 2, 4, False) == (
        found.changed,
        found.vanished,
        found.unchanged,
        found.unchanged_bytes,
        found.differs,
    )
    assert first.skips == found.skips


def test_only_what_changed_is_read(root: bytes) -> None:
    """A new size, time, inode or name is read again; what is gone is named."""
    names = (b"same", b"size", b"time", b"inode", b"gone", b"f/gone", b"to_link")
    write(root, dict.fromkeys(names, X))
    age(root)
    before = remembered(scan(root, ALL))
    write(root, {b"size": b"longer\n", b"new": X, b"other": X})
    os.utime(root + b"/time", (1, 1))
    os.replace(root + b"/other", root + b"/inode")
    os.unlink(root + b"/gone")
    os.unlink(root + b"/to_link")
    os.symlink(b"same", root + b"/to_link")
    shutil.rmtree(root + b"/f")

    found = scan(root, ALL, before)

    assert [b"inode", b"new", b"size", b"time"] == paths(found)
    assert (b"f/gone", b"gone", b"to_link") == found.vanished
    assert {b"same", b"inode", b"new", b"size", b"time"} == indexed(
        remembered(found, before)
    )


def test_a_change_that_restores_the_time_is_read(root: bytes) -> None:
    """An edit of the same size whose mtime is put back still shows."""
    write(root, {b"a": b"one\n"})
    age(root)
    before = remembered(scan(root, ALL))
    status = os.stat(root + b"/a")
    write(root, {b"a": b"two\n"})
    os.utime(root + b"/a", ns=(status.st_atime_ns, status.st_mtime_ns))

    assert [b"a"] == paths(scan(root, ALL, before))


def test_a_file_as_young_as_the_scan_is_read_again(root: bytes) -> None:
    """A signature that a write in the same tick would not change is not trusted."""
    write(root, {b"a": X})
    before = remembered(scan(root, ALL))
    time.sleep(0.03)
    second = scan(root, ALL, before)

    third = scan(root, ALL, remembered(second, before))

    assert ([b"a"], []) == (paths(second), paths(third))


def test_whole_seconds_are_trusted_only_after_two(root: bytes) -> None:
    """Times in whole seconds are those of a coarse file system."""
    write(root, {b"a": X})
    now = time.time_ns() // 1_000_000_000 * 1_000_000_000
    os.utime(root + b"/a", ns=(now, now))
    second = scan(root, ALL, remembered(scan(root, ALL)))

    assert [b"a"] == paths(second)


def test_rehash_reads_all(root: bytes) -> None:
    """`rehash` puts every candidate into `changed`, and skips stay skips."""
    write(root, {b"a": X, b"b.o": X, b".gitignore": b"*.o\n"})
    age(root)
    before = remembered(scan(root, ALL))

    found = scan(root, ALL, before, rehash=True)

    assert ([b"a"], ()) == (paths(found), found.vanished)


def test_edited_rules_count_at_once(root: bytes) -> None:
    """A rule that is added drops files, one that is removed brings them back."""
    write(root, {b"a.o": X, b"b/c.o": X, b"d": X})
    age(root)
    before = remembered(scan(root, ALL))
    write(root, {b".gitignore": b"*.o\n"})
    hidden = scan(root, ALL, before)
    between = remembered(hidden, before)
    os.unlink(root + b"/.gitignore")
    shown = scan(root, ALL, between)

    assert ((b"a.o", b"b/c.o"), ()) == (hidden.vanished, hidden.changed)
    assert ([b"a.o", b"b/c.o"], {b"d"}) == (paths(shown), indexed(between))


def test_a_newly_tracked_file_comes_in(root: bytes) -> None:
    """What git tracks is asked again when its index changed."""
    git(root, "init", "-q")
    write(root, {b".gitignore": b"*.o\n", b"a.o": X, b".x/y": X})
    age(root)
    before = remembered(scan(root, ALL))
    git(root, "add", "-f", "a.o", ".x/y")

    assert [b".x/y", b"a.o"] == paths(scan(root, ALL, before))


def test_git_is_not_asked_when_nothing_changed(
    root: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verdicts are kept with the folder: a known tree needs no tracked set."""
    git(root, "init", "-q")
    write(root, {b"a": X, b".x/y": X, b"b/c.o": X, b".gitignore": b"*.o\n"})
    git(root, "add", "-f", ".x")
    age(root)
    before = remembered(scan(root, ALL))
    asked: list[object] = []
    monkeypatch.setattr(Repository, "tracked", lambda *args: asked.append(args))

    found = scan(root, ALL, before)

    assert ([], False) == (asked, found.differs)


def test_a_refreshed_index_judges_nothing_again(
    root: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git rewrites its index often; while it tracks the same files, verdicts stand."""
    git(root, "init", "-q")
    write(root, {b"a": X, b".x/y": X, b"b/c.o": X, b".gitignore": b"*.o\n"})
    git(root, "add", "-f", ".x")
    age(root)
    before = remembered(scan(root, ALL))
    os.utime(root + b"/.git/index", (1, 1))
    judged: list[object] = []
    monkeypatch.setattr(walk.skips, "of_entry", lambda *args: judged.append(args))

    found = scan(root, ALL, before)
    records = found.records({})

    assert ([], [b".git/"]) == (judged, [path for path, _ in records])


def test_a_failure_of_git_is_not_remembered(
    root: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was judged without an answer of git is judged again when it answers."""
    git(root, "init", "-q")
    write(root, {b"a": X, b".x": X})
    git(root, "add", ".")
    age(root)

    def failing(*_: object) -> Tracked:
        raise GitFailed("too slow")

    with monkeypatch.context() as patch:
        patch.setattr(Repository, "tracked", failing)
        failed = scan(root, ALL)

    assert ([b"a"], True) == (paths(failed), "too slow" in failed.warnings[0])
    assert [b".x"] == paths(scan(root, ALL, remembered(failed)))


def test_options_are_asked_again(root: bytes) -> None:
    """Other options judge every file anew and read only what they let in."""
    write(root, {b"a": X, b"b": X * 100, b".env": X})
    age(root)
    before = remembered(scan(root, Options(max_file_bytes=10)))

    wider = scan(root, Options(), before)
    narrower = scan(root, Options(exclude=("a",)), before)

    assert ([b"b"], 1) == (paths(wider), wider.unchanged)
    assert (b"a",) == narrower.vanished


def test_what_the_bytes_said_is_remembered(root: bytes) -> None:
    """A binary file that did not change is not read again, with its detail kept."""
    write(root, {b"a": X, b"b": X})
    age(root)
    first = scan(root, ALL)
    outcomes = {file.path: Outcome(file.signature) for file in first.changed}
    skip = Skip(b"b", skips.BINARY, "NUL byte")
    outcomes[b"b"] = Outcome(outcomes[b"b"].signature, skip)
    folders = {key: body for key, body in first.records(outcomes) if body}

    found = scan(root, ALL, Previous(folders))

    assert ((), (skip,), 1) == (found.changed, found.skips, found.unchanged)


def test_a_failed_read_is_tried_again(root: bytes) -> None:
    """A file that could not be read stays what it was and is read at the next scan."""
    write(root, {b"a": X, b"b": X})
    age(root)
    first = scan(root, ALL)
    a, b = (file.signature for file in first.changed)
    outcomes = {
        b"a": Outcome(a, None, settled=False),
        b"b": Outcome(b, Skip(b"b", skips.UNREADABLE), settled=False),
    }
    before = Previous({key: body for key, body in first.records(outcomes) if body})
    second = scan(root, ALL, before)
    os.unlink(root + b"/a")
    os.unlink(root + b"/b")

    assert [b"a", b"b"] == paths(second)
    assert (b"a",) == scan(root, ALL, before).vanished


def test_damaged_records_are_forgotten(root: bytes) -> None:
    """A record that cannot be read costs a reading, never a wrong answer."""
    write(root, {b"a": X, b"f/b": X})
    age(root)
    before = remembered(scan(root, ALL))
    broken = Previous({key: body[:-3] for key, body in before.folders.items()})
    foreign = Previous(
        {key: b"\xff" + body[1:] for key, body in before.folders.items()}
    )

    assert [b"a", b"f/b"] == paths(scan(root, ALL, broken))
    assert [b"a", b"f/b"] == paths(scan(root, ALL, foreign))


def test_what_cannot_be_looked_at_stays_known(
    root: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents below a folder that fails are neither read nor dropped."""
    write(root, {b"a": X, b"f/b": X, b"f/g/c": X})
    age(root)
    before = remembered(scan(root, ALL))
    opened = walk.open_folder

    def failing(name: bytes, parent: int | None = None) -> int:
        if name == b"f":
            raise PermissionError(13, "Permission denied")
        return opened(name, parent)

    with monkeypatch.context() as patch:
        patch.setattr(walk, "open_folder", failing)
        failed = scan(root, ALL, before)
        between = remembered(failed, before)
        again = scan(root, ALL, between)
    healed = scan(root, ALL, between)

    assert ((), (), 3) == (failed.changed, failed.vanished, failed.unchanged)
    assert {b"f/": skips.UNREADABLE} == reasons(failed) == reasons(again)
    assert ((), (), 3, True) == (
        healed.changed,
        healed.vanished,
        healed.unchanged,
        healed.differs,
    )


def test_forgotten_paths_stay_out(root: bytes) -> None:
    """A forgotten path is never a candidate again."""
    write(root, {b"a": X, b"b": X})

    found = scan(root, ALL, forgotten=frozenset([b"a"]))

    assert ([b"b"], {b"a": skips.FORGOTTEN}) == (paths(found), reasons(found))


def test_progress_may_stop_the_walk(root: bytes) -> None:
    """What the callback raises passes through."""
    write(root, {b"a": X, b"b/c": X})
    counts: list[int] = []
    scan(root, ALL, progress=counts.append)

    def stop(_: int) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        scan(root, ALL, progress=stop)

    assert [2, 2] == counts


def test_a_signature_can_be_looked_up(root: bytes) -> None:
    """A record gives the signature of one file, and nothing for a stranger."""
    write(root, {b"f/a": X})
    found = scan(root, ALL)
    record = remembered(found).folders[b"f/"]

    assert found.changed[0].signature == seen.signature_in(record, b"a")
    assert None is seen.signature_in(record, b"b") is seen.signature_in(b"", b"a")


_TREE_NAMES = st.sampled_from(
    [b"a", b"b", b"c.o", b".h", b"build", b".gitignore", b"d"]
)
_TREE = st.dictionaries(
    st.lists(_TREE_NAMES, min_size=1, max_size=3).map(b"/".join),
    st.sampled_from([X, b"*.o\n", b"a/\n!b\n", b"/d\n", b""]),
    max_size=8,
)
_OPTIONS = st.builds(
    Options,
    include=st.sampled_from([(), (), ("*.o",), ("/a/**", "b")]),
    exclude=st.sampled_from([(), (), ("d",)]),
    no_ignore=st.booleans(),
    allow_sensitive=st.just(value=True),
)


@settings(max_examples=80)
@given(steps=st.lists(st.tuples(_TREE, _OPTIONS), min_size=2, max_size=4))
def test_remembering_changes_no_answer(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[dict[bytes, bytes], Options]],
) -> None:
    """After any edits the remembered scan indexes what a fresh one would."""
    root = os.fsencode(tmp_path_factory.mktemp("steps"))
    previous: Previous | None = None
    for tree, options in steps:
        _become(root, tree)
        previous = _rescanned(root, options, previous)
    shutil.rmtree(root)


@settings(max_examples=25)
@given(
    steps=st.lists(
        st.tuples(_TREE, _OPTIONS, st.sampled_from(["add", "reset", "none"])),
        min_size=2,
        max_size=4,
    )
)
def test_remembering_changes_no_answer_of_git(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[dict[bytes, bytes], Options, str]],
) -> None:
    """The same holds whatever git tracks meanwhile."""
    root = os.fsencode(tmp_path_factory.mktemp("steps"))
    git(root, "init", "-q")
    previous: Previous | None = None
    for tree, options, command in steps:
        _become(root, tree)
        if command == "add":
            git(root, "add", "-f", ".")
        elif command == "reset":
            git(root, "read-tree", "--empty")
        previous = _rescanned(root, options, previous)
    shutil.rmtree(root)


def _rescanned(root: bytes, options: Options, previous: Previous | None) -> Previous:
    fresh = scan(root, options)
    held = indexed(previous) if previous else set()
    found = scan(root, options, previous)
    after = remembered(found, previous)
    wanted = {file.path for file in fresh.changed}

    assert wanted == indexed(after)
    assert fresh.skips == found.skips
    assert len(wanted) == found.unchanged + len(found.changed)
    assert held - wanted == set(found.vanished)
    return after


def _become(root: bytes, tree: dict[bytes, bytes]) -> None:
    kept = {b".git"} | {path.split(b"/")[0] for path in tree}
    for entry in list(os.scandir(root)):
        if entry.name not in kept:
            shutil.rmtree(entry.path) if entry.is_dir() else os.unlink(entry.path)
    for path, data in tree.items():
        try:
            write(root, {path: data})
        except OSError:
            continue
