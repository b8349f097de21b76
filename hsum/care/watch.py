"""Keep an index up with its root: events are hints, and a scan decides."""

from __future__ import annotations

import contextlib
import math
import os
import time
from typing import TYPE_CHECKING, Any

from hsum._kernel.faults import Fault
from hsum.errors import fault

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from hsum.model import IngestReport

__all__ = ["watch"]

_LONGEST_TICK_MS = 1_000
# A tree that is never quiet is scanned after so many times the quiet asked for.
_PATIENCE = 10


def watch(
    ingest: Callable[[], IngestReport],
    root: str,
    own: Path,
    *,
    stop: threading.Event | None,
    settle_ms: int,
    rescan_s: float,
) -> Iterator[IngestReport]:
    """Yield the report of a first ingest, then of each that changed something.

    Watching begins before the first ingest, so that no change falls between the two.

    Args:
        ingest: brings the index up to the tree.
        root: the directory to watch.
        own: the index's own directory: what is written there is no change.
        stop: ends the watch when it is set.
        settle_ms: how long the tree must be quiet before it is scanned.
        rescan_s: the longest time without a scan.

    Raises:
        Fault: `INVALID_ARGUMENT`, also without the extra `watch`; what ingesting raises.
    """
    if not (isinstance(settle_ms, int) and 0 < settle_ms <= 60_000):
        raise fault("INVALID_ARGUMENT", "settle_ms is a number from 1 to 60,000")
    if not (isinstance(rescan_s, int | float) and rescan_s > 0):
        raise fault("INVALID_ARGUMENT", "rescan_s is a number above 0")
    return _reports(ingest, _hints(root, own, stop, settle_ms), rescan_s)


def _reports(
    ingest: Callable[[], IngestReport], hints: Iterator[bool], rescan_s: float
) -> Iterator[IngestReport]:
    scanned, again, first = -math.inf, False, True
    for changed in hints:
        if not (changed or again or time.monotonic() - scanned >= rescan_s):
            continue
        try:
            report = ingest()
        except Fault as exc:
            if not _passes(exc, quiet=again and not changed):
                raise
            again = True
            continue
        scanned, again = time.monotonic(), False
        if first or not report.unchanged:
            first = False
            yield report


def _passes(exc: Fault, *, quiet: bool) -> bool:
    """Tell whether to wait and scan again: another writes, or a switch is half done.

    A mass deletion is believed, and refused, once the tree has come to rest.
    """
    if exc.code == "CONFIRMATION_REQUIRED":
        return not quiet
    return exc.code == "WRITER_BUSY"


def _hints(
    root: str, own: Path, stop: threading.Event | None, settle_ms: int
) -> Iterator[bool]:
    """Return what tells, now and then, whether something below the root changed."""
    within = os.path.join(os.path.realpath(own), "")
    events = _events()(
        root,
        step=settle_ms,
        debounce=settle_ms * _PATIENCE,
        rust_timeout=min(settle_ms, _LONGEST_TICK_MS),
        yield_on_timeout=True,
        stop_event=stop,
        watch_filter=lambda _change, path: not path.startswith(within),
        ignore_permission_denied=True,
        raise_interrupt=True,
    )
    return _told(events, root)


def _told(events: Any, root: str) -> Iterator[bool]:
    with contextlib.closing(events):
        while True:
            try:
                changes = next(events, None)
            except (OSError, RuntimeError, UnicodeError) as exc:
                raise _unwatchable(exc, root) from exc
            if changes is None:
                return
            yield bool(changes)


def _unwatchable(exc: Exception, root: str) -> Fault:
    if isinstance(exc, FileNotFoundError):
        return fault("ROOT_MISSING", f"the root {root!r} is not there")
    # The system's limit on watched folders is told as a full disk.
    return fault(
        "UNSUPPORTED_STORAGE",
        f"the system does not watch this tree: {exc}",
        hint="Raise its limit (Linux: sysctl fs.inotify.max_user_watches), or run"
        " `hsum ingest` now and then.",
    )


def _events() -> Callable[..., Iterator[set[Any]]]:
    try:
        from watchfiles import watch as events
    except ImportError as exc:
        raise fault(
            "INVALID_ARGUMENT",
            "watching needs the library watchfiles",
            hint="Install it: pip install 'hsum-hythe[watch]'.",
        ) from exc
    return events
