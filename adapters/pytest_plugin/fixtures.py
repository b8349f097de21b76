"""The fixtures; each imports what it gives when a test asks for it.

PYTEST_DONT_REWRITE: nothing is asserted here, and every run loads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from adapters.pytest_plugin.recording import ANSWERS, record

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from adapters.pytest_plugin.asking import Asked
    from adapters.pytest_plugin.client import InMemoryClient
    from adapters.pytest_plugin.corpora import Corpora
    from hsum import Index
    from hsum.testing import (
        CitationReport,
        CorpusSource,
        SettableClock,
    )
    from hythe import Store

SharedCorpora = Callable[..., "Index"]
Agents = Callable[..., "tuple[Store, ...]"]


@pytest.fixture
def hsum_index(tmp_path: Path) -> Iterator[Index]:
    """An empty index on disk."""
    import hsum

    with hsum.open(tmp_path / "hsum-index") as index:
        yield index


@pytest.fixture
def hsum_corpus(tmp_path: Path, pytestconfig: pytest.Config) -> Iterator[Corpora]:
    """Make an index: `hsum_corpus({"a.md": "text"})`, or of a path."""
    from adapters.pytest_plugin.corpora import Corpora

    corpora = Corpora(tmp_path, pytestconfig.rootpath)
    yield corpora
    for index in corpora.made:
        index.close()


@pytest.fixture(scope="session")
def hsum_shared_corpus(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[SharedCorpora]:
    """Make a read-only index once for the whole run, also for its xdist workers."""
    from adapters.pytest_plugin.corpora import placed
    from hsum.testing import shared_corpus

    folder = tmp_path_factory.getbasetemp()
    if hasattr(pytestconfig, "workerinput"):
        folder = folder.parent
    made: list[Index] = []

    def make(source: CorpusSource, **options: Any) -> Index:
        whence = placed(source, pytestconfig.rootpath)
        index = shared_corpus(whence, folder, **options)
        made.append(index)
        return index

    yield make
    for index in made:
        index.close()


@pytest.fixture(scope="session")
def hsum_eval_index(
    hsum_shared_corpus: SharedCorpora, pytestconfig: pytest.Config
) -> Index:
    """The index that retrieval cases are put to: of the root directory.

    The files of cases are left out. Define a fixture of this name to use another.
    """
    root, here = pytestconfig.rootpath, pytestconfig.invocation_params.dir
    paths = [(here / path).resolve() for path in pytestconfig.getoption("hsum_eval")]
    inside = [path for path in paths if path.is_relative_to(root)]
    exclude = [f"/{path.relative_to(root).as_posix()}" for path in inside]
    return hsum_shared_corpus(root, exclude=exclude)


@pytest.fixture
def retrieval_case(request: pytest.FixtureRequest) -> Asked:
    """Put the test's retrieval cases to an index: `retrieval_case(index)`."""
    from adapters.pytest_plugin.asking import Asked

    return Asked(request)


@pytest.fixture
def citation_report(
    request: pytest.FixtureRequest,
) -> Callable[[str, Index], CitationReport]:
    """Judge the citations of an answer, and record them for the report."""

    def report(answer: str, index: Index) -> CitationReport:
        from hsum.testing import citation_report

        made = citation_report(answer, index, where=request.node.nodeid)
        record(request.node, ANSWERS, made)
        return made

    return report


@pytest.fixture
def assert_cited(
    citation_report: Callable[[str, Index], CitationReport],
) -> Callable[..., CitationReport]:
    """Demand that an answer's citations hold: `assert_cited(answer, index)`."""

    def demand(answer: str, index: Index, *, at_least: int = 1) -> CitationReport:
        __tracebackhide__ = True
        made = citation_report(answer, index)
        made.demand(at_least=at_least)
        return made

    return demand


@pytest.fixture
def hythe_clock() -> SettableClock:
    """A clock that stands still until a test moves it."""
    from hythe.testing import SettableClock

    return SettableClock()


@pytest.fixture
def hythe_store(tmp_path: Path, hythe_clock: SettableClock) -> Iterator[Store]:
    """An empty store on disk, used by `tester`, with `hythe_clock` and counted ids."""
    import hythe
    from hythe.testing import SequentialIds

    path: os.PathLike[str] = tmp_path / "store.hythe"
    ids = SequentialIds()
    with hythe.open(path, agent="tester", clock=hythe_clock, ids=ids) as store:
        yield store


@pytest.fixture
def hythe_agents(hythe_store: Store) -> Agents:
    """Register agents, and give the store as each uses it."""
    from hythe.testing import agents

    return lambda *names: agents(hythe_store, *names)


@pytest.fixture
def mcp_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Index | Store], InMemoryClient]]:
    """Talk to a server in memory: `mcp_client(index)` or `mcp_client(store)`.

    Bindings are made in a home of the test's own.
    """
    from contextlib import ExitStack

    from adapters.pytest_plugin.client import InMemoryClient, server_of

    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "hsum-home"))
    with ExitStack() as stack:
        yield lambda served: stack.enter_context(InMemoryClient(server_of(served)))
