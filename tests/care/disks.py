"""Disks of our own that can be filled: a file system in memory, where that is allowed.

`FULL_DISK_STEPS` says at how many places between no room and enough a call is tried.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

STEPS = int(os.environ.get("FULL_DISK_STEPS", "12"))
PAGE_KIB = 4
_WHOLE = "64m"


@contextlib.contextmanager
def mounted(place: Path) -> Iterator[Path]:
    """Mount a disk at a new folder; skip the test where that is not allowed."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={_WHOLE}", "tmpfs", str(place)]
    mount = shutil.which("mount")
    if (
        not mount
        or subprocess.run(command, capture_output=True, check=False).returncode
    ):
        pytest.skip("this needs the right to mount a file system")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def used(disk: Path) -> int:
    """Return the KiB in use."""
    found = os.statvfs(disk)
    return (found.f_blocks - found.f_bfree) * found.f_frsize // 1_024


@contextlib.contextmanager
def nearly_full(disk: Path, room: int) -> Iterator[None]:
    """Leave so many KiB."""
    _resize(disk, f"{max(PAGE_KIB, used(disk) + room)}k")
    try:
        yield
    finally:
        _resize(disk, _WHOLE)


def _resize(disk: Path, size: str) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)


def rooms(need: int) -> Iterator[int]:
    """Yield KiB from none upwards, page by page or in steps of what is needed."""
    step = max(PAGE_KIB, need // STEPS // PAGE_KIB * PAGE_KIB)
    yield from range(0, 4 * need, step)
