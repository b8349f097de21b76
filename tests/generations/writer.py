"""A writer to be killed: it ingests one marked tree after another, until it dies.

Every file of a tree carries the same marker, so that a reader who sees two markers at
once has seen half a generation.  Each acknowledged ingest is a line on stdout.
"""

from __future__ import annotations

import sys
from pathlib import Path

import hsum

FILES = 24


def plant(root: Path, number: int) -> None:
    """Write the tree of one number; every fifth file comes and goes."""
    for at in range(FILES):
        path = root / f"part{at % 4}" / f"file{at}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        if at % 5 == 0 and (number + at) % 2:
            path.unlink(missing_ok=True)
        else:
            path.write_text(text(number, at), encoding="utf-8")


def text(number: int, at: int) -> str:
    """Return the text of one file."""
    return f"marker{number} stands in file {at}\n" + f"filler {at} {number}\n" * 200


def main() -> None:
    folder, root = map(Path, sys.argv[1:3])
    number = int(sys.argv[3])
    with hsum.open(folder) as index:
        while True:
            plant(root, number)
            report = index.ingest(root, allow=["mass-delete"])
            print(number, report.generation, flush=True)  # noqa: T201 - its protocol
            number += 1


if __name__ == "__main__":
    main()
