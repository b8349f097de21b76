"""Run the benchmarks: `python -m benchmarks [--corpus small] [--only NAME]`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib import import_module
from pathlib import Path

from benchmarks.corpora import HERE, Here
from benchmarks.harness import Row, shown
from benchmarks.report import circumstances, table, write

IDEAS = (
    "starting",
    "ingesting",
    "searching",
    "exactness",
    "fetching",
    "space",
    "ranking",
    "hythe_writing",
    "hythe_writers",
    "hythe_reading",
)


def main() -> int:
    """Measure, print, write; the exit status is 1 when an idea could not be measured."""
    options = _options()
    here = _here(options)
    print(json.dumps(circumstances(), indent=2))
    rows, failed = [], False
    for idea in options.only or IDEAS:
        try:
            rows += _rows(idea, here)
        except Exception as error:  # noqa: BLE001 - the other ideas are still measured
            print(f"{idea}: {type(error).__name__}: {error}", file=sys.stderr)
            failed = True
    print("\n" + table(rows))
    write(rows, options.out)
    return int(failed)


def _rows(idea: str, here: Here) -> list[Row]:
    start = time.perf_counter()
    rows = list(import_module(f"benchmarks.{idea}").measure(here))
    if here.smoke:
        rows = list(map(shown, rows))
    print(f"{idea}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return rows


def _here(options: argparse.Namespace) -> Here:
    size = "smoke" if options.smoke else options.corpus
    return Here(
        size,
        options.cache,
        options.data,
        options.large,
        options.smoke,
        options.needles,
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--corpus",
        choices=("small", "medium", "large"),
        default="small",
        help="small: the sdist of pytest 8.0.0; medium: the standard library with its"
        " site-packages; large: the Linux sources given by --large",
    )
    parser.add_argument("--only", action="append", choices=IDEAS, metavar="NAME")
    parser.add_argument("--smoke", action="store_true", help="once, on the least data")
    parser.add_argument(
        "--data",
        type=Path,
        help="folder with localise/*.jsonl and cranfield/; default: a small sample",
    )
    parser.add_argument("--large", type=Path, default=Path("/usr/src/linux-source-6.1"))
    parser.add_argument("--needles", type=int, help="of each kind, for exactness")
    parser.add_argument("--cache", type=Path, default=HERE / "out" / "corpora")
    parser.add_argument("--out", type=Path, default=HERE / "out")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
