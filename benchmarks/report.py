"""Show rows as a table, as JSON and as a plot; points as curves."""

from __future__ import annotations

import json
import math
import os
import platform
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import attrs

from benchmarks.curves import Panel, Point, figures
from benchmarks.harness import Row

__all__ = ["circumstances", "draw", "growth", "plot", "table", "write"]

_PACKAGES = (
    "hsum-hythe",
    "tantivy",
    "attrs",
    "cattrs",
    "sqlite-utils",
    "portalocker",
    "mcp",
    "bm25s",
    "langgraph-checkpoint-sqlite",
)


def circumstances() -> dict[str, object]:
    """Return the machine, the versions and how durable the writes are."""
    return {
        "machine": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": sys.version.split()[0],
        "sqlite": sqlite3.sqlite_version,
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        "durability": "WAL, synchronous=FULL: every commit is flushed",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if "model name" in line)
    return next(names, platform.processor())


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


_HEAD = ("what", "corpus", "ours", "against", "theirs", "ratio", "target", "")


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.what + (f" ({row.note})" if row.note else ""),
        row.corpus,
        f"{_number(row.ours)} {row.unit}",
        row.against,
        f"{_number(row.theirs)} {row.unit}" if row.theirs else "-",
        f"{_number(row.ratio)}" if row.theirs else "-",
        str(row.target or "-"),
        row.verdict,
    )


def _number(value: float) -> str:
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"


def table(rows: Sequence[Row]) -> str:
    """Return the rows as lines of a Markdown table, columns aligned."""
    cells = [_HEAD, *map(_cells, rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(_HEAD))]
    lines = [_line(line, widths) for line in cells]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return "| " + " | ".join(padded) + " |"


def growth(points: Sequence[Point]) -> str:
    """Return the points of each line as a line of Markdown; sizes in front."""
    lines = []
    for (panel, line), some in _grouped(points).items():
        values = ", ".join(f"{one.size:,}: {_number(one.value)}" for one in some)
        lines.append(f"- {panel.title}, {panel.unit}, {line}; {panel.across} {values}")
    return "\n".join(lines)


def _grouped(points: Sequence[Point]) -> dict[tuple[Panel, str], list[Point]]:
    found: dict[tuple[Panel, str], list[Point]] = {}
    for point in points:
        found.setdefault((point.panel, point.line), []).append(point)
    return found


def write(
    about: Mapping[str, object],
    rows: Sequence[Row],
    points: Sequence[Point],
    folder: Path,
) -> None:
    """Write `results.json` and `results.svg` into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {
        **about,
        "rows": [row.as_json() for row in rows],
        "points": [attrs.asdict(point) for point in points],
    }
    (folder / "results.json").write_text(json.dumps(found, indent=2), encoding="utf-8")
    (folder / "results.svg").write_text(plot(rows), encoding="utf-8")


def draw(points: Sequence[Point], about: Mapping[str, Any], folder: Path) -> None:
    """Draw the curves into *folder*, one file for each figure."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in figures(points, _foot(about)).items():
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")


def _foot(about: Mapping[str, Any]) -> str:
    """Return where points come from: it stands below each figure."""
    packages = about["packages"]
    said = [
        f"{about['processor']}, {about['cores']} cores",
        f"Python {about['python']}",
        f"SQLite {about['sqlite']}",
        f"tantivy {packages['tantivy']}",
        f"hsum-hythe {packages['hsum-hythe']}",
    ]
    return " · ".join(said)


_WIDTH, _STEP, _LABEL = 900, 22, 470
_COLOURS = {"met": "#2b8a3e", "MISSED": "#c92a2a", "shown": "#868e96"}


def plot(rows: Sequence[Row]) -> str:
    """Draw each row's ratio on a logarithmic scale, one bar a row, as SVG."""
    drawn = [row for row in rows if row.theirs and row.ours > 0]
    reach = max((abs(math.log10(row.ratio)) for row in drawn), default=1.0) or 1.0
    height = _STEP * (len(drawn) + 1)
    middle = _LABEL + (_WIDTH - _LABEL) / 2
    scale = (_WIDTH - _LABEL) / 2 / reach * 0.85
    bars = [_bar(row, at, middle, scale) for at, row in enumerate(drawn)]
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
                ' font-family="sans-serif" font-size="11">'
            ),
            f'<line x1="{middle}" y1="0" x2="{middle}" y2="{height}" stroke="#000"/>',
            *bars,
            "</svg>\n",
        ]
    )


def _bar(row: Row, at: int, middle: float, scale: float) -> str:
    y = _STEP * at + 6
    length = math.log10(row.ratio) * scale
    left = middle + min(0.0, length)
    label = escape(f"{row.what} / {row.against} ({row.corpus})")
    return (
        f'<text x="4" y="{y + 11}">{label}</text>'
        f'<rect x="{left:.1f}" y="{y}" width="{abs(length):.1f}" height="14"'
        f' fill="{_COLOURS[row.verdict]}"/>'
        f'<text x="{middle + max(0.0, length) + 4:.1f}" y="{y + 11}">'
        f"{_number(row.ratio)}</text>"
    )
