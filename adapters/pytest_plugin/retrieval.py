"""Ask the retrieval cases that tests are marked with.

PYTEST_DONT_REWRITE: nothing is asserted here, and every run loads it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from adapters.pytest_plugin.asking import Asked
    from adapters.pytest_plugin.corpora import Corpora
    from hsum import Index

_FIXTURE = "retrieval_case"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give marked tests the fixture that asks."""
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker(_FIXTURE):
            missing = _FIXTURE not in item.fixturenames
            item.fixturenames.extend([_FIXTURE] * missing)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(
    pyfuncitem: pytest.Function,
) -> Generator[None, object, object]:
    """Ask the cases after the body, unless the body did."""
    outcome = yield
    if pyfuncitem.get_closest_marker(_FIXTURE):
        asked = cast("Asked", pyfuncitem.funcargs[_FIXTURE])
        if not asked.done:
            asked(_own_index(pyfuncitem) or asked.shared_index())
    return outcome


def _own_index(item: pytest.Function) -> Index | None:
    """Return the index among a test's fixtures, else the last it made; None for none."""
    import hsum

    corpora = cast("Corpora | None", item.funcargs.get("hsum_corpus"))
    made = corpora.made if corpora is not None else []
    given = [value for value in item.funcargs.values() if isinstance(value, hsum.Index)]
    return next(reversed([*made, *given]), None)
