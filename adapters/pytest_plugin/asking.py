"""Put the cases of a test's markers to an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.pytest_plugin.recording import CASES, record
from hsum.testing import RetrievalCase, judge

if TYPE_CHECKING:
    from hsum import Index
    from hsum.testing import CaseResult

__all__ = ["Asked"]


class Asked:
    """Put the retrieval cases of a test's markers to an index."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._item: pytest.Item = request.node
        self.done = False

    @property
    def cases(self) -> list[RetrievalCase]:
        """The cases, in the order of the markers as they are read."""
        marks = reversed(list(self._item.iter_markers("retrieval_case")))
        return [RetrievalCase(*mark.args, **mark.kwargs) for mark in marks]

    def __call__(self, index: Index) -> list[CaseResult]:
        """Ask each case, record the results, and fail on what misses its minimum."""
        self.done = True
        where = self._item.nodeid
        results = [judge(case, index, where=where) for case in self.cases]
        for result in results:
            record(self._item, CASES, result)
        failed = [str(result) for result in results if not result.ok]
        if failed:
            pytest.fail("\n\n".join(failed), pytrace=False)
        return results

    def shared_index(self) -> Index:
        """Return the index of tests that have none of their own."""
        index: Index = self._request.getfixturevalue("hsum_eval_index")
        return index
