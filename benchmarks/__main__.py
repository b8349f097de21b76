"""Run the benchmarks: `python -m benchmarks [--corpus small] [--only NAME]`."""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
import time
from importlib import import_module
from pathlib import Path

import attrs

from benchmarks.corpora import HERE, Here
from benchmarks.curves import Point, restored
from benchmarks.harness import Row, shown
from benchmarks.report import circumstances, draw, growth, table, write

IDEAS = (
    "starting",
    "ingesting",
    "searching",
    "exactness",
    "fetching",
    "space",
    "ranking",
    "servers",
    "growth",
    "hythe_writing",
    "hythe_writers",
    "hythe_reading",
    "hythe_growth",
)

_EXAMPLES = """\
examples:
  python -m benchmarks
      all of it on the small corpus
  python -m benchmarks --smoke
      each thing once on the least data, to see that it runs; a few seconds
  python -m benchmarks --only ingesting --only space --corpus large --large linux-6.1
      two ideas on the Linux sources; allow half an hour
  python -m benchmarks --only growth --only hythe_growth \\
      --corpus large --large linux-6.1 --docs docs/explanation
      draw the curves that the docs show; allow an hour and a half
  python -m benchmarks --redraw benchmarks/out/results.json --docs docs/explanation
      draw them once more from what was measured

Take figures on a machine at rest. Where it cannot be, a ratio tells more than a time,
and CPU time more than the clock.
"""


@attrs.frozen
class Found:
    """What was measured: comparisons, and points of curves."""

    rows: list[Row] = attrs.field(factory=list)
    points: list[Point] = attrs.field(factory=list)

    def add(self, idea: str, here: Here) -> None:
        """Measure an idea."""
        start = time.perf_counter()
        for one in import_module(f"benchmarks.{idea}").measure(here):
            if isinstance(one, Point):
                self.points.append(one)
            else:
                self.rows.append(shown(one) if here.smoke else one)
        print(f"{idea}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


def main() -> int:
    """Measure, print, write; the exit status is 1 when an idea could not be measured."""
    options = _options()
    if options.redraw:
        return _redraw(options.redraw, options.docs or options.redraw.parent)
    # An installed program has its bytecode: processes that are timed must, too.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    about, here = circumstances(), _here(options)
    print(json.dumps(about, indent=2))
    found, failed = Found(), False
    for idea in options.only or IDEAS:
        try:
            found.add(idea, here)
        except Exception as error:  # noqa: BLE001 - the other ideas are still measured
            print(f"{idea}: {type(error).__name__}: {error}", file=sys.stderr)
            failed = True
    if found.rows:
        print("\n" + table(found.rows))
    if found.points:
        print("\n" + growth(found.points))
    write(about, found.rows, found.points, options.out)
    draw(found.points, about, options.docs or options.out)
    return int(failed)


def _redraw(results: Path, folder: Path) -> int:
    about = json.loads(results.read_text(encoding="utf-8"))
    draw(list(map(restored, about["points"])), about, folder)
    return 0


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


def _cache() -> Path:
    """Return a folder outside of this repository, whose ignore rules would hide it."""
    kept = os.environ.get("XDG_CACHE_HOME")
    return Path(kept or Path.home() / ".cache", "hsum-hythe", "corpora")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"{_ideas()}\n\n{_EXAMPLES}",
    )
    add = parser.add_argument
    add(
        "--corpus",
        choices=("small", "medium", "large"),
        default="small",
        help="small: the sdist of pytest 8.0.0, fetched once; medium: the standard"
        " library and the packages of this environment; large: the Linux sources"
        " given by --large",
    )
    add(
        "--only",
        action="append",
        choices=IDEAS,
        metavar="NAME",
        help="one of the ideas below; may be given again",
    )
    add("--smoke", action="store_true", help="once, on the least data, judging nothing")
    add(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="localise/*.jsonl and cranfield/ for `ranking`; default: a small sample",
    )
    add(
        "--large",
        type=Path,
        metavar="FOLDER",
        default=Path("/usr/src/linux-source-6.1"),
        help="the large corpus, as Debian's linux-source-6.1 unpacks it",
    )
    add("--needles", type=int, metavar="N", help="of each kind, for `exactness`")
    add(
        "--cache",
        type=Path,
        metavar="FOLDER",
        default=_cache(),
        help="where source distributions are kept; default: %(default)s",
    )
    add(
        "--out",
        type=Path,
        metavar="FOLDER",
        default=HERE / "out",
        help="where results.json and results.svg are written; default: %(default)s",
    )
    add(
        "--docs",
        type=Path,
        metavar="FOLDER",
        help="where the curves growth-*.svg are drawn; default: that of --out",
    )
    add(
        "--redraw",
        type=Path,
        metavar="RESULTS",
        help="measure nothing: draw the curves of a results.json",
    )
    return parser.parse_args()


def _ideas() -> str:
    """Return the ideas, each with the first line of its module."""
    lines = ["ideas:"]
    for name in IDEAS:
        source = (HERE / f"{name}.py").read_text(encoding="utf-8")
        words = ast.get_docstring(ast.parse(source)) or ""
        lines.append(f"  {name:<15}{words.partition(chr(10))[0]}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
