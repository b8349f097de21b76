"""Plots as inline SVG: bars for the means, one column for each case."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from hsum._kernel.escape import visible

__all__ = ["Column", "bars", "columns"]

_NAME, _BAR, _ROW = 150, 320, 30
_HEIGHT, _LEAST, _MOST = 120, 3, 24
_WIDTH = 720
# Attributes, not a style sheet: a notebook has none of ours.
_GOOD, _BAD, _GROUND, _LINE = "#2f7d5b", "#b3402e", "#88888818", "#88888855"


def bars(values: Sequence[tuple[str, float]], minima: dict[str, float]) -> str:
    """Return horizontal bars of values from 0 to 1; a line marks each minimum."""
    rows = "".join(
        _bar(number, name, value, minima.get(name))
        for number, (name, value) in enumerate(values)
    )
    width = _NAME + _BAR + 70
    return _svg(width, _ROW * len(values), "means, from 0 to 1", rows)


def _bar(number: int, name: str, value: float, minimum: float | None) -> str:
    top, text = number * _ROW + 6, number * _ROW + 20
    low = minimum is not None and value < minimum
    mark = "" if minimum is None else _minimum(_NAME + _BAR * minimum, top, minimum)
    return (
        f"<text x='{_NAME - 10}' y='{text}' text-anchor='end'>{escape(name)}</text>"
        f"<rect fill='{_GROUND}' x='{_NAME}' y='{top}' width='{_BAR}' height='18'/>"
        f"<rect fill='{_BAD if low else _GOOD}' x='{_NAME}' y='{top}' "
        f"width='{_BAR * value:.1f}' height='18'/>{mark}"
        f"<text x='{_NAME + _BAR + 10}' y='{text}'>{value:.3f}</text>"
    )


def _minimum(x: float, top: int, minimum: float) -> str:
    return (
        f"<line stroke='currentColor' stroke-width='2' x1='{x:.1f}' x2='{x:.1f}' y1='{top - 3}' "
        f"y2='{top + 21}'><title>minimum {minimum:g}</title></line>"
    )


class Column(NamedTuple):
    """One case: where its link leads, its name, its value, and how it is painted."""

    anchor: str
    name: str
    value: float
    good: bool


def columns(cases: Sequence[Column]) -> str:
    """Return a column for each case, of values from 0 to 1."""
    step = max(_LEAST, min(_MOST, (_WIDTH - 40) // max(1, len(cases))))
    drawn = "".join(_column(40 + n * step, step, one) for n, one in enumerate(cases))
    scale = "".join(_level(level, step * len(cases)) for level in (0.0, 0.5, 1.0))
    width = max(_WIDTH, 40 + step * len(cases))
    return _svg(width, _HEIGHT + 20, "nDCG of each case", scale + drawn)


def _level(level: float, width: int) -> str:
    y = 10 + _HEIGHT * (1 - level)
    return (
        f"<text x='30' y='{y + 4:.1f}' text-anchor='end'>{level:g}</text>"
        f"<line stroke='{_LINE}' x1='36' x2='{40 + width}' y1='{y:.1f}' y2='{y:.1f}'/>"
    )


def _column(x: int, step: int, case: Column) -> str:
    height = max(2.0, _HEIGHT * case.value)
    return (
        f"<a href='#{escape(case.anchor)}'><rect fill='{_GOOD if case.good else _BAD}'"
        f" x='{x}' y='{10 + _HEIGHT - height:.1f}' width='{max(2, step - 2)}'"
        f" height='{height:.1f}'><title>{escape(visible(case.name))}: {case.value:.2f}"
        f"</title></rect></a>"
    )


def _svg(width: int, height: int, title: str, body: str) -> str:
    return (
        f"<svg role='img' font-size='13' fill='currentColor' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}'><title>{escape(title)}</title>{body}</svg>"
    )
