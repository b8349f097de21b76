"""A call that fails, wherever it is made: a typed error, and the store as before."""

from __future__ import annotations

import errno
import itertools
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import hythe
from hsum._kernel import files, sqlite, sqlite_files
from hythe.care import export
from tests.care.shop import STATE, filled, opened
from tests.checkpoint.worlds import dump

SEAMS = {
    "fsync": (files, export),
    "fsync_dir": (files, sqlite_files),
    "replace": (files, sqlite_files),
    "commit": (sqlite,),
    "execute": (),
}

Verb = Callable[[hythe.Store, Path], object]
VERBS: dict[str, Verb] = {
    "checkpoint": lambda store, _: store.scope(project="atlas").checkpoint(
        STATE, parent=1, facts=[hythe.Fact("a", "is", "b")], key="k"
    ),
    "record": lambda store, _: store.scope(project="atlas").record(
        store.scope(project="atlas").current(), loops=[hythe.Loop("look")]
    ),
    "scope": lambda store, _: store.scope(task="new").checkpoint(STATE, parent=None),
    "observe": lambda store, _: store.observe("billing", "x", replaces=hythe.CURRENT),
    "send": lambda store, _: store.send("critic", text="hello"),
    "acknowledge": lambda store, _: store.as_agent("critic").acknowledge(
        [store.as_agent("critic").inbox().items[0].id]
    ),
    "issue": lambda store, _: store.credentials.issue("critic", ["admin"]),
    "import": lambda store, folder: store.import_(folder / "other.jsonl"),
    "redact": lambda store, _: store.redact(
        store.current_observation("billing").observation, reason="x"
    ),
    "prune": lambda store, _: store.prune(),
    "export": lambda store, folder: store.export(folder / "made"),
    "backup": lambda store, folder: store.backup(folder / "made"),
}


class Failing:
    """Let a call fail at its n-th time, as on a full disk."""

    def __init__(self, seam: str, at: int) -> None:
        self.real = getattr(SEAMS[seam][0], seam)
        self.error, self.at, self.calls = no_space(seam), at, 0

    def __call__(self, *given: object) -> object:
        self.calls += 1
        if self.calls == self.at:
            raise self.error
        return self.real(*given)


def no_space(seam: str) -> Exception:
    """Return what the call raises when the disk is full."""
    if seam in ("fsync", "fsync_dir", "replace"):
        return OSError(errno.ENOSPC, "no space left")
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


class Statements(sqlite3.Connection):
    """Let the n-th statement that writes fail, as a full disk does."""

    at, calls = 0, 0

    def execute(self, statement: str, *given: object) -> sqlite3.Cursor:
        return self._counted(statement, super().execute, statement, *given)

    def executemany(self, statement: str, *given: object) -> sqlite3.Cursor:
        return self._counted(statement, super().executemany, statement, *given)

    def _counted(self, statement, call, *given):
        kind = statement.split(None, 1)[0].lower()
        if kind in ("insert", "update", "delete", "create", "replace"):
            Statements.calls += 1
            if Statements.calls == Statements.at:
                raise no_space("execute")
        return call(*given)


@pytest.fixture
def store(tmp_path: Path):
    """A store with something of everything, and an export of another one."""
    with opened(tmp_path / "other.hythe") as other:
        other.observe("elsewhere", "is new")
        other.scope(project="other").checkpoint(STATE, parent=None)
        other.export(tmp_path / "other.jsonl")
    with opened(tmp_path / "team.hythe", ids=None) as one:
        filled(one)
        yield one


def opening(target: str) -> sqlite3.Connection:
    return sqlite3.connect(
        target,
        isolation_level=None,
        check_same_thread=False,
        uri=target.startswith("file:"),
        factory=Statements,
    )


def failures(
    monkeypatch: pytest.MonkeyPatch, seam: str, call: Callable[[], object]
) -> Iterator[hythe.HytheError]:
    """Yield the fault of each call that fails in turn; end when none is left to fail."""
    for at in itertools.count(1):
        Statements.at, Statements.calls = at * (seam == "execute"), 0
        with monkeypatch.context() as patched:
            failing = None if seam == "execute" else Failing(seam, at)
            for module in SEAMS[seam]:
                patched.setattr(module, seam, failing)
            try:
                call()
            except hythe.HytheError as fault:
                yield fault
        Statements.at = 0
        if (failing or Statements).calls < at:
            return


@pytest.mark.parametrize("seam", SEAMS)
@pytest.mark.parametrize("verb", VERBS)
def test_the_store_is_the_one_before(
    store: hythe.Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    seam: str,
) -> None:
    """Each call that may fail is made to, one after the other, until all succeed."""
    if seam == "execute":
        store._storage.close()
        monkeypatch.setattr(sqlite, "open_file", opening)
        store = opened(tmp_path / "team.hythe", ids=None)
    before = dump(store)
    files_before = {path.name for path in tmp_path.iterdir()}
    for fault in failures(monkeypatch, seam, lambda: VERBS[verb](store, tmp_path)):
        assert "DISK_FULL" == fault.code
        assert before == dump(store)
        assert () == store.doctor().problems
        assert files_before == {path.name for path in tmp_path.iterdir()}
    changed = before != dump(store), (tmp_path / "made").exists()

    assert any(changed)
    assert () == store.doctor().problems
    store.close()


@pytest.mark.parametrize("seam", SEAMS)
def test_a_first_write_that_fails_makes_no_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seam: str
) -> None:
    """There is no file until the write that succeeds, and that one is whole."""
    monkeypatch.setattr(sqlite, "open_file", opening)
    path = tmp_path / "team.hythe"
    with opened(path) as store:
        scope = store.scope(project="atlas")
        call = lambda: scope.checkpoint(STATE, parent=None)  # noqa: E731
        for fault in failures(monkeypatch, seam, call):
            assert "DISK_FULL" == fault.code
            assert not path.exists()
            assert scope.current() is None

        assert 1 == scope.current().revision
        assert () == store.doctor().problems


@pytest.mark.parametrize("seam", SEAMS)
def test_a_restore_that_fails_makes_no_store(
    store: hythe.Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seam: str
) -> None:
    """Neither a store nor half of one; the lock file is all that may be left."""
    store.backup(tmp_path / "copy")
    target = tmp_path / "new" / "team.hythe"
    target.parent.mkdir()
    call = lambda: hythe.restore(tmp_path / "copy", target)  # noqa: E731
    for fault in failures(monkeypatch, seam, call):
        assert "DISK_FULL" == fault.code
        assert {one.name for one in target.parent.iterdir()} <= {f"{target.name}.lock"}
    with opened(target) as restored:
        assert dump(store) == dump(restored)
        assert () == restored.doctor().problems
