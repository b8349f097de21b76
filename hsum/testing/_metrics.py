"""Judge a ranking against what is relevant; pure functions.

Each takes names, best first, and the relevant ones, with grades where they are a
mapping. A name that comes again counts once, at its first place.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from hsum.errors import fault

__all__ = ["ndcg", "recall", "reciprocal_rank"]

Relevant = Collection[str] | Mapping[str, float]


def ndcg(ranked: Iterable[str], relevant: Relevant, *, k: int = 10) -> float:
    """Return the normalised discounted cumulative gain of the first `k`, 0 to 1.

    The gain is the grade itself, the discount log2(rank + 1), as in trec_eval
    (Järvelin and Kekäläinen, 2002).
    """
    grades = _grades(relevant)
    gains = [grades.get(name, 0.0) for name in _distinct(ranked)[:k]]
    ideal = sorted(grades.values(), reverse=True)[:k]
    return _discounted(gains) / _discounted(ideal)


def reciprocal_rank(ranked: Iterable[str], relevant: Relevant) -> float:
    """Return 1 / rank of the first relevant name; 0 where there is none."""
    grades = _grades(relevant)
    places = enumerate(_distinct(ranked), 1)
    return next((1 / rank for rank, name in places if name in grades), 0.0)


def recall(ranked: Iterable[str], relevant: Relevant, *, k: int = 10) -> float:
    """Return the share of the relevant names that are among the first `k`."""
    grades = _grades(relevant)
    return len(grades.keys() & set(_distinct(ranked)[:k])) / len(grades)


def _grades(relevant: Relevant) -> Mapping[str, float]:
    """Return the names with a grade above zero."""
    graded = relevant if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1.0)
    grades = {name: float(grade) for name, grade in graded.items() if grade > 0}
    if not grades:
        raise fault("INVALID_ARGUMENT", "nothing is relevant: there is no measure")
    return grades


def _distinct(ranked: Iterable[str]) -> Sequence[str]:
    return list(dict.fromkeys(ranked))


def _discounted(gains: Iterable[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
