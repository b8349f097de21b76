"""Bindings as values: each says that one root may be read through one project."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from hsum._kernel.faults import Fault
from hsum._kernel.ids import is_uuid

__all__ = [
    "Binding",
    "Bindings",
    "from_json",
    "granted",
    "nearest",
    "revoked",
    "to_json",
    "within",
]

FORMAT = "hsum-trust/1"


@attrs.frozen
class Binding:
    """The user's word that `root` may be read through one project of one index.

    Attributes:
        id: the UUID that a server must be started with.
        root: the resolved root, as `os.fsdecode` gives it.
        index: the index's name; its path when it is not a managed one.
        data_path: the directory of the index.
    """

    id: str
    root: str
    index: str
    index_id: str
    project: str
    project_id: str
    data_path: str

    def __repr__(self) -> str:
        return f"<Binding {self.id} {self.index}/{self.project} -> {self.root!r}>"

    @property
    def scope(self) -> tuple[str, str, str, str]:
        """What is bound to what; the id and the names are not part of it."""
        return self.root, self.data_path, self.index_id, self.project_id


Bindings = tuple[Binding, ...]


def granted(
    bindings: Bindings, wanted: Binding, new_id: Callable[[], str]
) -> tuple[Bindings, Binding]:
    """Return the bindings with `wanted` among them, and it with its id.

    What is bound already keeps its id. An index stands for one root: bindings of
    the same index to another root end here.
    """
    kept = tuple(item for item in bindings if not _displaced(item, wanted))
    for item in kept:
        if item.scope == wanted.scope:
            same = attrs.evolve(wanted, id=item.id)
            return tuple(same if other is item else other for other in kept), same
    fresh = attrs.evolve(wanted, id=new_id())
    return (*kept, fresh), fresh


def _displaced(old: Binding, wanted: Binding) -> bool:
    same_index = (old.data_path, old.index_id) == (wanted.data_path, wanted.index_id)
    replaced = old.data_path == wanted.data_path and old.index_id != wanted.index_id
    return replaced or (same_index and old.root != wanted.root)


def revoked(bindings: Bindings, target: str) -> tuple[Bindings, Bindings]:
    """Split the bindings into those kept and those that `target` (id or root) names."""
    gone = tuple(item for item in bindings if target in (item.id, item.root))
    return tuple(item for item in bindings if item not in gone), gone


def nearest(bindings: Bindings, folder: str) -> Bindings:
    """Return the bindings of the deepest root that holds `folder`."""
    around = [item for item in bindings if within(folder, item.root)]
    depth = max((len(item.root) for item in around), default=0)
    return tuple(item for item in around if len(item.root) == depth)


def within(path: str, root: str) -> bool:
    """Tell whether `path` is `root` or below it; both absolute and resolved."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def to_json(bindings: Bindings) -> dict[str, Any]:
    """Return what `trust.json` holds."""
    ordered = sorted(bindings, key=lambda item: (item.root, item.id))
    return {"format": FORMAT, "bindings": [attrs.asdict(item) for item in ordered]}


def from_json(data: Any) -> Bindings:
    """Return the bindings that `trust.json` holds.

    Raises:
        Fault: `STORE_DAMAGED`, `SCHEMA_TOO_NEW`.
    """
    if not isinstance(data, dict) or not isinstance(data.get("format"), str):
        raise _damaged("it is not an object with a format")
    if data["format"] != FORMAT:
        raise Fault("SCHEMA_TOO_NEW", f"trust.json has format {data['format'][:40]!r}")
    rows = data.get("bindings")
    if not isinstance(rows, list):
        raise _damaged("it has no list of bindings")
    return tuple(_binding(row, number) for number, row in enumerate(rows))


def _binding(row: Any, number: int) -> Binding:
    names = [field.name for field in attrs.fields(Binding)]
    if not isinstance(row, dict) or not all(
        isinstance(row.get(name), str) for name in names
    ):
        raise _damaged(f"binding {number} is not complete")
    binding = Binding(**{name: row[name] for name in names})
    if not all(map(is_uuid, (binding.id, binding.index_id, binding.project_id))):
        raise _damaged(f"binding {number} has an id that is not a UUID")
    return binding


def _damaged(why: str) -> Fault:
    return Fault(
        "STORE_DAMAGED",
        f"trust.json is damaged: {why}",
        hint="Move the file away, then grant again: hsum trust PATH --confirm",
    )
