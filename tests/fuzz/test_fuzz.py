"""Each target holds for its seeds, for what broke it once, and for some mutations."""

from __future__ import annotations

import itertools
import random
import shutil

import pytest

from tests.fuzz import NAMES, __main__, engine
from tests.fuzz.__main__ import main
from tests.fuzz.mutations import mutated
from tests.fuzz.seeds import SEEDS, TOKENS
from tests.fuzz.targets import TARGETS

CASES = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            name == "ignore-rules" and not shutil.which("git"), reason="git decides"
        ),
    )
    for name in TARGETS
]
# A hundred or so of these take a second.
FEW = {"frames": 40, "imports": 25, "ignore-rules": 60, "cursors": 60}


@pytest.mark.parametrize("name", CASES)
def test_seeds_and_old_findings_hold(name: str) -> None:
    """What a target begins with, and what has broken it, breaks it no more."""
    for data in engine.corpus(name):
        TARGETS[name](data)

    assert len(SEEDS[name]()) >= 3
    assert NAMES == tuple(TARGETS) == tuple(SEEDS) == tuple(TOKENS)


@pytest.mark.parametrize("name", CASES)
def test_mutations_hold(name: str) -> None:
    """The same few changes to the seeds on each run keep the target's laws."""
    made = mutated(engine.corpus(name), TOKENS[name], random.Random(name))
    tried = list(itertools.islice(made, FEW.get(name, 200)))
    for data in tried:
        TARGETS[name](data)

    assert len(set(tried)) > len(tried) // 2


def test_what_breaks_is_kept(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An input that breaks a law is written, and the run says where."""

    def breaks(data: bytes) -> None:
        assert b"helm" not in data

    monkeypatch.setattr(engine, "_FOUND", tmp_path)
    monkeypatch.setattr(engine.keep, "__defaults__", (tmp_path,))
    monkeypatch.setitem(TARGETS, "queries", breaks)
    with pytest.raises(AssertionError):
        main(["queries", "--plain", "--seconds", "60"])
    (path,) = (tmp_path / "queries").iterdir()

    assert b"helm" in path.read_bytes()
    assert [path] == engine.known("queries")
    with pytest.raises(AssertionError):
        main(["queries", "--replay", str(path)])


def test_a_run_that_breaks_nothing_says_how_many(capsys, monkeypatch) -> None:
    """Without the guided fuzzer mutations are tried until the time is up."""
    monkeypatch.setattr(__main__, "has_atheris", lambda: False)
    monkeypatch.setitem(TARGETS, "queries", lambda data: None)

    assert 0 == main(["queries", "--seconds", "0"])
    assert "nothing broke" in capsys.readouterr().out
