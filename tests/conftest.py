"""Profiles of the property tests: derandomised by default, so that runs repeat."""

from __future__ import annotations

import contextlib
import os
import signal

from hypothesis import HealthCheck, settings

_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "ci", derandomize=True, deadline=None, suppress_health_check=_QUIET
)
settings.register_profile(
    "long", max_examples=2_000, deadline=None, suppress_health_check=_QUIET
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# A run that was started in the background ignores Ctrl-C, and so would all that its
# tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.default_int_handler)
