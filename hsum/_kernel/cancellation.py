"""Let a caller interrupt work that runs in another thread.

The signal travels in a context variable, which `asyncio.to_thread` and its like
carry into the thread; loops look at it where they look at their deadline.
"""

from __future__ import annotations

import contextlib
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

__all__ = ["cancellable", "check_cancelled", "pause"]

_signal: ContextVar[threading.Event | None] = ContextVar("cancellation", default=None)


@contextlib.contextmanager
def cancellable(signal: threading.Event) -> Iterator[None]:
    """Let `signal` interrupt what runs in the block, or in threads started from it."""
    token = _signal.set(signal)
    try:
        yield
    finally:
        _signal.reset(token)


def check_cancelled() -> None:
    """Raise `CANCELLED` when the caller has asked for it."""
    signal = _signal.get()
    if signal is not None and signal.is_set():
        raise Fault("CANCELLED", "the call was cancelled")


def pause(seconds: float) -> None:
    """Sleep, but wake up to a cancellation."""
    signal = _signal.get()
    if signal is None:
        time.sleep(seconds)
    else:
        signal.wait(seconds)
        check_cancelled()
