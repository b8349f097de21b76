"""Fuzz targets: `python -m tests.fuzz --help`."""

from __future__ import annotations

NAMES = (
    "citations",
    "queries",
    "cursors",
    "frames",
    "merge-patches",
    "ignore-rules",
    "imports",
    "json-lines",
)
