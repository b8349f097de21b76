"""Read what `--hsum-eval-min` demands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

__all__ = ["read_minima"]

_MEASURES = ("ndcg", "mrr", "recall")


def read_minima(given: Sequence[str]) -> Mapping[str, float]:
    """Return the minimum of each measure that is named; a bare number is for nDCG.

    Raises:
        pytest.UsageError: for another name, and for what is not from 0 to 1.
    """
    return dict(map(_read, given))


def _read(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    measure = (name or "ndcg").strip().lower().removesuffix("@10")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if measure not in _MEASURES or not 0.0 <= value <= 1.0:
        raise pytest.UsageError(
            f"--hsum-eval-min {text}: give a number from 0 to 1, alone or after "
            "ndcg=, mrr= or recall="
        )
    return measure, value
