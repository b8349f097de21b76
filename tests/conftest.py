"""Profiles of the property tests: derandomised by default, so that runs repeat."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "ci", derandomize=True, deadline=None, suppress_health_check=_QUIET
)
settings.register_profile(
    "few", max_examples=10, derandomize=True, deadline=None,
    suppress_health_check=_QUIET,
)  # fmt: skip
settings.register_profile(
    "long", max_examples=2_000, deadline=None, suppress_health_check=_QUIET
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

_ROOT = Path(__file__).resolve().parents[1]


def pytest_report_header() -> list[str]:
    """Say what is tested: the packages beside the tests, or those installed."""
    import adapters
    import hsum
    import hythe

    places = (module.__path__[0] for module in (hsum, hythe, adapters))
    return [f"tested: {place}" for place in places]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what looks at the packages' sources where they are not."""
    if not (_ROOT / "hsum").is_dir():
        away = pytest.mark.skip(reason="the sources are not beside the tests")
        for item in items:
            if item.get_closest_marker("sources"):
                item.add_marker(away)


# A run that was started in the background ignores Ctrl-C, and so would all that its
# tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.default_int_handler)
