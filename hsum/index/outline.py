"""The declarations and headings of a text, as columns."""

from __future__ import annotations

from bisect import bisect_right

import attrs

__all__ = ["Outline"]

_LONGEST_NAME = 120



@attrs.define
class Outline:
    """Declarations in the order of the text.

    `leads` are where each begins with its decorators and doc comment, `starts` where
    its own line begins, `ends` where its body ends (all in bytes); `levels` are
    indentations or ranks of headings, `parents` the index of what encloses it, or -1.
    `fences` are blocks better left whole.
    """

    joiner: str = "."
    leads: list[int] = attrs.field(factory=list)
    starts: list[int] = attrs.field(factory=list)
    ends: list[int] = attrs.field(factory=list)
    levels: list[int] = attrs.field(factory=list)
    parents: list[int] = attrs.field(factory=list)
    names: list[str] = attrs.field(factory=list)
    paths: list[str] = attrs.field(factory=list)
    fences: list[tuple[int, int]] = attrs.field(factory=list)
    _last: int = -1

    def add(self, lead: int, start: int, end: int, level: int, name: str) -> None:
        """Add the next declaration of the text; it closes what it is not within."""
        if self.starts and lead <= self.starts[-1]:
            lead = start
        parent = self._enclosing(lead, level)
        path = name = name[:_LONGEST_NAME]
        if parent >= 0:
            end = min(end, self.ends[parent])
            path = self.paths[parent] + self.joiner + name
        self._last = len(self.leads)
        self.leads.append(lead)
        self.starts.append(start)
        self.ends.append(end)
        self.levels.append(level)
        self.parents.append(parent)
        self.names.append(name)
        self.paths.append(path)

    def _enclosing(self, lead: int, level: int) -> int:
        at = self._last
        while at >= 0 and (self.levels[at] >= level or self.ends[at] <= lead):
            if self.ends[at] > lead:
                self.ends[at] = lead
            at = self.parents[at]
        return at

    def scope_of(self, start: int, end: int) -> str:
        """Return the path of the innermost scope over half of the bytes given."""
        at = bisect_right(self.leads, (start + end) // 2) - 1
        half = (end - start) / 2
        while at >= 0:
            if min(end, self.ends[at]) - max(start, self.leads[at]) >= half:
                return self.paths[at]
            at = self.parents[at]
        return ""
