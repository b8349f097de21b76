"""What a checkpoint says, as bytes, and the hashes that bind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hsum._kernel.canonical import digest_of
from hsum._kernel.clock import rfc3339
from hythe.checkpoint.content import Data

__all__ = ["FORMAT", "envelope", "seal_of", "with_ids"]

FORMAT = "hythe/1"


def envelope(
    *,
    scope: Mapping[str, str | None],
    state: str,
    events: Sequence[Data],
    facts: Sequence[Data],
    loops: Sequence[Data],
    evidence: Sequence[str],
    reconciliation: Data | None,
) -> Data:
    """Return the content of a checkpoint; `state` is the digest of its state.

    The id of a new fact or loop is null here, so that equal content has equal
    hashes; the ids that were given stand in the seal.
    """
    return {
        "format": FORMAT,
        "scope": dict(scope),
        "state": state,
        "events": events,
        "facts": facts,
        "loops": loops,
        "evidence": evidence,
        "reconciliation": reconciliation,
    }


def seal_of(
    *,
    id: str,  # noqa: A002 - the field's name
    parent: str | None,
    content_hash: str,
    revision: int,
    operation: str,
    author: str,
    proven: bool,
    recorded_at: int,
    new_ids: Sequence[str],
) -> str:
    """Return the seal; `parent` is the parent's seal, so that seals form a chain."""
    return digest_of(
        {
            "id": id,
            "parent": parent,
            "content_hash": content_hash,
            "revision": revision,
            "operation": operation,
            "author": author,
            "proven": proven,
            "recorded_at": rfc3339(recorded_at),
            "new_ids": new_ids,
        }
    )


def with_ids(
    body: Mapping[str, Any], new_ids: Sequence[str]
) -> tuple[list[Data], list[Data]]:
    """Return the facts and loops of a body, the new ones with their ids."""
    fresh = iter(new_ids)
    return (
        [_named(item, fresh) for item in body["facts"]],
        [_named(item, fresh) for item in body["loops"]],
    )


def _named(item: Data, fresh: Any) -> Data:
    return item if item["id"] is not None else {**item, "id": next(fresh)}
