"""How tables of recorded rows are made, in every part of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from sqlite_utils import Database

__all__ = ["STAMP", "create_table"]

# What every recorded row says of itself: who, whether proven, when, and its digest.
STAMP: Final[Mapping[str, type]] = {
    "author": str,
    "proven": int,
    "recorded_at": int,
    "digest": str,
}


def create_table(
    db: Database,
    table: str,
    columns: Mapping[str, type],
    pk: tuple[str, ...],
    *,
    optional: AbstractSet[str] = frozenset(),
) -> None:
    """Make a strict table whose keys begin with the store; nulls where optional."""
    every = {"store": int, **columns}
    db.table(table).create(every, pk=pk, not_null=set(every) - optional, strict=True)
