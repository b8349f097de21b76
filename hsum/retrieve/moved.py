"""Find where cited bytes stand in the working tree as it is now. Never guess."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import attrs

from hsum._kernel.faults import Fault
from hsum.index.decode import encoding_of
from hsum.index.reading import Read, Reader
from hsum.index.scan import Previous, scan
from hsum.model import Place
from hsum.retrieve.lines import lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hsum.index.catalogue import Snapshot
    from hsum.index.skips import Skip
    from hsum.model import SourceState, SpanState

__all__ = ["Tree", "Verified", "judged", "places_of"]

_MOST_PLACES: Final = 20
"""Places that are named where bytes stand at several."""

_ANY_SIZE: Final = 1 << 40


@attrs.frozen
class Verified:
    """What has become of a source and of a cited span of it."""

    source_state: SourceState
    span_state: SpanState
    moved_to: Place | None = None
    places: tuple[Place, ...] = ()


class Tree:
    """The files below a root that are indexed or would be, read one by one."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._root = snapshot.root or b""

    def read(self, path: bytes) -> bytes | SourceState:
        """Return a file's bytes, or why they cannot be had.

        No link is followed: a root, folder or file that is one now is `blocked`.
        """
        if os.path.islink(self._root):
            return "blocked"
        try:
            with Reader(self._root) as reader:
                found = reader.read(path, _ANY_SIZE)
        except FileNotFoundError:
            return "missing"
        except OSError:
            return "blocked"
        return found.data if isinstance(found, Read) else self._state(found, path)

    def _state(self, skip: Skip, path: bytes) -> SourceState:
        try:
            os.lstat(self._root + b"/" + path)
        except (FileNotFoundError, NotADirectoryError):
            return "missing"
        except OSError:
            return "blocked"
        return "unverifiable" if skip.reason == "unstable" else "blocked"

    def files(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield path and bytes of each file, by path."""
        if os.path.islink(self._root):
            return
        try:
            with Reader(self._root) as reader:
                for path in self._paths():
                    found = reader.read(path, _ANY_SIZE)
                    if isinstance(found, Read):
                        yield path, found.data
        except OSError:
            return

    def _paths(self) -> list[bytes]:
        """Return the indexed paths and those that the next ingest would add."""
        snapshot = self._snapshot
        paths = {path for _, path, _ in snapshot.paths()}
        try:
            found = scan(
                self._root,
                snapshot.options,
                Previous(snapshot.seen()),
                forgotten=snapshot.forgotten(),
            )
        except Fault:
            return sorted(paths)
        return sorted(paths.union(file.path for file in found.changed))


def judged(
    now: bytes | SourceState,
    then: bytes,
    span: tuple[int, int],
    files: Callable[[], Iterator[tuple[bytes, bytes]]],
) -> Verified:
    """Judge a source and a span of it.

    Args:
        now: the bytes of the file where the source stood, or why they cannot be had.
        then: the cited revision.
        span: the cited bytes, half-open.
        files: gives path and bytes of every file of the tree, by path; asked only
            where the span is not where it was.
    """
    start, end = span
    cited = then[start:end]
    state: SourceState = "unchanged" if now == then else "changed"
    if isinstance(now, str):
        state = now
    elif len(now) >= end and now[start:end] == cited:
        return Verified(state, "intact")
    places = tuple(_places(cited, files())) if cited else ()
    if len(places) == 1:
        return Verified(state, "moved", places[0], places)
    return Verified(state, "ambiguous" if places else "gone", None, places)


def _places(cited: bytes, files: Iterator[tuple[bytes, bytes]]) -> Iterator[Place]:
    left = _MOST_PLACES
    for path, data in files:
        for start in places_of(cited, data, left):
            end = start + len(cited)
            lines = lines_of(data, encoding_of(data), start, end)
            yield Place(os.fsdecode(path), start, end, lines)
            left -= 1
        if not left:
            return


def places_of(cited: bytes, data: bytes, most: int) -> Iterator[int]:
    """Yield the first `most` offsets at which `cited` stands, overlapping too."""
    at = data.find(cited)
    while at >= 0 and most:
        yield at
        most -= 1
        at = data.find(cited, at + 1)
