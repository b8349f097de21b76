"""The counter of tokens that a caller chose, and what it must answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hsum._kernel.faults import Fault
from hsum._kernel.text import shown
from hythe.resume import tokens

__all__ = ["check_counter"]


def check_counter(count_tokens: Any) -> Callable[[str], int]:
    """Return a counter that only gives whole numbers, by default our own.

    Raises:
        Fault: `INVALID_ARGUMENT`; also at a call, where the answer is no count. What
            the caller's own counter raises passes through.
    """
    if count_tokens is None:
        return tokens.count
    if not callable(count_tokens):
        raise _refusal("must take a text and return its tokens")

    def count(text: str) -> int:
        found = count_tokens(text)
        if type(found) is not int or found < 0:
            raise _refusal(f"must return a whole number, not {shown(found)}")
        return found

    return count


def _refusal(message: str) -> Fault:
    return Fault(
        "INVALID_ARGUMENT",
        f"count_tokens {message}",
        details={"path": "$.count_tokens"},
    )
