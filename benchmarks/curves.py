"""Draw what grows with what, as SVG: logarithmic axes, readable on light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

import attrs

from benchmarks.scales import Scale, bounds, label, spaced, ticks

__all__ = ["Panel", "Point", "draw", "figures", "restored"]


@attrs.frozen
class Panel:
    """One pair of axes; panels of the same figure are drawn into one picture.

    Attributes:
        guided: draw what would grow in proportion, from the first point on.
    """

    figure: str
    title: str
    across: str
    unit: str
    guided: bool = False


@attrs.frozen
class Point:
    """One measured value of one line."""

    panel: Panel
    line: str
    corpus: str
    size: int
    value: float


def restored(data: Mapping[str, Any]) -> Point:
    """Return the point that `attrs.asdict` made a mapping of."""
    return Point(**{**data, "panel": Panel(**data["panel"])})


def figures(points: Iterable[Point], about: str) -> dict[str, str]:
    """Return the SVG of each figure by its name; *about* stands at the bottom."""
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(point.panel.figure, []).append(point)
    return {name: draw(some, _foot(some, about)) for name, some in found.items()}


def _foot(points: Sequence[Point], about: str) -> str:
    corpora = dict.fromkeys(one.corpus for one in points if one.corpus != "-")
    return " · ".join([*(f"corpus {name}" for name in corpora), about])


# --- the picture ----------------------------------------------------------------------

_COLUMNS, _WIDTH, _HEIGHT = 2, 400, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 56, 70, 44
_LETTER, _ROW, _FOOT = 6.6, 17, 24
_APART = 52
"""Labels of sizes need so much room."""

# The colours of Okabe and Ito, which colour-blind people tell apart; each line has a
# mark of its own besides. The ground is opaque: the page behind may be of either kind.
_STYLE = """
text { font: 12px system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #24292f }
.title { font-size: 14px; font-weight: 600 }
.small { font-size: 11px; fill: #57606a }
.ground { fill: #ffffff }
.grid { stroke: #d8dee4 }
.axis { stroke: #57606a }
.guide { stroke: #8c959f; stroke-width: 1.5; stroke-dasharray: 3 4; fill: none }
.curve { fill: none; stroke-width: 2; stroke-linejoin: round }
.c0 { stroke: #0072b2 } .f0 { fill: #0072b2 }
.c1 { stroke: #d55e00 } .f1 { fill: #d55e00 }
.c2 { stroke: #009e73 } .f2 { fill: #009e73 }
.c3 { stroke: #b0578d } .f3 { fill: #b0578d }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .small { fill: #9da7b1 } .ground { fill: #1e2129 }
  .grid { stroke: #373c47 } .axis { stroke: #9da7b1 } .guide { stroke: #7d8590 }
  .c0 { stroke: #56b4e9 } .f0 { fill: #56b4e9 }
  .c1 { stroke: #e69f00 } .f1 { fill: #e69f00 }
  .c2 { stroke: #2fc39b } .f2 { fill: #2fc39b }
  .c3 { stroke: #dd8fbf } .f3 { fill: #dd8fbf }
}
"""
_LINES = 4
_MARKS = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "M-3.5,-3.5h7v7h-7z",
    "M0,-4.8l4.4,7.8h-8.8z",
    "M0,-5l5,5l-5,5l-5,-5z",
)


def draw(points: Sequence[Point], foot: str) -> str:
    """Return the panels of one figure as SVG, in the order of their first points."""
    panels = list(dict.fromkeys(point.panel for point in points))
    rows = -(-len(panels) // _COLUMNS)
    width, height = _COLUMNS * _WIDTH, rows * _HEIGHT + _FOOT
    drawn = (
        f'<g transform="translate({at % _COLUMNS * _WIDTH},{at // _COLUMNS * _HEIGHT})">'
        + "".join(_panel(panel, [one for one in points if one.panel == panel]))
        + "</g>"
        for at, panel in enumerate(panels)
    )
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
                f' width="{width}" height="{height}" role="img">'
            ),
            f"<title>{escape('; '.join(panel.title for panel in panels))}</title>",
            f"<style>{_STYLE}</style>",
            f'<rect class="ground" width="{width}" height="{height}" rx="6"/>',
            *drawn,
            _text(12, height - 9, foot, "small"),
            "</svg>\n",
        ]
    )


def _panel(panel: Panel, points: Sequence[Point]) -> Iterator[str]:
    lines = _lines(points)
    guide = _guide(lines) if panel.guided else []
    sizes = [point.size for point in points]
    values = [point.value for point in points] + [value for _, value in guide]
    x = Scale(min(sizes), max(*sizes, 2 * min(sizes)), _LEFT, _WIDTH - _RIGHT)
    y = Scale(*bounds(values), _HEIGHT - _BOTTOM, _TOP)
    yield _text(12, 22, f"{panel.title}, {panel.unit}", "title")
    yield from _legend(list(lines), guided=panel.guided)
    yield from _axes(x, y, panel.across, max(sizes))
    if guide:
        yield f'<path class="guide" d="{_path(guide, x, y)}"/>'
    for at, line in enumerate(lines.values()):
        yield f'<path class="curve c{at}" d="{_path(line, x, y)}"/>'
        for size, value in line:
            yield _mark(at, x(size), y(value))
    ends = spaced([y(line[-1][1]) for line in lines.values()], 13)
    for line, end in zip(lines.values(), ends, strict=True):
        yield _text(x(line[-1][0]) + 8, end + 4, _short(line[-1][1]))


Line = list[tuple[int, float]]


def _lines(points: Iterable[Point]) -> dict[str, Line]:
    found: dict[str, Line] = {}
    for point in points:
        found.setdefault(point.line, []).append((point.size, point.value))
    if len(found) > _LINES:
        raise ValueError(f"no more than {_LINES} lines can be told apart")
    return {name: sorted(line) for name, line in found.items()}


def _guide(lines: Mapping[str, Line]) -> Line:
    """Return what grows in proportion to the size from the first line's beginning."""
    line = next(iter(lines.values()))
    first, value = line[0]
    return [(size, value * size / first) for size, _ in line]


def _legend(names: Sequence[str], *, guided: bool) -> Iterator[str]:
    x, y = 14.0, 42
    for at, name in enumerate([*names, *(["in proportion"] if guided else [])]):
        wide = 30 + _LETTER * len(name)
        if x + wide > _WIDTH and x > 14:
            x, y = 14.0, y + _ROW
        if at < len(names):
            yield _mark(at, x + 4, y - 4)
        else:
            yield f'<path class="guide" d="M{x - 3:.1f},{y - 4}h14"/>'
        yield _text(x + 14, y, name)
        x += wide


def _axes(x: Scale, y: Scale, across: str, largest: int) -> Iterator[str]:
    for value in ticks(y.low, y.high):
        at = f"{y(value):.1f}"
        yield f'<path class="grid" d="M{x.first},{at}H{x.last}"/>'
        yield _text(x.first - 7, y(value) + 4, label(value), anchor="end")
    round_ones = ticks(x.low, x.high, most=4)
    before = [value for value in round_ones if x(largest) - x(value) > _APART]
    for value in [*before, largest]:
        at = f"{x(value):.1f}"
        yield f'<path class="axis" d="M{at},{y.first}v5"/>'
        yield _text(x(value), y.first + 18, label(value), anchor="middle")
    yield f'<path class="axis" d="M{x.first},{y.first}H{x.last}"/>'
    yield _text((x.first + x.last) / 2, y.first + 35, across, "small", anchor="middle")


def _mark(at: int, x: float, y: float) -> str:
    place = f'transform="translate({x:.1f},{y:.1f})"'
    return f'<path class="f{at}" {place} d="{_MARKS[at]}"/>'


def _path(line: Line, x: Scale, y: Scale) -> str:
    return "M" + "L".join(f"{x(size):.1f},{y(value):.1f}" for size, value in line)


def _text(
    x: float, y: float, words: str, kind: str = "", *, anchor: str = "start"
) -> str:
    style = f' class="{kind}"' if kind else ""
    side = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{style}{side}>{escape(words)}</text>'


def _short(value: float) -> str:
    """Return a value with three digits, large ones with a thousand's comma."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
