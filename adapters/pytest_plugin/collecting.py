"""Collect retrieval cases and Markdown files as tests."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import hsum

if TYPE_CHECKING:
    from hsum import CheckReport
    from hsum.testing import RetrievalCase

__all__ = ["collect"]

_MOST_NAME = 60


def collect(
    config: pytest.Config, cases: Sequence[str], checked: Sequence[str]
) -> None:
    """Add files of cases, and Markdown files below paths, to what is collected.

    Raises:
        pytest.UsageError: for a path that does not exist, or has nothing to check.
    """
    skipped = config.getini("norecursedirs")
    folders = _paths(config, checked)
    citing = [file for path in folders for file in _markdown(path, skipped)]
    found = Collector(_paths(config, cases), citing)
    config.pluginmanager.register(found, "hsum_hythe_collector")
    wanted = dict.fromkeys(map(str, (*found.cases, *found.citing)))
    config.args.extend(path for path in wanted if path not in config.args)


def _paths(config: pytest.Config, given: Iterable[str]) -> list[Path]:
    paths = [config.invocation_params.dir / path for path in given]
    for path in paths:
        if not path.exists():
            raise pytest.UsageError(f"hsum: there is no {path}")
    return [path.resolve() for path in paths]


def _markdown(path: Path, skipped: Sequence[str]) -> list[Path]:
    """Return a file, or the Markdown files below a folder, without what pytest skips."""
    if path.is_file():
        return [path]
    found: list[Path] = []
    for folder, inner, files in os.walk(path):
        inner[:] = sorted(name for name in inner if not _matches(name, skipped))
        found += (Path(folder, name) for name in sorted(files) if _is_markdown(name))
    if not found:
        raise pytest.UsageError(f"hsum: there is no Markdown file below {path}")
    return found


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def _is_markdown(name: str) -> bool:
    return name.lower().endswith((".md", ".markdown"))


class Collector:
    """Turn the files that options name into collectors."""

    def __init__(self, cases: Sequence[Path], citing: Sequence[Path]) -> None:
        self.cases = cases
        self.citing = citing

    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> pytest.File | None:
        path = file_path.resolve()
        if path in self.cases:
            return CaseFile.at(file_path, parent)
        if path in self.citing:
            return CitingFile.from_parent(parent, path=file_path)
        return None


class CaseFile(pytest.Module):
    """A JSON Lines file of retrieval cases; a module to fixtures of that scope."""

    @classmethod
    def at(cls, path: Path, parent: pytest.Collector) -> CaseFile:
        """Return the collector of a file, with an empty module behind it."""
        file: CaseFile = cls.from_parent(parent, path=path)
        file.obj = ModuleType(path.stem)
        return file

    def collect(self) -> Iterator[pytest.Item]:
        from hsum.testing import read_cases

        try:
            cases = read_cases(self.path)
        except hsum.Fault as fault:
            raise self.CollectError(f"{fault.message}\n{fault.hint}") from None
        for row, case in cases:
            yield CaseItem.of(self, row, case)


class CaseItem(pytest.Function):
    """A test without a body, marked with its case."""

    row = 1

    @classmethod
    def of(cls, parent: CaseFile, row: int, case: RetrievalCase) -> CaseItem:
        """Return the test of one line, named by it."""
        words = case.id or case.query
        name = f"{row}-{' '.join(words.split())[:_MOST_NAME]}"
        item = cls.from_parent(parent, name=name, callobj=_nothing)
        item.row = row
        item.add_marker(
            pytest.mark.retrieval_case(
                case.query,
                case.relevant,
                id=case.id,
                minimum=case.minimum,
                project=case.project,
            )
        )
        return item

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.row - 1, self.name


def _nothing() -> None:
    """Leave all to the marker."""


class CitingFile(pytest.File):
    """A file whose citations are checked, as one test."""

    def collect(self) -> Iterator[pytest.Item]:
        yield CitingItem.from_parent(self, name="citations")


class CitingItem(pytest.Item):
    """Check the citations of one file."""

    def runtest(self) -> None:
        report = hsum.check_files([self.path])
        if not report.ok:
            raise BadCitations(report)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.name}: citations"

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        if isinstance(excinfo.value, BadCitations):
            return str(excinfo.value)
        if isinstance(excinfo.value, hsum.Fault):
            return f"{excinfo.value.message}\n{excinfo.value.hint}"
        return super().repr_failure(excinfo, style)


class BadCitations(Exception):
    """Citations of a file that do not stand."""

    def __init__(self, report: CheckReport) -> None:
        super().__init__(
            "\n".join(
                f"{one.file}:{one.found.row}:{one.found.column}: {one.verdict} "
                f"{hsum.visible(one.found.raw)}: {hsum.visible(one.message)}"
                for one in report.bad
            )
        )
