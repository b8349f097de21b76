"""The declarations and headings of a text, as columns."""

from __future__ import annotations

from bisect import bisect_right

import attrs

__all__ = ["Outline", "after_line_feed"]

_LONGEST_NAME = 120


@attrs.define
class Outline:
    """Declarations in the order of the text.

    `leads` are where each begins with its decorators and doc comment, `starts` where
    its own line begins, `ends` where its body ends (all in bytes); `levels` are
    indentations or ranks of headings, `parents` the index of what encloses it, or -1.
    `fences` are blocks better left whole. Names are `qualified` where they may tell
    what they belong to themselves, as `Class::method` does.
    """

    joiner: str = "."
    qualified: bool = False
    leads: list[int] = attrs.field(factory=list)
    starts: list[int] = attrs.field(factory=list)
    ends: list[int] = attrs.field(factory=list)
    levels: list[int] = attrs.field(factory=list)
    parents: list[int] = attrs.field(factory=list)
    names: list[bytes] = attrs.field(factory=list)
    fences: list[tuple[int, int]] = attrs.field(factory=list)
    _texts: list[str] = attrs.field(factory=list)

    def add(self, lead: int, start: int, end: int, level: int, name: bytes) -> None:
        """Add the next declaration of the text; it closes what it is not within."""
        levels, ends = self.levels, self.ends
        parent = len(levels) - 1
        if parent >= 0 and lead <= self.starts[parent]:
            lead = start
        while parent >= 0 and (levels[parent] >= level or ends[parent] <= lead):
            ends[parent] = min(ends[parent], lead)
            parent = self.parents[parent]
        if parent >= 0 and ends[parent] < end:
            end = ends[parent]
        self.leads.append(lead)
        self.starts.append(start)
        ends.append(end)
        levels.append(level)
        self.parents.append(parent)
        self.names.append(name)

    def scope_of(self, start: int, end: int) -> str:
        """Return the path of the innermost scope over half of the bytes given."""
        at = bisect_right(self.leads, (start + end) // 2) - 1
        half = (end - start) / 2
        while at >= 0:
            lead, over = self.leads[at], self.ends[at]
            over = min(over, end)
            if over - (max(start, lead)) >= half:
                return self.path(at)
            at = self.parents[at]
        return ""

    def path(self, at: int) -> str:
        """Return the names of what encloses a declaration, and its own."""
        texts = self._names()
        path = texts[at]
        while (at := self.parents[at]) >= 0:
            path = texts[at] + self.joiner + path
        return path

    def declared(self) -> list[str]:
        """Return the bare name of each declaration: of `Class::method`, `method`."""
        texts = self._names()
        if not self.qualified:
            return texts
        return [text.rpartition(".")[2] if "." in text else text for text in texts]

    def _names(self) -> list[str]:
        if not self._texts and self.names:
            # All at once: one by one takes four times as long.
            whole = b"\n".join(self.names).decode("utf-8", "replace")
            if self.qualified and ":" in whole:
                whole = whole.replace("::", ".").replace(":", ".")
            self._texts = [text[:_LONGEST_NAME] for text in whole.split("\n")]
        return self._texts


def after_line_feed(data: bytes) -> bytes:
    """Return a line feed and *data*, so that every line of it begins with one.

    The index of a line feed is that of the line after it in *data*. A byte order mark
    stands for itself on a line of its own.
    """
    if data.startswith(b"\xef\xbb\xbf"):
        return b"\0\0\0\n" + data[3:]
    return b"\n" + data
