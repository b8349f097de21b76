"""A signal reaches the work it belongs to, in whatever thread it runs."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from hsum._kernel.cancellation import cancellable, check_cancelled, pause
from hsum._kernel.faults import Fault


def test_without_a_signal_nothing_is_interrupted():
    """Code that no one can cancel runs on."""
    check_cancelled()
    pause(0)


def test_a_signal_interrupts_checks_and_pauses():
    """Inside the block only."""
    signal = threading.Event()
    signal.set()
    with cancellable(signal):
        for call in (check_cancelled, lambda: pause(30)):
            with pytest.raises(Fault) as caught:
                call()
            assert caught.value.code == "CANCELLED"
    check_cancelled()


def test_a_pause_in_a_thread_wakes_up():
    """The signal travels into a thread that the event loop started."""

    async def work():
        signal = threading.Event()
        with cancellable(signal):
            task = asyncio.create_task(asyncio.to_thread(pause, 30))
            await asyncio.sleep(0.05)
            signal.set()
            await task

    began = time.monotonic()
    with pytest.raises(Fault):
        asyncio.run(work())

    assert time.monotonic() - began < 15
