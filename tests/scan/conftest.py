"""A root to scan, as bytes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> bytes:
    folder = tmp_path / "root"
    folder.mkdir()
    return os.fsencode(folder.resolve())
