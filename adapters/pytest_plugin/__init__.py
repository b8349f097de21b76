"""The pytest plugin `hsum_hythe`: fixtures, retrieval cases, checked citations.

It is imported in every pytest run of its environment: this package imports nothing
but pytest, and what a test asks for is imported when it asks.

PYTEST_DONT_REWRITE: nothing is asserted here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.pytest_plugin.fixtures import (
    assert_cited,
    citation_report,
    hsum_corpus,
    hsum_eval_index,
    hsum_index,
    hsum_shared_corpus,
    hythe_agents,
    hythe_clock,
    hythe_store,
    mcp_client,
    retrieval_case,
)
from adapters.pytest_plugin.recording import Recorder, pytest_runtest_makereport
from adapters.pytest_plugin.retrieval import (
    pytest_collection_modifyitems,
    pytest_pyfunc_call,
)

if TYPE_CHECKING:
    import pytest

__all__ = [
    "assert_cited",
    "citation_report",
    "hsum_corpus",
    "hsum_eval_index",
    "hsum_index",
    "hsum_shared_corpus",
    "hythe_agents",
    "hythe_clock",
    "hythe_store",
    "mcp_client",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_pyfunc_call",
    "pytest_runtest_makereport",
    "retrieval_case",
]

_MARKER = (
    "retrieval_case(query, relevant, id='', minimum=0.0): ask an index; "
    "relevant names files, lines of files or hsum:// citations"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hsum-hythe", "evidence and citations (hsum-hythe)")
    group.addoption(
        "--hsum-eval",
        action="append",
        default=[],
        metavar="CASES.jsonl",
        help="run the retrieval cases of a JSON Lines file as tests, each line with "
        "query and relevant, optionally id and minimum; asked of the fixture "
        "hsum_eval_index, by default an index of the root directory",
    )
    group.addoption(
        "--hsum-eval-min",
        action="append",
        default=[],
        metavar="MIN",
        help="fail when the mean over all cases is lower: 0.8 for nDCG@10, or "
        "ndcg=0.8, mrr=0.7, recall=0.9",
    )
    group.addoption(
        "--hsum-check",
        action="append",
        default=[],
        metavar="PATH",
        help="check the citations of the Markdown files below PATH, each as a test",
    )
    group.addoption(
        "--hsum-report",
        metavar="FILE.html",
        help="write a self-contained page about retrieval cases and checked answers",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)
    cases, checked = config.getoption("hsum_eval"), config.getoption("hsum_check")
    if cases or checked:
        from adapters.pytest_plugin.collecting import collect

        collect(config, cases, checked)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(config), "hsum_hythe_recorder")
