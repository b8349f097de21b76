"""What an index knows of citations, through one snapshot and one project."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import attrs

from hsum._kernel.faults import Fault
from hsum.model import Citation

if TYPE_CHECKING:
    from collections.abc import Callable

    from hsum.index.catalogue import Snapshot, Version

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

    def cited(self, uri: str) -> tuple[str, bytes, tuple[int, int]] | str:
        """Return path, whole revision and span of a URI; or why it does not resolve."""
        try:
            citation = Citation.parse(uri)
            version = self._snapshot.resolve(citation)
        except Fault as fault:
            return self._why(uri, fault)
        if not self._allowed(version.path):
            return "no evidence has this citation here"
        span = citation.start, citation.end
        return os.fsdecode(version.path), self._snapshot.whole(version), span

    def _why(self, uri: str, fault: Fault) -> str:
        """Tell a span past the end from a citation that names nothing."""
        if fault.code == "EVIDENCE_NOT_FOUND":
            start = attrs.evolve(Citation.parse(uri), start=0, end=0)
            if not isinstance(self.cited(str(start)), str) and "=0-0" not in uri:
                return f"past_end: {fault.message}"
        return f"{fault.message} ({fault.code})"
