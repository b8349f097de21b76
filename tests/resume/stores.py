"""Stores whose clock stands still, and how to follow their pages."""

from __future__ import annotations

import hythe
from hsum._kernel.clock import SettableClock
from hsum._kernel.ids import SequentialIds
from hythe import State

STATE = State("ship search", "green", "planner", ["write tests"])


def store_in_memory(**options):
    """Return a store whose clock stands still and whose ids repeat."""
    return hythe.in_memory(
        agent="planner", clock=SettableClock(), ids=SequentialIds(), **options
    )


def follow(scope, budget, **options):
    """Return all pages, as `next` leads."""
    pages = [scope.resume(budget=budget, **options)]
    while pages[-1].next is not None:
        assert len(pages) < 1_000

        version = pages[0].result_version
        pages.append(
            scope.resume(budget=budget, cursor=pages[-1].next, result_version=version)
        )
    return pages
