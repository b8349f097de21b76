"""What makes two requests with one idempotency key the same request."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hsum._kernel.canonical import digest_of
from hythe.checkpoint.request import Reconcile, Reference, Request

__all__ = ["fingerprint"]

Resolve = Callable[[Reference], str]


def fingerprint(author: str, request: Request, resolve: Resolve) -> str:
    """Return the digest of author, operation, parent and content.

    Args:
        author: who asks.
        request: the checked request.
        resolve: gives the id of a checkpoint that is named in any way; the same
            answer at any later time.
    """
    parent = request.parent
    return digest_of(
        {
            "author": author,
            "operation": request.operation,
            "parent": None if parent is None else resolve(parent),
            "state": request.state,
            "patch": request.patch,
            "facts": request.facts,
            "loops": request.loops,
            "events": request.events,
            "evidence": request.evidence,
            "reconcile": _named(request.reconcile, resolve),
        }
    )


def _named(reconcile: Reconcile | None, resolve: Resolve) -> dict[str, Any] | None:
    if reconcile is None:
        return None
    pointer = reconcile.pointer
    asked = {
        (
            item.kind,
            item.id,
            None if item.checkpoint is None else resolve(item.checkpoint),
            item.decision,
        )
        for item in reconcile.resolutions
    }
    return {
        "heads": _set(map(resolve, reconcile.heads)),
        "pointer": None if pointer is None else resolve(pointer),
        "reason": reconcile.reason,
        "resolutions": sorted(asked, key=repr),
        "reject_lineages": _set(map(resolve, reconcile.reject_lineages)),
    }


def _set(ids: Iterable[str]) -> list[str]:
    return sorted(set(ids))
