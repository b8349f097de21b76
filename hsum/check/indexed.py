"""What an index knows of citations, through one snapshot and one project."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import attrs

from hsum._kernel.canonical import digest
from hsum._kernel.faults import Fault
from hsum.check.checker import Cited
from hsum.model import Citation

if TYPE_CHECKING:
    from collections.abc import Callable

    from hsum.index.catalogue import Snapshot, Version
    from hsum.model.evidence import Place

__all__ = ["SnapshotCitations"]


class SnapshotCitations:
    """Answer from a snapshot; paths that `allowed` refuses are unknown."""

    def __init__(
        self, snapshot: Snapshot, allowed: Callable[[bytes], bool] = lambda _path: True
    ) -> None:
        self._snapshot = snapshot
        self._allowed = allowed

    def head(self, path: str) -> bytes | None:
        """Return the bytes of a path as they were indexed last."""
        version = self._version(os.fsencode(path))
        gone = version is None or version.gone is not None
        return None if gone or version is None else self._snapshot.whole(version)

    def _version(self, path: bytes) -> Version | None:
        if not self._allowed(path):
            return None
        return self._snapshot.latest(path)

    def cited(self, uri: str) -> Cited | str:
        """Return what a URI cites, or why it does not resolve."""
        try:
            citation = Citation.parse(uri)
            # The ids and the revision alone: a span past the end is judged elsewhere.
            version = self._snapshot.resolve(attrs.evolve(citation, start=0, end=0))
        except Fault as fault:
            return f"{fault.message} ({fault.code})"
        if not self._allowed(version.path):
            return "no evidence has this citation here (EVIDENCE_NOT_FOUND)"
        return Cited(
            self._snapshot.root,
            os.fsdecode(version.path),
            self._snapshot.whole(version),
            (citation.start, citation.end),
        )

    def cite(self, place: Place, data: bytes) -> str | None:
        """Return a URI for a place, if `data` is the indexed revision of its file."""
        version = self._version(os.fsencode(place.path))
        if version is None or version.to_generation is not None:
            return None
        if version.record or version.rev != digest(data):
            return None
        ids = (self._snapshot.index_id or "", version.source_id, version.document_id)
        return str(Citation(*ids, version.rev, place.start, place.end))
