"""Show checkpoints in a notebook: small HTML and SVG, all text escaped, no scripts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from hsum._kernel.escape import visible

if TYPE_CHECKING:
    from hythe.model import Checkpoint, History, Plan

__all__ = ["checkpoint_html", "history_html", "lanes", "plan_html"]

_STEP, _ROW, _DOT = 18, 26, 5
_MOST_TEXT = 400
_COLOURS = ("#2a6fb0", "#b0532a", "#3a8a4d", "#8a3a86", "#8a7a2a", "#4a4a9a")


def checkpoint_html(checkpoint: Checkpoint) -> str:
    """Return a table of what a checkpoint says."""
    state = checkpoint.state
    rows = [
        ("operation", checkpoint.operation),
        ("outcome", checkpoint.outcome or ""),
        ("author", checkpoint.author),
        ("recorded at", checkpoint.recorded_at.isoformat()),
        ("objective", state.objective),
        ("status", state.status),
        ("owner", state.owner),
        *(("next action", text) for text in state.next_actions),
        *(("blocker", text) for text in state.blockers),
        *(("guardrail", text) for text in state.guardrails),
        *(("fact", f"{f.subject} {f.predicate} {f.object}") for f in checkpoint.facts),
        *(("loop", f"{loop.status}: {loop.next_action}") for loop in checkpoint.loops),
        *((event.kind, event.summary) for event in checkpoint.events),
    ]
    return _table(f"revision {checkpoint.revision} of {checkpoint.scope}", rows)


def plan_html(plan: Plan) -> str:
    """Return a table of what a reconcile would have to settle."""
    numbers = {head.id: f"r{head.revision} of {head.author}" for head in plan.heads}
    rows = [
        *(
            ("survivor" if head.id == plan.survivor else "head", numbers[head.id])
            for head in plan.heads
        ),
        *(
            (f"owed {owed.kind}", f"r{owed.revision}: {owed.value!r}")
            for owed in plan.owed
        ),
        *(
            (f"differs: {field}", f"{numbers.get(head, head)}: {value}")
            for field, values in plan.differing.items()
            for head, value in values.items()
        ),
    ]
    return _table(repr(plan).strip("<>"), rows)


def _table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    cells = "".join(
        f"<tr><th style='text-align:left'>{_safe(name)}</th><td>{_safe(text)}</td></tr>"
        for name, text in rows
    )
    return f"<div><strong>{_safe(title)}</strong><table>{cells}</table></div>"


def history_html(history: History) -> str:
    """Return the graph of a page of history: branches, the pointer, retired heads."""
    shown = sorted(history, key=lambda made: -made.revision)
    columns = lanes([(made.id, made.parent) for made in shown])
    places = {
        made.id: (_STEP * (column + 1), _ROW * row + _ROW // 2)
        for row, (made, column) in enumerate(zip(shown, columns, strict=True))
    }
    width = _STEP * (max(columns, default=0) + 2)
    height = _ROW * len(shown)
    edges = "".join(_edge(made, places, height) for made in shown)
    nodes = "".join(_node(made, history, places[made.id], width) for made in shown)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width + 560}' "
        f"height='{height}' role='img' font-family='sans-serif' font-size='12'>"
        f"<title>{_safe(repr(history))}</title>{edges}{nodes}</svg>"
    )


def lanes(links: Sequence[tuple[str, str | None]]) -> list[int]:
    """Return a column for each checkpoint of a graph given newest first.

    A column waits for the parent of what stands in it; a checkpoint takes the first
    that waits for it, and frees all others that do.
    """
    waiting: list[str | None] = []
    columns = []
    for identity, parent in links:
        column = _index(waiting, identity)
        columns.append(column)
        waiting = [None if other == identity else other for other in waiting]
        waiting[column] = parent
    return columns


def _index(waiting: list[str | None], identity: str) -> int:
    for wanted in (identity, None):
        if wanted in waiting:
            return waiting.index(wanted)
    waiting.append(None)
    return len(waiting) - 1


def _edge(made: Checkpoint, places: dict[str, tuple[int, int]], height: int) -> str:
    if made.parent is None:
        return ""
    x, y = places[made.id]
    to_x, to_y = places.get(made.parent, (x, height))
    return (
        f"<path d='M{x},{y} L{x},{to_y - _ROW // 2} L{to_x},{to_y}' fill='none' "
        f"stroke='{_colour(x)}' stroke-width='1.5'/>"
    )


def _node(
    made: Checkpoint, history: History, place: tuple[int, int], width: int
) -> str:
    x, y = place
    pointed, retired = made.id == history.pointer, made.id in history.retired
    fill = "none" if retired else _colour(x)
    dash = " stroke-dasharray='2 2'" if retired else ""
    ring = (
        f"<circle cx='{x}' cy='{y}' r='{_DOT + 3}' fill='none' stroke='{_colour(x)}'/>"
        if pointed
        else ""
    )
    words = " ".join([f"r{made.revision}", made.operation, f"by {made.author}:"])
    marks = _marks(pointed=pointed, live=made.id in history.heads, retired=retired)
    label = _safe(f"{words} {made.state.status}{marks}", 90)
    return (
        f"<circle cx='{x}' cy='{y}' r='{_DOT}' fill='{fill}' stroke='{_colour(x)}'"
        f"{dash}/>{ring}<text x='{width}' y='{y + 4}' fill='currentColor'>{label}</text>"
    )


def _marks(*, pointed: bool, live: bool, retired: bool) -> str:
    named = {"pointer": pointed, "head": live and not pointed, "retired": retired}
    return "".join(f" [{name}]" for name, holds in named.items() if holds)


def _colour(x: int) -> str:
    return _COLOURS[(x // _STEP) % len(_COLOURS)]


def _safe(text: str, most: int = _MOST_TEXT) -> str:
    cut = text if len(text) <= most else f"{text[: most - 1]}…"
    return escape(visible(cut))
