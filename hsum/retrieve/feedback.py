"""Learn from the first answers: words that tell them from the rest of the corpus.

Pseudo-relevance feedback (Rocchio 1971; Lavrenko and Croft 2001). The words only move
what was found anyway; they find nothing themselves.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from hsum.index.expressions import AnyOf, Boosted, Term
from hsum.retrieve.query import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from hsum.index.expressions import Expression

__all__ = ["ANSWERS", "inverse_frequency", "telling_words"]

ANSWERS: Final = 3
"""How many answers are learned from."""

_WORDS: Final = 16


def telling_words(
    answers: Iterable[tuple[Collection[str], float]],
    known: Collection[str],
    rarity: Callable[[str], float],
    weight: float,
) -> Expression | None:
    """Return what asks for the words that tell the answers apart; None without any.

    Args:
        answers: the stems of each answer, with its score as a share of the best.
        known: the stems of the query.
        rarity: the inverse document frequency of a stem.
        weight: that of the most telling word.
    """
    often: defaultdict[str, float] = defaultdict(float)
    for stems, share in answers:
        for stem, count in Counter(stems).items():
            if _tells(stem) and stem not in known:
                often[stem] += count / len(stems) * share
    ordered = sorted((-count * rarity(stem), stem) for stem, count in often.items())
    if not ordered or not ordered[0][0]:
        return None
    best = ordered[0][0]
    return AnyOf(
        tuple(
            Boosted(Term("stem", stem), weight * low / best)
            for low, stem in ordered[:_WORDS]
        )
    )


def _tells(stem: str) -> bool:
    return len(stem) > 2 and stem not in STOP_WORDS and not stem.isdigit()


def inverse_frequency(passages: int, frequency: int) -> float:
    """Return how rare a word is that stands in `frequency` of so many passages."""
    return math.log1p(passages / (1 + frequency))
