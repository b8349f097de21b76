"""Corpora, cases and laws for tests; needs no test framework.

    >>> from hsum.testing import RetrievalCase, assert_cited, corpus, evaluate
    >>> index = corpus({"scope.md": "A shielded cancel scope survives."})
    >>> round(evaluate([RetrievalCase("shielded", ["scope.md"])], index).ndcg, 2)
    1.0
    >>> cited = index.search("shielded")[0].citation
    >>> assert_cited(f'It "survives" ({cited}).', index)
    <CitationReport 1 citation, precision 1.00>

What does not hold raises `AssertionError`. `check_index` runs the laws that every
index keeps against one's own way of making them.
"""

from __future__ import annotations

from hsum._kernel.clock import SettableClock
from hsum._kernel.ids import SequentialIds
from hsum.testing._cases import RetrievalCase, read_cases
from hsum.testing._citing import (
    CheckedCitation,
    CitationReport,
    assert_cited,
    citation_report,
)
from hsum.testing._corpora import CorpusSource, corpus, shared_corpus
from hsum.testing._evaluation import CaseResult, Evaluation, JudgedHit, evaluate, judge
from hsum.testing._laws import LAWS, check_index, sentence
from hsum.testing._metrics import ndcg, recall, reciprocal_rank
from hsum.testing._page import html_report, precision_of

__all__ = [
    "LAWS",
    "CaseResult",
    "CheckedCitation",
    "CitationReport",
    "CorpusSource",
    "Evaluation",
    "JudgedHit",
    "RetrievalCase",
    "SequentialIds",
    "SettableClock",
    "assert_cited",
    "check_index",
    "citation_report",
    "corpus",
    "evaluate",
    "html_report",
    "judge",
    "ndcg",
    "precision_of",
    "read_cases",
    "recall",
    "reciprocal_rank",
    "sentence",
    "shared_corpus",
]
