"""How the time of a call grows with its text, as a ratio within one run."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["growth"]


def growth(
    call: Callable[[str], object], text: Callable[[int], str], size: int
) -> float:
    """Return how much longer four times the text takes; 4 is linear, 16 is quadratic.

    The least of many runs counts, in turns, so that what else the machine does in the
    meantime counts for neither.
    """
    small, large = text(size), text(4 * size)
    ratio = float("inf")
    for _ in range(3):
        pairs = [(_seconds(call, small), _seconds(call, large)) for _ in range(5)]
        ratio = min(ratio, min(b for _, b in pairs) / min(a for a, _ in pairs))
        if ratio <= 5:
            break
    return ratio


def _seconds(call: Callable[[str], object], text: str) -> float:
    begun = time.perf_counter()
    call(text)
    return time.perf_counter() - begun
