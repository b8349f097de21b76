"""One HTML page about an evaluation: no network, no scripts, every text escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from statistics import mean
from typing import TYPE_CHECKING

from hsum._kernel.escape import visible
from hsum.testing._plots import Column, bars, columns

if TYPE_CHECKING:
    from hsum.testing._cases import RetrievalCase
    from hsum.testing._citing import CheckedCitation, CitationReport
    from hsum.testing._evaluation import CaseResult, Evaluation, JudgedHit

__all__ = ["answer_html", "evaluation_html", "html_report", "precision_of"]

_MOST_TEXT = 2_000
_MOST_TITLE = 120
_WORD = re.compile(r"\w{2,}")

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="summary">{summary}</p>
{body}
</main>
</body>
</html>
"""

_STYLE = """
:root { color-scheme: light dark; --good: #2f7d5b; --bad: #b3402e; --line: #8885;
  --mark: #f6d86b; --soft: #8881; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
svg { display: block; max-width: 100%; height: auto; }
details { border: 1px solid var(--line); border-left: 4px solid var(--good);
  border-radius: 4px; margin: .5rem 0; padding: .4rem .8rem; }
details.bad { border-left-color: var(--bad); }
summary { cursor: pointer; } .where, .score { opacity: .7; }
ol { padding-left: 1.6rem; } .missed { color: var(--bad); }
.hit.relevant > .place { font-weight: 600; color: var(--good); }
pre { background: var(--soft); padding: .5rem .7rem; overflow-x: auto; margin: .3rem 0 .8rem;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
mark { background: var(--mark); color: #000; border-radius: 2px; }
code { overflow-wrap: anywhere; }
"""


def html_report(
    evaluation: Evaluation,
    answers: Iterable[CitationReport] = (),
    *,
    title: str = "Evidence evaluation",
    minima: Mapping[str, float] | None = None,
) -> str:
    """Return a self-contained page: plots, then every case and answer, failures first.

    Args:
        evaluation: the retrieval cases.
        answers: what was found about the citations of answers.
        title: of the page.
        minima: what `ndcg`, `mrr` or `recall` must reach, to be drawn.
    """
    reports = sorted(answers, key=lambda one: (one.ok, one.precision))
    body = _means(evaluation, reports, minima or {})
    if evaluation.results:
        body += f"<h2>Retrieval</h2>{evaluation_html(evaluation)}"
    if reports:
        body += f"<h2>Answers</h2>{''.join(map(answer_html, reports))}"
    return _PAGE.format(
        title=_safe(title),
        style=_STYLE,
        summary=_safe(_summary(evaluation, reports)),
        body=body,
    )


def precision_of(reports: Iterable[CitationReport]) -> float:
    """Return the mean citation precision of answers; 0 where there is none."""
    return mean([one.precision for one in reports] or [0.0])


def _summary(evaluation: Evaluation, reports: Sequence[CitationReport]) -> str:
    failed = sum(not one.ok for one in evaluation) + sum(not one.ok for one in reports)
    cited = sum(map(len, reports))
    return (
        f"Retrieval cases: {len(evaluation)}. Answers: {len(reports)}, with citations: "
        f"{cited}. Failed: {failed or 'none'}."
    )


_TITLES = {"ndcg": "nDCG@{k}", "mrr": "MRR", "recall": "recall@{k}"}


def _means(
    evaluation: Evaluation,
    reports: Sequence[CitationReport],
    minima: Mapping[str, float],
) -> str:
    k = evaluation[0].k if evaluation.results else 10
    names = {key: title.format(k=k) for key, title in _TITLES.items()}
    values: list[tuple[str, float]] = []
    if evaluation.results:
        values += [(names[key], getattr(evaluation, key)) for key in names]
    if reports:
        values.append(("citation precision", precision_of(reports)))
    marks = {names[key]: minimum for key, minimum in minima.items() if key in names}
    return bars(values, marks) if values else "<p>Nothing was evaluated.</p>"


def evaluation_html(evaluation: Evaluation) -> str:
    """Return the cases as a plot and a list, failures first."""
    worst = sorted(evaluation, key=lambda one: (_stands(one), one.ndcg))
    named = [(f"case-{number}", one) for number, one in enumerate(worst, 1)]
    plot = columns(
        [
            Column(anchor, one.case.query, one.ndcg, _stands(one))
            for anchor, one in named
        ]
    )
    return plot + "".join(_case(anchor, one) for anchor, one in named)


def _case(anchor: str, result: CaseResult) -> str:
    case = result.case
    found = (
        f"nDCG@{result.k} {result.ndcg:.2f}, reciprocal rank "
        f"{result.reciprocal_rank:.2f}, recall@{result.k} {result.recall:.2f}"
    )
    missed = "".join(
        f"<li>{_safe(_missed(name, result))}</li>" for name in result.missed
    )
    hits = "".join(_hit(hit, case.query) for hit in result.hits)
    return (
        f"<details class='case {_class(good=_stands(result))}' id='{anchor}'{_open(good=_stands(result))}>"
        f"<summary>{_safe(_title(case))} <span class='score'>{found}</span>"
        f"</summary><p>Query: <q>{_safe(case.query)}</q> {_where(result.where)}</p>"
        f"{f'<ul class=missed>{missed}</ul>' if missed else ''}<ol>{hits}</ol></details>"
    )


def _stands(result: CaseResult) -> bool:
    """Tell whether a case passes and finds something at all."""
    return result.ok and result.ndcg > 0


def _title(case: RetrievalCase) -> str:
    title = f"{case.id}: {case.query}" if case.id else case.query
    return title if len(title) <= _MOST_TITLE else f"{title[:_MOST_TITLE]}…"


def _missed(name: str, result: CaseResult) -> str:
    why = "is not in the index" if name in result.absent else "was missed"
    return f"{name} {why}"


def _hit(hit: JudgedHit, query: str) -> str:
    place = f"{hit.path}:{hit.lines[0]}-{hit.lines[1]}"
    symbol = f" {hit.symbol}" if hit.symbol else ""
    relevant = " relevant" if hit.answers else ""
    return (
        f"<li class='hit{relevant}'><span class='place'>{_safe(place + symbol)}</span> "
        f"<span class='score'>score {hit.score:.3g}{', relevant' if relevant else ''}"
        f"</span><pre>{_marked(hit.text, _words(query))}</pre></li>"
    )


def answer_html(report: CitationReport) -> str:
    """Return one answer with its citations, those that do not hold first."""
    worst = sorted(report, key=lambda one: one.ok)
    held = f"{len(report) - len(report.bad)} of {len(report)} citations hold"
    good = report.ok and bool(report.citations)
    return (
        f"<details class='answer {_class(good=good)}'{_open(good=good)}>"
        f"<summary>{_safe(report.where or 'an answer')} "
        f"<span class='score'>{held}</span></summary>"
        f"<pre>{_safe(report.answer[:_MOST_TEXT])}</pre>"
        f"<ul>{''.join(map(_citation, worst))}</ul></details>"
    )


def _citation(one: CheckedCitation) -> str:
    quote = one.quote or ""
    held = [re.compile(r"\s+".join(map(re.escape, quote.split())))] if quote else []
    evidence = (one.evidence or "")[:_MOST_TEXT]
    said = f"<div>quoted: <q>{_safe(quote)}</q></div>" if quote else ""
    shown = f"<pre>{_marked(evidence, held)}</pre>" if evidence else ""
    if one.difference:
        said = f"<pre class='difference'>{_safe(chr(10).join(one.difference))}</pre>"
    return (
        f"<li class='{_class(good=one.ok)}'><b>{_safe(one.verdict)}</b> "
        f"<code>{_safe(one.raw)}</code><div>{_safe(one.message)}</div>{said}{shown}</li>"
    )


def _words(query: str) -> list[re.Pattern[str]]:
    words = {word.casefold() for word in _WORD.findall(query)}
    return [
        re.compile(rf"\b{re.escape(word)}", re.IGNORECASE) for word in sorted(words)
    ]


def _marked(text: str, patterns: Iterable[re.Pattern[str]]) -> str:
    """Escape a text, with whatever matches in `<mark>`."""
    spans = sorted(match.span() for one in patterns for match in one.finditer(text))
    parts, at = [], 0
    for start, end in spans:
        if start >= at:
            parts += [_safe(text[at:start]), f"<mark>{_safe(text[start:end])}</mark>"]
            at = end
    return "".join([*parts, _safe(text[at:])])


def _where(test: str) -> str:
    return f"<span class='where'>{_safe(test)}</span>" if test else ""


def _class(*, good: bool) -> str:
    return "good" if good else "bad"


def _open(*, good: bool) -> str:
    return "" if good else " open"


def _safe(text: str) -> str:
    return escape(visible(text))
