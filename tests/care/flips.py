"""One flipped bit at a random place of a stored file, and what is answered then.

`HSUM_FLIPS` says at how many places of each file.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hsum import Fault

FLIPS = int(os.environ.get("HSUM_FLIPS", "4"))

Answers = dict[str, Any]


def flip(path: Path, draw: random.Random) -> int:
    """Flip one bit of a file; return the place of its byte."""
    data = bytearray(path.read_bytes())
    at = draw.randrange(len(data))
    data[at] ^= 1 << draw.randrange(8)
    path.write_bytes(data)
    return at


def flipped_copies(
    source: Path, names: list[str], scratch: Path, *, times: int = 1
) -> Iterator[tuple[Path, str]]:
    """Yield copies of a folder, each with one flipped bit, and what it is called."""
    for number, name in enumerate(names):
        draw = random.Random(Path(name).suffix or name)
        for turn in range(FLIPS * times):
            folder = scratch / f"{number}-{turn}"
            shutil.copytree(source, folder)
            at = flip(folder / name, draw)
            yield folder, f"{name} at {at}"
            # A thread of the engine may still be at work in it.
            shutil.rmtree(folder, ignore_errors=True)


def asked(calls: dict[str, Callable[[], Any]]) -> Answers:
    """Return what each call answers; a typed error is an answer."""
    found: Answers = {}
    for name, call in calls.items():
        try:
            found[name] = call()
        except Fault as fault:
            found[name] = fault
    return found
