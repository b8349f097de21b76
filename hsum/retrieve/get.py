"""Return the exact bytes of a citation, and say what has become of them."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from hsum.errors import fault
from hsum.index.catalogue import DEFAULT_PROJECT
from hsum.index.decode import boundary, text_of
from hsum.index.ignore import Globs
from hsum.model import Evidence
from hsum.retrieve.exact import smallest_run
from hsum.retrieve.lines import lines_of
from hsum.retrieve.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hsum.index.catalogue import Snapshot, Version
    from hsum.index.passages import Passage
    from hsum.index.store import Store
    from hsum.model import Citation, Project, SourceState
    from hsum.retrieve.moved import Verified

__all__ = ["MAX_AROUND", "MAX_BYTES", "get", "widened"]

MAX_AROUND = 100
MAX_BYTES = 16_777_216


def get(
    store: Store,
    citation: Citation,
    *,
    around: int = 0,
    max_bytes: int = 16_384,
    verify: bool = False,
    project: str = DEFAULT_PROJECT,
) -> Evidence:
    """Return the stored bytes of a citation; the whole revision is hashed on the way.

    Args:
        store: the index.
        citation: what is asked for.
        around: how many whole neighbouring passages to add, left and right in turn,
            as far as `max_bytes` has room.
        max_bytes: a longer span gives its first bytes, cut at a character.
        verify: hash the source and find the span in the working tree.
        project: what the answer is for; other documents do not exist in it.

    Raises:
        Fault: `INVALID_ARGUMENT`, `EVIDENCE_NOT_FOUND`, `EVIDENCE_PRUNED`,
            `EVIDENCE_FORGOTTEN`, `INTEGRITY_FAILED`, `PROJECT_UNKNOWN`.
    """
    _check_range("around", around, 0, MAX_AROUND)
    _check_range("max_bytes", max_bytes, 1, MAX_BYTES)
    with store.reading() as snapshot:
        version = snapshot.resolve(citation)
        within = snapshot.project(project)
        sees = _sight(within)
        if not sees(version.path):
            raise fault(
                "EVIDENCE_NOT_FOUND",
                "no evidence has this citation in the project",
                citation=str(citation),
            )
        data = _whole(snapshot, version)
        span = (citation.start, citation.end)
        start, end = span
        if around:
            start, end = widened(
                snapshot.passages(version), _range(version), span, around, max_bytes
            )
        cut = _cut(data, version.encoding, start, end, max_bytes)
        state, verified = _states(snapshot, version, data, span, sees, verify=verify)
    return Evidence(
        requested=citation,
        returned=citation.span(start, cut),
        project_id=within.project_id,
        path=os.fsdecode(version.path),
        lines=lines_of(data, version.encoding, start, cut),
        content=data[start:cut],
        text=text_of(data[start:cut], version.encoding),
        encoding=version.encoding,
        truncated=cut < end,
        source_state=state,
        span_state=verified.span_state if verified else None,
        moved_to=verified.moved_to if verified else None,
        places=verified.places if verified else (),
        revision=lambda: data,
    )


def _check_range(name: str, value: Any, least: int, most: int) -> None:
    number = isinstance(value, int) and not isinstance(value, bool)
    if not number or not least <= value <= most:
        raise fault("INVALID_ARGUMENT", f"{name} is a number from {least} to {most:,}")


def _sight(project: Project) -> Callable[[bytes], bool]:
    """Return what tells whether a project has a path."""
    within, without = Globs(project.include), Globs(project.exclude)

    def sees(path: bytes) -> bool:
        inside = not within or within.matches(path)
        return inside and not (without and without.matches(path))

    return sees


def _whole(snapshot: Snapshot, version: Version) -> bytes:
    data = snapshot.whole(version)
    if sha256(data).hexdigest() != version.rev:
        raise fault(
            "INTEGRITY_FAILED",
            "the stored bytes are not the cited revision",
            rev=version.rev,
        )
    return data


def _range(version: Version) -> range:
    """Return the ordinals of a version: a record has a part of its revision's."""
    return range(version.first, version.first + version.passages)


def _cut(data: bytes, encoding: str, start: int, end: int, most: int) -> int:
    """Return the end of the first `most` bytes of a span, not inside a character."""
    if end - start <= most:
        return end
    return max(start, boundary(data, encoding, start + most))


def widened(
    passages: Sequence[Passage],
    own: range,
    span: tuple[int, int],
    around: int,
    most: int,
) -> tuple[int, int]:
    """Widen a span to whole passages and add neighbours, left and right in turn.

    Where one side has no more, the other gives. Nothing is added beyond `most` bytes,
    so that what was asked for is never cut for the sake of its neighbours.

    Args:
        passages: all those of the revision.
        own: the ordinals of the document.
        span: half-open.
        around: how many passages to add.
        most: bytes that the answer may have.
    """
    if not own:
        return span
    first, last = smallest_run(passages, *span)
    widest = span
    steps = [(first, last), *_steps(first, last, own, around)]
    for left, right in steps:
        start = min(span[0], passages[left].start)
        end = max(span[1], passages[right].end)
        if end - start > most:
            break
        widest = (start, end)
    return widest


def _steps(first: int, last: int, own: range, around: int) -> Iterator[tuple[int, int]]:
    left_turn = True
    for _ in range(around):
        can_left, can_right = first > own[0], last < own[-1]
        if not (can_left or can_right):
            return
        if can_left and (left_turn or not can_right):
            first -= 1
        else:
            last += 1
        left_turn = not left_turn
        yield first, last


def _states(
    snapshot: Snapshot,
    version: Version,
    data: bytes,
    span: tuple[int, int],
    sees: Callable[[bytes], bool],
    *,
    verify: bool,
) -> tuple[SourceState, Verified | None]:
    if not verify:
        return _unverified(snapshot, version), None
    from hsum.retrieve.moved import Tree, judged

    tree = Tree(snapshot)
    verified = judged(
        tree.read(version.path),
        data,
        span,
        lambda: (file for file in tree.files() if sees(file[0])),
    )
    return verified.source_state, verified


def _unverified(snapshot: Snapshot, version: Version) -> SourceState:
    state = Sources(snapshot.root).state(
        version.path, lambda: snapshot.signature(version.path)
    )
    if state in ("missing", "blocked"):
        return state
    if version.to_generation is None:
        return state
    newest = snapshot.latest(version.path)
    same = newest is not None and newest.revision == version.revision
    return state if same else "metadata_changed"
