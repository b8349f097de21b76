"""What a run found: means against minima, in the terminal and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
from cattrs import structure

from adapters.pytest_plugin.minima import read_minima
from hsum import visible
from hsum.testing import (
    CaseResult,
    CitationReport,
    Evaluation,
    html_report,
    precision_of,
)

if TYPE_CHECKING:
    import pytest

__all__ = ["Outcome"]

_NAMES = {"ndcg": "nDCG@10", "mrr": "MRR", "recall": "recall@10"}
_MOST_LINES = 10


@attrs.define
class Outcome:
    """Hold the results of a run; `page` is where they were written."""

    evaluation: Evaluation
    answers: tuple[CitationReport, ...]
    minima: Mapping[str, float]
    page: Path | None = None

    @classmethod
    def of(
        cls, gathered: Mapping[str, Sequence[Any]], minima: Sequence[str]
    ) -> Outcome:
        """Read what reports carried; the order is that of the tests' names."""
        results = [structure(case, CaseResult) for case in gathered["hsum_cases"]]
        reports = [
            structure(answer, CitationReport) for answer in gathered["hsum_answers"]
        ]
        return cls(
            Evaluation(tuple(sorted(results, key=lambda one: one.where))),
            tuple(sorted(reports, key=lambda one: one.where)),
            read_minima(minima),
        )

    @property
    def below(self) -> Mapping[str, float]:
        """The minima that are not reached; all of them where no case was asked."""
        return {
            name: minimum
            for name, minimum in self.minima.items()
            if getattr(self.evaluation, name) < minimum
        }

    def write(self, path: Path) -> None:
        """Write the page."""
        text = html_report(self.evaluation, self.answers, minima=self.minima)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.page = path

    def show(self, terminal: pytest.TerminalReporter) -> None:
        """Print the means, what missed, and where the page is."""
        terminal.write_sep("=", "hsum-hythe")
        if self.evaluation.results or self.minima:
            terminal.write_line(self._means(), red=bool(self.below))
        worst = sorted(self.evaluation, key=lambda one: one.ndcg)
        missed = [one for one in worst if one.missed]
        for one in missed[:_MOST_LINES]:
            terminal.write_line(
                f"  missed by {visible(one.case.query)!r}: {_names(one)}"
            )
        if len(missed) > _MOST_LINES:
            terminal.write_line(f"  and {len(missed) - _MOST_LINES} more")
        if self.answers:
            terminal.write_line(_cited(self.answers))
        if self.page is not None:
            terminal.write_line(f"report: {self.page}")

    def _means(self) -> str:
        values = ", ".join(map(self._mean, _NAMES))
        return f"retrieval: {len(self.evaluation)} cases, {values}"

    def _mean(self, name: str) -> str:
        value = f"{_NAMES[name]} {getattr(self.evaluation, name):.3f}"
        if name not in self.minima:
            return value
        verdict = "below the" if name in self.below else "at least the"
        return f"{value} ({verdict} minimum {self.minima[name]:g})"


def _names(result: CaseResult) -> str:
    return ", ".join(map(visible, result.missed[:3]))


def _cited(answers: Sequence[CitationReport]) -> str:
    cited = sum(map(len, answers))
    return (
        f"citations: {len(answers)} answers, {cited} citations, "
        f"precision {precision_of(answers):.3f}"
    )
