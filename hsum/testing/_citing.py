"""Hold an answer to its citations: each resolves, each quote is really there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

import attrs

from hsum._kernel.faults import Fault
from hsum.model.check import GOOD, Verdict

if TYPE_CHECKING:
    from hsum._api import Index
    from hsum.model.check import Finding

__all__ = ["CheckedCitation", "CitationReport", "assert_cited", "citation_report"]

_MOST_BYTES = 1 << 20
_MOST_TEXT = 2_000
_MOST_CANDIDATES = 2_000
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@attrs.frozen
class CheckedCitation:
    """Judge one citation of an answer.

    `row` and `column` count from 1. `quote` is what the answer quotes beside it,
    `evidence` the text of the cited bytes, None where there are none.
    """

    raw: str
    row: int
    column: int
    verdict: Verdict
    message: str
    path: str | None = None
    quote: str | None = None
    evidence: str | None = attrs.field(default=None, repr=False)

    @property
    def ok(self) -> bool:
        """Whether the citation holds."""
        return self.verdict in GOOD

    @property
    def difference(self) -> tuple[str, ...]:
        """The quote beside the nearest words of the evidence; empty where it holds."""
        if self.verdict != "misquoted" or not self.evidence:
            return ()
        return tuple(_difference(self.quote, self.evidence))

    def __str__(self) -> str:
        lines = [
            f"{self.row}:{self.column} {self.verdict} {self.raw}",
            f"  {self.message}",
            *(f"  {line}" for line in self.difference),
        ]
        return "\n".join(lines)


@attrs.frozen(repr=False)
class CitationReport(Sequence[CheckedCitation]):
    """Hold the citations of an answer in its order; `where` is the test that asked."""

    answer: str = attrs.field(repr=False)
    citations: tuple[CheckedCitation, ...]
    where: str = ""

    @property
    def ok(self) -> bool:
        """Whether every citation holds."""
        return not self.bad

    @property
    def bad(self) -> tuple[CheckedCitation, ...]:
        """The citations that do not hold."""
        return tuple(one for one in self.citations if not one.ok)

    @property
    def precision(self) -> float:
        """The share of the citations that hold; 0 for an answer that cites nothing."""
        held = len(self.citations) - len(self.bad)
        return held / len(self.citations) if self.citations else 0.0

    @overload
    def __getitem__(self, index: int) -> CheckedCitation: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[CheckedCitation, ...]: ...
    def __getitem__(
        self, index: int | slice
    ) -> CheckedCitation | tuple[CheckedCitation, ...]:
        return self.citations[index]

    def __len__(self) -> int:
        return len(self.citations)

    def __iter__(self) -> Iterator[CheckedCitation]:
        return iter(self.citations)

    def demand(self, *, at_least: int = 1) -> None:
        """Raise `AssertionError` unless every citation holds, and there are enough."""
        __tracebackhide__ = True
        if len(self) < at_least:
            raise AssertionError(
                f"the answer has {len(self)} citations, at least {at_least} expected:\n"
                f"{self.answer[:_MOST_TEXT]}"
            )
        if not self.ok:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        held = len(self) - len(self.bad)
        lines = [f"{held} of {len(self)} citations hold"]
        for one in self.bad:
            lines += ["", *(f"  {line}" for line in str(one).splitlines())]
        return "\n".join(lines)

    def __repr__(self) -> str:
        noun = "citation" if len(self) == 1 else "citations"
        return f"<CitationReport {len(self)} {noun}, precision {self.precision:.2f}>"

    def _repr_html_(self) -> str:
        from hsum.testing._page import answer_html

        return answer_html(self)


def citation_report(answer: str, index: Index, *, where: str = "") -> CitationReport:
    """Judge every citation of an answer against an index.

    Raises:
        HsumError: what `Index.check` raises.
    """
    citations = tuple(_checked(finding, index) for finding in index.check(answer))
    return CitationReport(answer, citations, where)


def assert_cited(answer: str, index: Index, *, at_least: int = 1) -> CitationReport:
    """Demand that every citation resolves and every quote beside one is there.

    Args:
        answer: the text, with `hsum://` citations or lines such as `src/a.py:12`.
        index: what was searched.
        at_least: how many citations the answer must have.

    Raises:
        AssertionError: with each citation that does not hold, and a misquoted text
            beside the nearest words of the evidence.
    """
    __tracebackhide__ = True
    report = citation_report(answer, index)
    report.demand(at_least=at_least)
    return report


def _checked(finding: Finding, index: Index) -> CheckedCitation:
    evidence = _evidence(finding, index)
    return CheckedCitation(
        finding.found.raw,
        finding.found.row,
        finding.found.column,
        finding.verdict,
        finding.message,
        finding.path,
        finding.quote,
        None if evidence is None else evidence[:_MOST_BYTES],
    )


def _evidence(finding: Finding, index: Index) -> str | None:
    """Return the cited text as it was indexed; None where there is none."""
    try:
        if finding.found.lines is None:
            return index.get(finding.found.raw, max_bytes=_MOST_BYTES).text
        return _lines(finding, index)
    except Fault:
        return None


def _lines(finding: Finding, index: Index) -> str | None:
    first, last = finding.found.lines or (1, 0)
    for document in index.documents():
        if document.path == finding.path:
            whole = index.get(document.citation, max_bytes=_MOST_BYTES).text
            return "\n".join(whole.split("\n")[first - 1 : last]) or None
    return None


def _difference(quote: str | None, evidence: str) -> list[str]:
    """Compare a quote with the nearest words of the evidence, line by line."""
    said = " ".join((quote or "").split())
    nearest = _nearest(said, evidence)
    if nearest is None:
        return [f"- quoted: {said}"]
    compared = difflib.ndiff([f"{said}\n"], [f"{nearest}\n"])
    names = {"- ": "- quoted: ", "+ ": "+ cited:  ", "? ": "?         "}
    return [names[line[:2]] + line[2:].rstrip("\n") for line in compared]


def _nearest(said: str, evidence: str) -> str | None:
    """Return the sentence or line of the evidence that is most like the quote."""
    parts = [" ".join(part.split()) for part in _SENTENCE.split(evidence)]
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(said)

    def likeness(part: str) -> float:
        matcher.set_seq1(part)
        return matcher.ratio()

    return max(filter(None, parts[:_MOST_CANDIDATES]), key=likeness, default=None)
