"""A history drawn in lines: newest first, one lane for each open lineage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

__all__ = ["Node", "draw"]


@attrs.frozen
class Node:
    """One checkpoint of the picture.

    Attributes:
        mark: the sign that stands for it.
    """

    id: str
    parent: str | None
    mark: str


def draw(nodes: Iterable[Node]) -> Iterator[tuple[str, Node | None]]:
    """Yield lines of the picture, each with the node it stands for, or None.

    Args:
        nodes: children before their parents.
    """
    lanes: list[str | None] = []
    for node in nodes:
        waiting = [number for number, name in enumerate(lanes) if name == node.id]
        if not waiting:
            waiting = [_free(lanes)]
            lanes[waiting[0]] = node.id
        if len(waiting) > 1:
            yield _joined(lanes, waiting), None
            for number in waiting[1:]:
                lanes[number] = None
        yield _row(lanes, waiting[0], node.mark), node
        lanes[waiting[0]] = node.parent
        while lanes and lanes[-1] is None:
            lanes.pop()


def _free(lanes: list[str | None]) -> int:
    if None not in lanes:
        lanes.append(None)
    return lanes.index(None)


def _row(lanes: list[str | None], column: int, mark: str) -> str:
    signs = ["│" if name is not None else " " for name in lanes]
    signs[column] = mark
    return " ".join(signs).rstrip()


def _joined(lanes: list[str | None], waiting: list[int]) -> str:
    """Draw the lanes of several children running into the one of their parent."""
    first, last = waiting[0], waiting[-1]
    cells = [_joint(number, name, waiting) for number, name in enumerate(lanes)]
    gaps = ["─" if first <= number < last else " " for number in range(len(lanes))]
    return "".join(a + b for a, b in zip(cells, gaps, strict=True)).rstrip()


def _joint(number: int, name: str | None, waiting: list[int]) -> str:
    first, last = waiting[0], waiting[-1]
    if number == first:
        return "├"
    if number == last:
        return "╯"
    if number in waiting:
        return "┴"
    inside = first < number < last
    if name is None:
        return "─" if inside else " "
    return "┼" if inside else "│"
