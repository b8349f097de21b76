"""Which version of each value counts: one fold, whoever asks.

A view maps (kind, id) to the newest version along a lineage. Advancing a scope,
rebuilding it along another lineage, the values of a branch and the check of all of
them by `doctor` are this one function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, final

import attrs

from hythe.checkpoint.content import Data

__all__ = ["EMPTY", "Change", "Key", "Rows", "Version", "View", "changes_of", "fold"]

Key = tuple[str, str]
"""Kind (`fact`, `loop`, `decision`) and id."""


class Version(NamedTuple):
    """One version of a value, by the place where it was written.

    `shown` is false for a superseded fact and a closed loop. `accepted_from` is the
    revision it was taken over from, or 0.
    """

    revision: int
    ordinal: int
    shown: bool = True
    accepted_from: int = 0


Change = tuple[Key, Version | None]
"""None takes the value out of the view."""


@final
@attrs.frozen
class View:
    """Values by key, and how many of each kind are shown."""

    values: Mapping[Key, Version] = attrs.field(factory=dict)
    totals: Mapping[str, int] = attrs.field(factory=dict)


EMPTY = View()


@final
@attrs.frozen
class Rows:
    """What a fold changed: rows to put, keys to remove."""

    put: Mapping[Key, Version]
    gone: frozenset[Key] = frozenset()


def fold(view: View, changes: Iterable[Change]) -> tuple[View, Rows]:
    """Apply changes, oldest first; return the new view and the rows that differ.

    `view` may be partial: only the keys that change have to be there.
    """
    last = dict(changes)
    totals = dict(view.totals)
    for key, version in last.items():
        grown = _shown(version) - _shown(view.values.get(key))
        totals[key[0]] = totals.get(key[0], 0) + grown
    put = {key: version for key, version in last.items() if version is not None}
    gone = frozenset(key for key in last if key not in put and key in view.values)
    values = {**view.values, **put}
    for key in gone:
        del values[key]
    return View(values, totals), Rows(put, gone)


def _shown(version: Version | None) -> int:
    return int(version is not None and version.shown)


def changes_of(
    revision: int,
    facts: Sequence[Data],
    loops: Sequence[Data],
    events: Sequence[Data],
    sources: Mapping[str, int],
) -> list[tuple[Key, Version]]:
    """Return the versions that one checkpoint writes, in order.

    Args:
        revision: the checkpoint's.
        facts: its fact changes, with their ids.
        loops: its loop changes, with their ids.
        events: its events; those of kind `decision` count.
        sources: revisions of the checkpoints that values were accepted from, by id.
    """
    found = [
        (("fact", item["id"]), _version(revision, ordinal, item, sources))
        for ordinal, item in enumerate(facts)
    ]
    found += [
        (("loop", item["id"]), _version(revision, ordinal, item, sources))
        for ordinal, item in enumerate(loops)
    ]
    return found + [
        (("decision", f"{revision}.{ordinal}"), Version(revision, ordinal))
        for ordinal, event in enumerate(events)
        if event["kind"] == "decision"
    ]


def _version(
    revision: int, ordinal: int, item: Data, sources: Mapping[str, int]
) -> Version:
    source = item.get("accepted_from")
    shown = item["status"] not in ("superseded", "closed")
    return Version(revision, ordinal, shown, sources[source] if source else 0)
