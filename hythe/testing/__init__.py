"""Clocks and ids that stand still, and the laws that every store keeps.

    >>> import hythe
    >>> from hythe.testing import check_store
    >>> laws = check_store(lambda: hythe.in_memory(agent="tester"))

Needs no test framework: a law that does not hold raises `AssertionError` with its
sentence.
"""

from __future__ import annotations

from hsum._kernel.clock import SettableClock
from hsum._kernel.ids import SequentialIds

__all__ = ["SequentialIds", "SettableClock"]
