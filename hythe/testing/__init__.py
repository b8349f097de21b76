"""Clocks and ids that stand still, and the laws that every store keeps.

    >>> import hythe
    >>> from hythe.testing import check_store
    >>> laws = check_store(lambda: hythe.in_memory(agent="tester"), games=1)

Needs no test framework: a law that does not hold raises `AssertionError` with its
sentence.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar, final

from hsum._kernel.clock import SettableClock
from hsum._kernel.ids import SequentialIds
from hythe.testing._laws import LAWS, sentence
from hythe.testing._play import Player

if TYPE_CHECKING:
    from hythe._api import Store

__all__ = ["LAWS", "SequentialIds", "SettableClock", "agents", "check_store", "play"]

T = TypeVar("T")


def agents(store: Store, *names: str) -> tuple[Store, ...]:
    """Register agents, and return the same store as used by each.

    >>> import hythe
    >>> planner, critic = agents(hythe.in_memory(agent="tester"), "planner", "critic")
    >>> critic.agent
    'critic'
    """
    used = tuple(store.as_agent(name) for name in names)
    for one in used:
        one.register_agent()
    return used


def check_store(
    make: Callable[[], Store], *, games: int = 5, moves: int = 40
) -> tuple[str, ...]:
    """Check every law against a fresh store each, then play; return the laws.

    A game is a random sequence of writes, records, patches, reconciles and retries,
    each judged by a model that knows nothing but the graph.

    Args:
        make: returns an empty store, which is closed afterwards.
        games: how many games to play, each on a fresh store.
        moves: how many moves each has.

    Raises:
        AssertionError: with the sentence of the first law that does not hold.
    """
    for law in LAWS:
        with make() as store:
            if not law(store):
                raise AssertionError(sentence(law))
    for seed in range(games):
        with make() as store:
            play(store, seed=seed, moves=moves)
    return tuple(map(sentence, LAWS))


def play(store: Store, *, seed: int = 0, moves: int = 40) -> None:
    """Play one game on a fresh scope of a store, then ask doctor.

    Raises:
        AssertionError: the store answered otherwise than the model.
    """
    dice = _Dice(seed)
    player = Player(store.scope(project=f"game {seed}"), dice)
    for _ in range(moves):
        dice.pick(player.moves)()
    problems = store.doctor().problems
    if problems:
        raise AssertionError(f"doctor found {problems}")


@final
class _Dice:
    """Choices from a seeded generator: the same game for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a game, no secret

    def pick(self, items: Sequence[T]) -> T:
        return self._random.choice(items)

    def some(self, items: Sequence[T]) -> list[T]:
        return [item for item in items if self._random.random() < 0.5]

    def chance(self, percent: int) -> bool:
        return self._random.randrange(100) < percent
