"""The kit of laws that users run against their own way of making a store."""

from __future__ import annotations

import pytest

import hythe
from hythe.testing import LAWS, check_store, play
from hythe.testing._oracle import Oracle
from tests.checkpoint.worlds import store


def test_every_law_holds_in_memory_and_on_disk(tmp_path):
    """The kit passes for both kinds of store, and says what it checked."""
    paths = (tmp_path / f"{number}.hythe" for number in range(100))

    in_memory = check_store(store, games=3)
    on_disk = check_store(lambda: store(next(paths)), games=1)

    assert in_memory == on_disk
    assert len(LAWS) == len(set(in_memory))


@pytest.mark.parametrize("seed", range(12))
def test_long_games_surprise_no_one(seed):
    """A long game, with branches on branches and retired parents, is played right."""
    with store() as made:
        play(made, seed=1_000 + seed, moves=120)


@pytest.mark.parametrize(
    "lie",
    [
        lambda self: self.childless(),
        lambda self: {self.pointer} - {None},
    ],
)
def test_a_game_finds_a_store_that_differs(monkeypatch, lie):
    """A game fails when store and oracle disagree on what is live."""
    monkeypatch.setattr(Oracle, "live", lie)

    with pytest.raises(AssertionError):
        for seed in range(10):
            with store() as made:
                play(made, seed=seed, moves=60)


def test_a_law_that_fails_says_its_sentence(monkeypatch):
    """What does not hold is named by the sentence of its law."""
    monkeypatch.setattr(hythe.Store, "observations", lambda *_: [1])

    with pytest.raises(AssertionError, match="corrected by another"):
        check_store(store, games=0)
