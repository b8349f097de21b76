"""Keep an index up with its root: events are hints, and a scan decides."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from hsum._kernel.faults import Fault

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

    from hsum.model import IngestReport

__all__ = ["watch"]


def watch(
    ingest: Callable[[], IngestReport],
    root: Callable[[], str],
    stop: threading.Event | None,
    settle_ms: int,
    rescan_s: float,
) -> Iterator[IngestReport]:
    """Yield the report of a first ingest, then of each that changed something.

    Args:
        ingest: brings the index up to the tree.
        root: tells the directory to watch.
        stop: ends the watch when it is set.
        settle_ms: how long the tree must be quiet before it is scanned.
        rescan_s: the longest time without a scan.

    Raises:
        Fault: `INVALID_ARGUMENT` without the extra `watch`; what ingesting raises.
    """
    events = _events()
    yield ingest()
    scanned = time.monotonic()
    for changes in events(
        root(),
        debounce=settle_ms,
        step=min(50, max(settle_ms, 1)),
        rust_timeout=1_000,
        yield_on_timeout=True,
        stop_event=stop,
        watch_filter=None,
        raise_interrupt=True,
    ):
        if not changes and time.monotonic() - scanned < rescan_s:
            continue
        report = ingest()
        scanned = time.monotonic()
        if not report.unchanged:
            yield report


def _events() -> Callable[..., Iterator[set[Any]]]:
    try:
        from watchfiles import watch as events
    except ImportError as exc:
        raise Fault(
            "INVALID_ARGUMENT",
            "watching needs the library watchfiles",
            hint="Install it: pip install 'hsum-hythe[watch]'.",
        ) from exc
    return events
