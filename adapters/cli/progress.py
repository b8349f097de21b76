"""A progress bar on a terminal; silence elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from adapters._wire.verbs import Verb
from adapters.cli.terminal import coloured

if TYPE_CHECKING:
    from hsum import Progress

__all__ = ["reporting"]

_WORDS = {
    "scan": "looking at files",
    "read": "reading",
    "lexical": "indexing",
    "commit": "committing",
}


@contextmanager
def reporting(verb: Verb, *, quiet: bool) -> Iterator[dict[str, Any]]:
    """Give the `progress` argument for a call that takes one."""
    if "progress" not in verb.hidden or quiet or not _wanted():
        yield {}
        return
    with _bar() as update:
        yield {"progress": update}


def _wanted() -> bool:
    return sys.stderr.isatty() and coloured(sys.stderr)


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    from rich import progress
    from rich.console import Console

    bar = progress.Progress(
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        console=Console(file=sys.stderr),
        transient=True,
    )
    task = bar.add_task(_WORDS["scan"], total=None)

    def update(state: Progress) -> None:
        bar.update(
            task,
            description=_WORDS.get(state.phase, state.phase),
            completed=state.done,
            total=state.total,
        )

    with bar:
        yield update
