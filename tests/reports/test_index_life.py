"""What happens to an index between its first ingest and its last."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import hsum
from tests.cli.programs import Program
from tests.index.trees import everything_below, settle
from tests.reports.trees import found, git, paths, plant

REPOSITORY = Path(__file__).parents[2]
FILES: dict[str, str | bytes] = {
    f"{n}.txt": f"common words and needle{n} plus some_name{n}\n" for n in range(12)
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The directory of an index of a dozen files."""
    with hsum.open(tmp_path / "index") as index:
        index.ingest(plant(tmp_path / "tree", FILES))
    return tmp_path / "index"


@pytest.mark.parametrize("damage", ["flip", "truncate", "zero"])
def test_no_damaged_posting_is_an_empty_answer(folder: Path, damage: str) -> None:
    """A lexical file with changed bytes gives the true answer or a typed error."""
    for file in _lexical_files(folder):
        whole = file.read_bytes()
        for at in {len(whole) // 4, len(whole) // 2, len(whole) - 1}:
            _rewrite(file, DAMAGE[damage](whole, at))
            with hsum.open(folder) as index:
                for query in ("needle7", "some_name7", '"and needle7 plus"'):
                    assert "7.txt" in _found_or_refused(index, query)
        _rewrite(file, whole)


DAMAGE = {
    "flip": lambda data, at: data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :],
    "truncate": lambda data, at: data[:at],
    "zero": lambda data, at: data[:at] + bytes(len(data) - at),
}


def _lexical_files(folder: Path) -> list[Path]:
    return sorted((folder / "lexical").glob("*/[!.]*.[!jl]*"))


def _rewrite(file: Path, data: bytes) -> None:
    file.unlink()  # the old file may be mapped into memory
    file.write_bytes(data)


def _found_or_refused(index: hsum.Index, query: str) -> list[str]:
    try:
        return found(index, query)
    except hsum.HsumError:
        return ["7.txt"]


def test_the_leftover_lock_of_an_engine_holds_no_one(folder: Path) -> None:
    """Lock files that a killed writer left are files, not locks."""
    for directory in (folder, *(folder / "lexical").iterdir()):
        (directory / ".tantivy-writer.lock").touch()
        (directory / ".tantivy-meta.lock").touch()
    (folder / "writer.lock").write_text("999999")
    plant(folder.parent / "tree", {"late.txt": "late_word\n"})
    with hsum.open(folder) as index:
        index.ingest(lock_timeout_ms=1_000)

        assert "late.txt" == found(index, "late_word")[0]


def _python(program: str, *arguments: object, **extra: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=REPOSITORY,
        env={**os.environ, **extra},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


_TURNS = """
import sys, pathlib, hsum
folder, tree, name = sys.argv[1:]
with hsum.open(folder) as index:
    for number in range(4):
        sys.stdin.readline()
        pathlib.Path(tree, f"{name}{number}.txt").write_text(f"word_{name}{number}")
        print(index.ingest().generation, flush=True)
"""


def test_writers_in_turn_lose_nothing_of_each_other(folder: Path) -> None:
    """Two processes that keep their handles and ingest in turn each see the other's."""
    tree = folder.parent / "tree"
    writers = [_python(_TURNS, folder, tree, name) for name in "ab"]
    said = []
    for _ in range(4):
        for writer in writers:
            assert writer.stdin is not None
            assert writer.stdout is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
            said.append(int(writer.stdout.readline()))
    for writer in writers:
        writer.communicate()

    assert list(range(2, 10)) == said
    with hsum.open(folder) as index:
        for name in (f"{letter}{number}" for letter in "ab" for number in range(4)):
            assert f"{name}.txt" == found(index, f"word_{name}")[0]
        assert () == tuple(index.doctor().problems)


def test_a_session_that_ends_cuts_no_log_under_another(folder: Path) -> None:
    """Sessions that come, write and go leave a reader its snapshot and a sound file."""
    tree = folder.parent / "tree"
    with hsum.open(folder) as reader:
        for number in range(4):
            with hsum.open(folder) as other:
                plant(
                    tree, {"more.txt": f"round {number} " + os.urandom(200_000).hex()}
                )
                other.ingest()

            assert ["3.txt"] == found(reader, "needle3")
    check = sqlite3.connect(folder / "index.sqlite")

    assert ("ok",) == check.execute("pragma integrity_check").fetchone()
    check.close()


_INITIALIZE = """
import sys, hsum
sys.stdin.readline()
print(hsum.initialize(sys.argv[1]).context.binding)
"""


def test_sessions_that_index_different_roots_are_all_registered(tmp_path: Path) -> None:
    """Four processes that bind four roots at once leave four bindings."""
    roots = [plant(tmp_path / f"root{n}", {"a.txt": f"word{n}\n"}) for n in range(4)]
    home = str(tmp_path / "home")
    started = [_python(_INITIALIZE, root, HSUM_HOME=home) for root in roots]
    said = [process.communicate("go\n")[0].strip() for process in started]

    program = Program("hsum", tmp_path / "home", tmp_path)
    contexts = [program.within(root).json("context") for root in roots]

    assert said == [context["binding"] for context in contexts]
    assert 4 == len(set(said))


def test_an_edit_that_hides_behind_its_time_is_found(tmp_path: Path) -> None:
    """One changed letter, same size, mtime put back: the bytes decide."""
    tree = plant(tmp_path / "tree", {"a.txt": "version_a\n", "b.txt": "b\n"})
    settle()
    index = hsum.in_memory()
    index.ingest(tree)
    before = (tree / "a.txt").stat()
    (tree / "a.txt").write_text("version_b\n")
    os.utime(tree / "a.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
    index.ingest()

    assert "a.txt" == found(index, "version_b")[0]
    assert [] == [hit.path for hit in index.search("version_a") if hit.ranks.exact]


def test_a_worktree_with_its_own_index_warns_of_nothing(tmp_path: Path) -> None:
    """A linked worktree is a root of its own, like the repository it came from."""
    tree = plant(tmp_path / "tree", {"a.txt": "alpha\n"})
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "one")
    git(tree, "worktree", "add", "-q", str(tmp_path / "linked"))
    for root in (tree, tmp_path / "linked"):
        index = hsum.in_memory()
        report = index.ingest(root)

        assert () == tuple(report.warnings)
        assert () == tuple(index.status().problems)
        assert ["a.txt"] == paths(index)


def test_reading_rewrites_nothing(folder: Path) -> None:
    """Search, get, check, status, listings: no file of the index is touched."""
    settle()
    before = _lasting(folder)
    with hsum.open(folder) as index:
        hit = index.search("needle3")[0]
        index.get(hit.citation, verify=True, around=2)
        index.check(f"see {hit.citation}")
        index.status()
        index.documents()
        index.generations()
        index.skipped()
        index.doctor()

    assert before == _lasting(folder)


def _lasting(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of every file but those that only locks are for."""
    return {
        name: stat
        for name, stat in everything_below(folder).items()
        if not name.endswith(("-shm", ".lock"))
    }


def test_twenty_commits_later_the_status_says_so(tmp_path: Path) -> None:
    """Commits without an ingest make the index stale, and they are counted."""
    tree = plant(tmp_path / "tree", {"a.txt": "0\n"})
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "first")
    index = hsum.in_memory()
    index.ingest(tree)
    for number in range(20):
        git(tree, "commit", "-q", "--allow-empty", "-m", f"{number}")
    (problem,) = index.status().problems

    assert "STALE" == problem.code
    assert "20 commits" in problem.message


def test_a_partial_generation_is_never_active(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ingest that ends in the middle leaves the generation before, whole."""
    tree = plant(tmp_path / "tree", {f"{n}.txt": f"old_{n}\n" for n in range(50)})
    index = hsum.open(tmp_path / "index")
    index.ingest(tree)
    plant(tree, {f"{n}.txt": f"newer_{n}\n" for n in range(50)})

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.ingest(progress=stop)

    assert 1 == len(index.generations())
    assert "7.txt" == found(index, "old_7")[0]
    assert () == tuple(index.doctor().problems)
