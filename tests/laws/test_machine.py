"""Any sequence of calls, judged by the plain oracle after each."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

import hythe
from hythe.testing._play import Player
from tests.checkpoint.worlds import dump, store


class Drawn:
    """Choices that Hypothesis draws, so that it can shrink a failing game."""

    def __init__(self):
        self.data = None

    def pick(self, items):
        return self.data.draw(st.sampled_from(list(items)))

    def some(self, items):
        wanted = self.data.draw(st.integers(0, 2 ** len(items) - 1))
        return [item for i, item in enumerate(items) if wanted >> i & 1]

    def chance(self, percent):
        return self.data.draw(st.integers(0, 99)) >= 100 - percent


class Game(RuleBasedStateMachine):
    """A scope in memory under every kind of call."""

    def make(self):
        return store()

    @initialize()
    def begin(self):
        self.store = self.make()
        self.drawn = Drawn()
        self.player = Player(
            self.store.scope(project="game"), self.drawn, lambda: dump(self.store)
        )
        self.rows = {}

    @rule(data=st.data(), operation=st.sampled_from(("write", "record", "patch")))
    def append(self, data, operation):
        self.drawn.data = data
        self.player.append(operation)

    @rule(data=st.data())
    def write(self, data):
        self.drawn.data = data
        self.player.append("write")

    @rule(data=st.data())
    def reconcile(self, data):
        self.drawn.data = data
        self.player.reconcile()

    @rule(data=st.data(), move=st.sampled_from(("retry", "reuse", "plan")))
    def look(self, data, move):
        self.drawn.data = data
        getattr(self.player, move)()

    @invariant()
    def rows_are_immutable(self):
        """Every recorded row stays as it was written."""
        rows = dump(self.store)
        for table in ("checkpoint", "state", "checkpoint_key", "scope", "version"):
            kept = set(self.rows.get(table, ()))

            assert kept <= set(rows[table])
        self.rows = rows

    def teardown(self):
        if hasattr(self, "store"):
            problems = self.store.doctor().problems
            self.store.close()

            assert problems == ()


class GameOnDisk(Game):
    """The same game on a file."""

    def make(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hythe-game-")
        path = Path(self.folder.name) / "game.hythe"
        return hythe.open(path, agent="player", durability="normal")

    def teardown(self):
        super().teardown()
        if hasattr(self, "folder"):
            self.folder.cleanup()


@pytest.mark.parametrize(
    ("game", "examples", "steps"), [(Game, 40, 50), (GameOnDisk, 8, 30)]
)
def test_no_game_surprises_the_oracle(game, examples, steps):
    """The store does what the oracle says, whatever is called in whatever order."""
    run_state_machine_as_test(
        game, settings=settings(max_examples=examples, stateful_step_count=steps)
    )
