"""Carry results from tests to the summary and the page, across xdist workers.

PYTEST_DONT_REWRITE: nothing is asserted here, and every run loads it.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from adapters.pytest_plugin.outcome import Outcome

__all__ = ["ANSWERS", "CASES", "Recorder", "pytest_runtest_makereport", "record"]

CASES = pytest.StashKey[list[Any]]()
ANSWERS = pytest.StashKey[list[Any]]()
_ATTRIBUTES = {"hsum_cases": CASES, "hsum_answers": ANSWERS}


def record(item: pytest.Item, key: pytest.StashKey[list[Any]], value: Any) -> None:
    """Keep a result for the report of its test."""
    item.stash.setdefault(key, []).append(value)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put what a test recorded into its report, as text that any worker can send."""
    report = yield
    for name, key in _ATTRIBUTES.items():
        values = item.stash.get(key, None) if call.when == "call" else None
        if values:
            from cattrs import unstructure

            setattr(report, name, json.dumps([unstructure(value) for value in values]))
    return report


class Recorder:
    """Gather what reports carry; judge, show and write it at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._gathered: dict[str, list[Any]] = {name: [] for name in _ATTRIBUTES}
        self._outcome: Outcome | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, gathered in self._gathered.items():
            gathered.extend(json.loads(getattr(report, name, "[]")))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the page, and fail a run that is below a minimum."""
        option = self._config.getoption
        minima, page = option("hsum_eval_min"), option("hsum_report")
        if option("collectonly") or not (
            minima or page or any(self._gathered.values())
        ):
            return
        from adapters.pytest_plugin.outcome import Outcome

        self._outcome = Outcome.of(self._gathered, minima)
        if page:
            self._outcome.write(self._config.invocation_params.dir / page)
        if self._outcome.below and session.exitstatus in _UNDECIDED:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        if self._outcome is not None:
            self._outcome.show(terminalreporter)


_UNDECIDED = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
