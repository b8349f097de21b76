"""Bindings, granted and taken back by the user's own word."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hsum._context import (
    binding_in,
    existing_folder,
    folder_of,
    name_of,
    snapshot_in,
)
from hsum._kernel.escape import visible_path
from hsum._kernel.faults import guarded
from hsum._kernel.ids import as_ids
from hsum.errors import family, fault
from hsum.index.store import Store
from hsum.trust import trust_file
from hsum.trust.bindings import Binding, Bindings, granted, revoked
from hsum.trust.places import indexes_folder
from hsum.trust.roots import resolved
from hsum.trust.selection import DEFAULT_PROJECT

if TYPE_CHECKING:
    from hsum.index.catalogue import Snapshot

__all__ = ["bind", "grant", "revoke"]


def grant(
    root: str | os.PathLike[str],
    *,
    confirm: bool = False,
    index: str | None = None,
    project: str = DEFAULT_PROJECT,
) -> Binding:
    """Let the index of a root be served: make its binding, or return the one it has.

    Args:
        root: the folder that may be read.
        confirm: must be True: this is the user's word, not a default.
        index: the index's name; when it stands for another root, it moves to this
            one, keeps its ids, and its old bindings end.
        project: the project that may be read; each has its own binding.

    Raises:
        HsumError: `CONFIRMATION_REQUIRED`, `INDEX_NOT_FOUND`, `ROOT_MISSING`,
            `PROJECT_UNKNOWN`.
    """
    where = resolved(root)
    shown = visible_path(where)
    if not confirm:
        raise fault(
            "CONFIRMATION_REQUIRED",
            f"whoever is given the binding can read what is indexed of {shown}",
            hint=f"Run `{_command(where, index, project)}`.",
        )
    if not os.path.isdir(where):
        raise fault(
            "ROOT_MISSING",
            f"{shown} is not a directory",
            hint="Give the path of a directory.",
        )
    folder = existing_folder(index) if index else folder_of(where)
    if folder is None:
        raise fault("INDEX_NOT_FOUND", f"{shown} has no index")
    _moved(folder, where)
    return bind(folder, name_of(folder), project, None)


def _command(root: str, index: str | None, project: str) -> str:
    words = ["hsum", "trust", visible_path(root), "--confirm"]
    words += ["--index", index] if index else []
    words += ["--project", project] if project != DEFAULT_PROJECT else []
    return shlex.join(words)


def _moved(folder: Path, root: str) -> None:
    """Record another root, without reading it; all ids stay."""
    with snapshot_in(folder) as snapshot:
        known = snapshot.root if snapshot is not None else None
    if known == os.fsencode(root):
        return
    from hsum.index.scanned import move

    private = folder.parent == indexes_folder()
    with (
        contextlib.closing(Store(folder, private=private)) as store,
        store.writer(),
        store.writing() as connection,
    ):
        move(connection, root)


def bind(
    folder: Path, name: str, project: str, ids: Callable[[], Any] | None
) -> Binding:
    """Bind the root that an index records; what is bound already keeps its id."""
    with snapshot_in(folder) as snapshot:
        wanted = binding_in(folder, name, _required(snapshot, name), project)
    return trust_file.update(lambda old: granted(old, wanted, as_ids(ids)))


def _required(snapshot: Snapshot | None, name: str) -> Snapshot:
    if snapshot is None or snapshot.index_id is None:
        raise fault("INDEX_NOT_FOUND", f"nothing was ever written to index {name!r}")
    return snapshot


def revoke(binding: str | os.PathLike[str] | Binding) -> Bindings:
    """Take bindings back and return them.

    Args:
        binding: one, its UUID, or the root that it was granted for.

    Raises:
        HsumError: `NOT_TRUSTED` when nothing is bound so.
    """
    if isinstance(binding, Binding):
        target = binding.id
    else:
        target = binding if isinstance(binding, str) else resolved(binding)
    gone = trust_file.update(lambda old: revoked(old, _target(old, target)))
    if not gone:
        raise fault(
            "NOT_TRUSTED",
            f"there is no binding {visible_path(target)}",
            hint="`hsum context` shows the binding of the working directory.",
        )
    return gone


def _target(bindings: Bindings, target: str) -> str:
    return target if any(target == b.id for b in bindings) else resolved(target)


grant = guarded(family, grant)
revoke = guarded(family, revoke)
