"""The older flat view, `result_version=1`: the newest version of each id in a scope.

It knows no lineages: a version of a branch counts as any other, by its revision, and
nothing diverges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from hythe.resume.load import ORDINALS, paged, value_entry
from hythe.resume.sections import Entry, Section, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hythe.resume.snapshot import Snapshot

__all__ = ["flat_sections"]

_NEWEST = (
    "from version v where v.store = ? and v.scope = ? and v.kind = ? and v.shown = 1 "
    "and not exists (select 1 from version w where w.store = v.store "
    "and w.scope = v.scope and w.kind = v.kind and w.id = v.id "
    "and w.revision > v.revision)"
)
_SHOWN = (
    f"select v.revision, v.ordinal, v.id {_NEWEST} "
    "and (v.revision, v.ordinal) < (?, ?) "
    "order by v.revision desc, v.ordinal desc limit ?"
)
_KINDS = {"open_loops": "loop", "current_facts": "fact", "decisions": "decision"}


def flat_sections(snapshot: Snapshot) -> list[Section]:
    """Return the sections that differ from those of the accepted lineage."""
    return [
        *(_newest(snapshot, name, kind) for name, kind in _KINDS.items()),
        listed("divergent_values", 0, ()),
    ]


def _newest(snapshot: Snapshot, name: str, kind: str) -> Section:
    total, mark = snapshot.conn.execute(
        f"select count(*), (select coalesce(max(revision), 0) from version "
        f"where store = ?1 and scope = ?2 and kind = ?3) {_NEWEST}",
        (*snapshot.at, kind, *snapshot.at, kind),
    ).fetchone()

    def behind(position: int | None) -> Iterator[Entry]:
        beginning = (snapshot.standing.revisions + 1, 0)
        place = beginning if position is None else divmod(position, ORDINALS)
        for revision, ordinal, found in paged(snapshot, _SHOWN, place, (kind,)):
            entry = value_entry(snapshot, name, kind, found, (revision, ordinal))
            value = attrs.evolve(entry.value, provenance=None)
            yield attrs.evolve(entry, value=value)

    return Section(name, total, mark, behind)
