"""Find the declarations and headings of a text, and what encloses what."""

from __future__ import annotations

from bisect import bisect_right

import attrs

__all__ = ["Outline", "outline"]


@attrs.define
class Outline:
    """Declarations in the order of the text, as columns.

    `leads` are where each begins with its decorators and doc comment, `starts` where
    its own line begins, `ends` where its body ends, `parents` the index of what
    encloses it or -1. `fences` are blocks better not cut.
    """

    leads: list[int] = attrs.field(factory=list)
    starts: list[int] = attrs.field(factory=list)
    ends: list[int] = attrs.field(factory=list)
    names: list[str] = attrs.field(factory=list)
    paths: list[str] = attrs.field(factory=list)
    parents: list[int] = attrs.field(factory=list)
    fences: list[tuple[int, int]] = attrs.field(factory=list)

    def scope_of(self, start: int, end: int) -> str:
        """Return the path of the innermost scope over half of the bytes given."""
        at = bisect_right(self.leads, (start + end) // 2) - 1
        half = (end - start) / 2
        while at >= 0:
            if min(end, self.ends[at]) - max(start, self.leads[at]) >= half:
                return self.paths[at]
            at = self.parents[at]
        return ""


def outline(data: bytes, language: str) -> Outline:
    """Outline *data*, text in *language* (a name of `hsum.index.languages`)."""
    return Outline()
