"""What checking citations answers: one finding a citation, and their sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, overload

import attrs

if TYPE_CHECKING:
    from hsum.model.evidence import Place

Form = Literal["uri", "lines"]
Verdict = Literal[
    "ok",
    "moved",
    "ambiguous",
    "gone",
    "past_end",
    "unresolvable",
    "misquoted",
    "unpinned",
]

# What is not a fault of the citing text: it stands, or nothing pins it down.
GOOD: frozenset[str] = frozenset({"ok", "unpinned"})


@attrs.frozen(repr=False)
class Found:
    """Locate one citation in a text.

    `start` and `end` are a half-open span of characters; `row` and `column` count
    from 1. Of the line form, `path` and `lines` (first and last, inclusive) are
    what it names; of the URI form they are None.
    """

    raw: str
    form: Form
    start: int
    end: int
    row: int
    column: int
    path: str | None = None
    lines: tuple[int, int] | None = None
    anchor: Literal[":", "#L"] = ":"

    def __repr__(self) -> str:
        return f"<Found {self.raw} at {self.row}:{self.column}>"


@attrs.frozen(repr=False)
class Finding:
    """Judge one citation.

    `file` is the citing file, None for bare text; `path` the cited one, relative to
    the root, None where it is not known. `moved_to` is set for `moved`,
    `places` for `ambiguous`; `replacement` is the citation of the new place, None
    where only a new ingest can give it. `quote` is what the text quotes beside the citation,
    `message` one sentence for people.
    """

    verdict: Verdict
    found: Found
    message: str
    file: str | None = None
    path: str | None = None
    quote: str | None = None
    moved_to: Place | None = None
    places: tuple[Place, ...] = ()
    replacement: str | None = None
    fixed: bool = False

    @property
    def good(self) -> bool:
        """Whether the citation needs no attention."""
        return self.verdict in GOOD or self.fixed

    def __repr__(self) -> str:
        where = f"{self.file}:" if self.file else ""
        return f"<Finding {where}{self.found.row} {self.verdict} {self.found.raw}>"


@attrs.frozen(repr=False)
class CheckReport(Sequence[Finding]):
    """Hold the findings in the order of the text; true to `ok` when all are good."""

    findings: tuple[Finding, ...]
    files: int = 1

    @property
    def ok(self) -> bool:
        """Whether no citation needs attention."""
        return all(finding.good for finding in self.findings)

    @property
    def bad(self) -> tuple[Finding, ...]:
        """The findings that need attention."""
        return tuple(finding for finding in self.findings if not finding.good)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many findings have each verdict."""
        return dict(Counter(finding.verdict for finding in self.findings))

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, index: int | slice) -> Finding | tuple[Finding, ...]:
        return self.findings[index]

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {verdict}" for verdict, n in self.counts.items())
        noun = "citation" if len(self) == 1 else "citations"
        return f"<CheckReport {len(self)} {noun}: {counts or 'none'}>"

    def _repr_html_(self) -> str:
        from hsum import _views

        return _views.check(self)
