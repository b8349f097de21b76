"""The single-writer lock: advisory, held by a process, freed by the OS when it dies."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault
from hsum._kernel.files import translating_os

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["exclusive", "pause_after"]

_SELDOM, _OFTEN, _LONG = 0.004, 0.0002, 0.02  # seconds
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


@contextlib.contextmanager
def exclusive(
    path: Path | str, *, timeout_ms: int = 5_000, mode: int = 0o600
) -> Iterator[None]:
    """Hold the lock file at `path`, which is made when missing and never removed.

    A leftover file is no held lock: the lock itself is tested. Threads of one
    process exclude each other as processes do.

    Raises:
        Fault: `WRITER_BUSY` after `timeout_ms`, with the holder's pid where known.
    """
    import portalocker

    if not isinstance(timeout_ms, int) or isinstance(timeout_ms, bool):
        raise Fault(
            "INVALID_ARGUMENT",
            f"lock_timeout_ms must be a whole number, not {type(timeout_ms).__name__}",
            details={"path": "$.lock_timeout_ms"},
        )
    with translating_os(path):
        descriptor = os.open(path, _FLAGS, mode)
    try:
        _acquire(descriptor, path, timeout_ms)
        try:
            with translating_os(path):
                _write_pid(descriptor)
            yield
        finally:
            # A child that was forked meanwhile has the file open, and would hold on.
            portalocker.unlock(descriptor)
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, path: Path | str, timeout_ms: int) -> None:
    import portalocker

    flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
    start = time.monotonic()
    while True:
        try:
            portalocker.lock(descriptor, flags)
        except portalocker.LockException:
            waited = time.monotonic() - start
            if waited * 1_000 >= timeout_ms:
                raise _busy(path, timeout_ms) from None
            time.sleep(pause_after(waited))
        else:
            return


def pause_after(waited: float) -> float:
    """Return the seconds until the next look, after so many of waiting.

    In a crowd, who has come last looks seldom, so that a turn lasts for some writes
    and the processor's caches stay warm; who has waited long looks often.
    """
    return max(_OFTEN, _SELDOM * (1 - waited / _LONG))


def _busy(path: Path | str, timeout_ms: int) -> Fault:
    holder = _holder(path)
    by = f" by process {holder}" if holder else ""
    return Fault(
        "WRITER_BUSY",
        f"{Path(path).name} was still held{by} after {timeout_ms:,} ms",
        details={"pid": holder, "timeout_ms": timeout_ms},
    )


def _write_pid(descriptor: int) -> None:
    text = str(os.getpid()).encode()
    if os.pread(descriptor, 32, 0).strip() != text:
        os.pwrite(descriptor, text.ljust(20) + b"\n", 0)


def _holder(path: Path | str) -> int | None:
    try:
        text = Path(path).read_bytes()[:32].strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None
