"""Decide what an ingest changes: pure, from what stood and what was read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from os import fsdecode
from typing import NamedTuple

import attrs

from hsum.index.renames import renames
from hsum.model import Change

__all__ = ["Begun", "Fresh", "Live", "Piece", "Plan", "decide"]


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
    """What one generation ends, begins and moves.

    `moved` is old path by new path; `bytes` is the change in living bytes.
    """

    ended: tuple[Live, ...] = ()
    begun: tuple[Begun, ...] = ()
    moved: Mapping[bytes, bytes] = attrs.field(factory=dict)
    changes: tuple[Change, ...] = ()
    bytes: int = 0

    def count(self, kind: str) -> int:
        """Return how many documents are added, changed, renamed or dropped."""
        return sum(change.kind == kind for change in self.changes)

    @property
    def passages(self) -> int:
        """Return the change in living passages."""
        begun = sum(item.piece.passages for item in self.begun)
        return begun - sum(item.passages for item in self.ended)

    @property
    def documents(self) -> int:
        """Return the change in living documents."""
        return len(self.begun) - len(self.ended)


def decide(
    lives: Mapping[bytes, tuple[Live, ...]],
    fresh: Iterable[Fresh],
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
    fresh = tuple(fresh)
    moved = _moved(lives, fresh, gone, sources)
    steps = [_replaced(lives, moved, file) for file in fresh]
    left = [path for path in gone if path not in set(moved.values())]
    dropped = tuple(live for path in sorted(left) for live in lives.get(path, ()))
    ended = [live for step in steps for live in step.ended]
    return Plan(
        ended=(*ended, *dropped),
        begun=tuple(item for step in steps for item in step.begun),
        moved=moved,
        changes=(
            *(change for step in steps for change in step.changes),
            *(Change("dropped", _shown(live)) for live in dropped),
        ),
        bytes=sum(step.bytes for step in steps) - _bytes(dropped),
    )


def _moved(
    lives: Mapping[bytes, tuple[Live, ...]],
    fresh: tuple[Fresh, ...],
    gone: Collection[bytes],
    sources: Collection[bytes],
) -> dict[bytes, bytes]:
    vanished = {path: lives[path][0].rev for path in gone if lives.get(path)}
    appeared = {
        file.path: file.rev
        for file in fresh
        if file.path not in lives and file.path not in sources
    }
    return renames(vanished, appeared)


def _replaced(
    lives: Mapping[bytes, tuple[Live, ...]],
    moved: Mapping[bytes, bytes],
    file: Fresh,
) -> Plan:
    was = moved.get(file.path)
    old = {live.record: live for live in lives.get(was or file.path, ())}
    kept = {piece.record for piece in file.pieces}
    lost = [live for live in old.values() if live.record not in kept]
    changes = [_change(file, piece, old, was) for piece in file.pieces]
    return Plan(
        ended=tuple(old.values()),
        begun=tuple(
            Begun(
                file, piece, old[piece.record].document if piece.record in old else None
            )
            for piece in file.pieces
        ),
        changes=(*changes, *(Change("dropped", _shown(live)) for live in lost)),
        bytes=file.size - _bytes(old.values()),
    )


def _change(
    file: Fresh, piece: Piece, old: Mapping[str, Live], was: bytes | None
) -> Change:
    path = _named(file.path, piece.record)
    if piece.record not in old:
        return Change("added", path)
    if was is not None:
        return Change("renamed", path, was=_named(was, piece.record))
    return Change("changed", path)


def _bytes(lives: Iterable[Live]) -> int:
    """Add up the files, each once however many records it has."""
    return sum({live.path: live.size for live in lives}.values())


def _shown(live: Live) -> str:
    return _named(live.path, live.record)


def _named(path: bytes, record: str) -> str:
    return f"{fsdecode(path)}#{record}" if record else fsdecode(path)
