"""Run a function without root's power to read and write everything."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

NOBODY = 65_534


def as_nobody(function: Callable[[], T]) -> T:
    """Return what `function` returns in a forked child that has dropped its uid.

    What it needs must be imported before: the child may not read the interpreter.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            answer = function()
        except BaseException as exc:  # noqa: BLE001 - it is raised by the parent
            answer = exc
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(answer, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pickle.load(pipe)
    os.waitpid(child, 0)
    if isinstance(answer, BaseException):
        raise answer
    return answer


def opened_up(path: Path) -> Path:
    """Let everybody enter a folder of pytest's."""
    for folder in (path, *path.parents):
        if folder.stat().st_uid == 0 and folder.is_relative_to("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o755)
    return path
