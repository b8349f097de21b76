"""The older flat view, `result_version=1`: the newest version of each id in a scope.

It knows no lineages: a version of a branch counts as any other, by its revision, and
nothing diverges. Costs as much as there are ids, however long their histories.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from hythe.resume.load import ORDINALS, value_entry
from hythe.resume.sections import Entry, Section, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hythe.resume.snapshot import Snapshot

__all__ = ["flat_sections"]

# Steps from id to id along the index, and stays in that order (`cross join`): any
# plainer form reads every version.
_NEWEST = """
    with recursive known(id) as (
        select min(id) from version where store = ?1 and scope = ?2 and kind = ?3
        union all
        select (select min(v.id) from version v where v.store = ?1 and v.scope = ?2
            and v.kind = ?3 and v.id > known.id) from known where known.id is not null)
    select v.revision, v.ordinal, v.id, v.shown from known cross join version v
        on v.store = ?1 and v.scope = ?2 and v.kind = ?3 and v.id = known.id
        and v.revision = (select max(w.revision) from version w where w.store = ?1
            and w.scope = ?2 and w.kind = ?3 and w.id = known.id)
    order by v.revision desc, v.ordinal desc
"""
_KINDS = {"open_loops": "loop", "current_facts": "fact", "decisions": "decision"}


def flat_sections(snapshot: Snapshot) -> list[Section]:
    """Return the sections that differ from those of the accepted lineage."""
    return [
        *(_newest(snapshot, name, kind) for name, kind in _KINDS.items()),
        listed("divergent_values", 0, ()),
    ]


def _newest(snapshot: Snapshot, name: str, kind: str) -> Section:
    rows = snapshot.conn.execute(_NEWEST, (*snapshot.at, kind)).fetchall()
    shown = [(row[:2], row[2]) for row in rows if row[3]]
    mark = rows[0][0] if rows else 0

    def behind(position: int | None) -> Iterator[Entry]:
        start = None if position is None else divmod(position, ORDINALS)
        for place, found in shown:
            if start is None or place < start:
                entry = value_entry(snapshot, name, kind, found, place)
                value = attrs.evolve(entry.value, provenance=None)
                yield attrs.evolve(entry, value=value)

    return Section(name, len(shown), mark, behind)
