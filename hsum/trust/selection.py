"""Which index and project a call is about, decided from what was said and where."""

from __future__ import annotations

import attrs

from hsum._kernel.faults import Fault
from hsum.model import Selection
from hsum.trust.bindings import Binding, Bindings, nearest

__all__ = ["DEFAULT_PROJECT", "Choice", "Wish", "choose"]

DEFAULT_PROJECT = "default"
_NAMED = 5  # indexes that a hint names


@attrs.frozen
class Wish:
    """What the caller said: options first, then the environment."""

    index: str | None = None
    project: str | None = None
    environment_index: str | None = None
    environment_project: str | None = None

    @property
    def names_index(self) -> bool:
        """Whether an index is named, so that no folder needs to decide."""
        return bool(self.index or self.environment_index)


@attrs.frozen
class Choice:
    """The index and project that a call is about.

    Attributes:
        index: a managed index's name, or a directory when it holds a `/`.
        selection: `explicit`, `environment`, `trusted_root` or `path`.
        binding: the binding that decided, when one did.
    """

    index: str
    project: str
    selection: Selection
    binding: Binding | None = None


def choose(wish: Wish, bindings: Bindings, folder: str) -> Choice:
    """Decide by option, then environment, then the nearest bound root around `folder`.

    Raises:
        Fault: `INDEX_NOT_FOUND` when nothing names an index, `INVALID_ARGUMENT`
            when the nearest root has several indexes.
    """
    project = wish.project or wish.environment_project
    if wish.index:
        selection: Selection = "path" if is_path(wish.index) else "explicit"
        return Choice(wish.index, project or DEFAULT_PROJECT, selection)
    if wish.environment_index:
        return Choice(wish.environment_index, project or DEFAULT_PROJECT, "environment")
    bound = nearest(bindings, folder)
    if not bound:
        raise _unbound(bindings, folder)
    return _by_folder(bound, project)


def is_path(index: str) -> bool:
    """Tell a directory from a managed index's name."""
    return isinstance(index, str) and ("/" in index or index in (".", "..", "~"))


def _unbound(bindings: Bindings, folder: str) -> Fault:
    known = sorted({item.index for item in bindings})
    names = f" ({', '.join(known[:_NAMED])}{', ...' if known[_NAMED:] else ''})"
    return Fault(
        "INDEX_NOT_FOUND",
        f"no index is bound to {folder} or a folder around it",
        hint="Make one with `hsum init`, or name one with --index"
        f"{names if known else ''}.",
        details={"known": known},
    )


def _by_folder(bound: Bindings, project: str | None) -> Choice:
    indexes = sorted({item.index for item in bound})
    if len(indexes) > 1:
        raise Fault(
            "INVALID_ARGUMENT",
            f"{bound[0].root} has several indexes: {', '.join(indexes)}",
            hint=f"Name one: --index {indexes[0]}",
            details={"indexes": indexes},
        )
    return _of_index(bound, project)


def _of_index(bound: Bindings, project: str | None) -> Choice:
    by_project = {item.project: item for item in bound}
    if project is None:
        usual = DEFAULT_PROJECT if DEFAULT_PROJECT in by_project else None
        project = usual or (
            next(iter(by_project)) if len(by_project) == 1 else DEFAULT_PROJECT
        )
    return Choice(bound[0].index, project, "trusted_root", by_project.get(project))
