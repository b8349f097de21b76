"""Decide what an ingest changes: pure, from what stood and what was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from os import fsdecode
from typing import NamedTuple

import attrs

from hsum.index.renames import renames
from hsum.model import Change

__all__ = ["Begun", "Fresh", "Live", "Piece", "Plan", "decide"]

KINDS = ("added", "changed", "renamed", "dropped")


class Live(NamedTuple):
    """One live version of a path; `document` is the row, `uuid` its public id."""

    key: int
    path: bytes
    document: int
    uuid: str
    record: str
    rev: str
    size: int
    passages: int


class Piece(NamedTuple):
    """One document of a file that was read: its new version and its passages."""

    record: str
    key: int
    first: int
    passages: int


class Fresh(NamedTuple):
    """A file whose bytes are not those that stood at its path."""

    path: bytes
    rev: str
    size: int
    revision: int
    cut: int
    pieces: tuple[Piece, ...]


class Begun(NamedTuple):
    """A version to begin; `document` is None while the document is to be made."""

    fresh: Fresh
    piece: Piece
    document: int | None


@attrs.frozen
class Plan:
    """What one generation ends, begins and moves; `moved` is old path by new path."""

    ended: tuple[Live, ...] = ()
    begun: tuple[Begun, ...] = ()
    moved: Mapping[bytes, bytes] = attrs.field(factory=dict)

    def __bool__(self) -> bool:
        return bool(self.ended or self.begun)

    def changes(self) -> Iterator[Change]:
        """Yield what happens to each document: the fresh ones first, then the dropped."""
        was = {live.document: live for live in self.ended}
        for item in self.begun:
            old = None if item.document is None else was.pop(item.document)
            yield self._change(item, old)
        for live in was.values():
            yield Change("dropped", _named(live.path, live.record))

    def _change(self, item: Begun, old: Live | None) -> Change:
        path = _named(item.fresh.path, item.piece.record)
        if old is None:
            return Change("added", path)
        if item.fresh.path in self.moved:
            return Change("renamed", path, was=_named(old.path, old.record))
        return Change("changed", path)

    def counts(self) -> dict[str, int]:
        """Return how many documents are added, changed, renamed and dropped."""
        found = Counter[str](change.kind for change in self.changes())
        return {kind: found[kind] for kind in KINDS}

    @property
    def documents(self) -> int:
        """Return the change in living documents."""
        return len(self.begun) - len(self.ended)

    @property
    def passages(self) -> int:
        """Return the change in living passages."""
        begun = sum(item.piece.passages for item in self.begun)
        return begun - sum(item.passages for item in self.ended)

    @property
    def bytes(self) -> int:
        """Return the change in living bytes: of files, however many records they have."""
        begun = (
            item.fresh.size for item in self.begun if item.piece is item.fresh.pieces[0]
        )
        return sum(begun) - sum({live.path: live.size for live in self.ended}.values())


def decide(
    lives: Mapping[bytes, tuple[Live, ...]],
    fresh: Sequence[Fresh],
    gone: Collection[bytes],
    sources: Collection[bytes],
) -> Plan:
    """Return the plan.

    Args:
        lives: what stands, for each path that is fresh or gone.
        fresh: what was read and differs.
        gone: the paths that are no longer indexed.
        sources: the fresh paths that a source had before, live or not.
    """
    moved = _moved(lives, fresh, gone, sources)
    replaced = [moved.get(file.path, file.path) for file in fresh]
    left = sorted(set(gone) - set(moved.values()))
    return Plan(
        ended=tuple(
            live for path in (*replaced, *left) for live in lives.get(path, ())
        ),
        begun=tuple(
            Begun(file, piece, old.get(piece.record))
            for file, path in zip(fresh, replaced, strict=True)
            for old in [{live.record: live.document for live in lives.get(path, ())}]
            for piece in file.pieces
        ),
        moved=moved,
    )


def _moved(
    lives: Mapping[bytes, tuple[Live, ...]],
    fresh: Sequence[Fresh],
    gone: Collection[bytes],
    sources: Collection[bytes],
) -> dict[bytes, bytes]:
    vanished = {path: lives[path][0].rev for path in gone if lives.get(path)}
    if not vanished:
        return {}
    appeared = {
        file.path: file.rev
        for file in fresh
        if file.path not in lives and file.path not in sources
    }
    return renames(vanished, appeared)


def _named(path: bytes, record: str) -> str:
    return f"{fsdecode(path)}#{record}" if record else fsdecode(path)
