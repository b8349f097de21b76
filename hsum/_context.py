"""Which indexes a user has, and which one a call is about."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault, guarded
from hsum._kernel.files import translating_os
from hsum.errors import family, fault
from hsum.index.store import Store
from hsum.model import Citation, Context
from hsum.trust import trust_file
from hsum.trust.bindings import Binding, Bindings
from hsum.trust.naming import check_name
from hsum.trust.places import indexes_folder
from hsum.trust.private_files import check_private_file, check_private_folder
from hsum.trust.roots import resolved
from hsum.trust.selection import DEFAULT_PROJECT, Choice, Wish, choose, is_path

if TYPE_CHECKING:
    from hsum.index.catalogue import Snapshot

__all__ = [
    "binding_in",
    "check_private",
    "context",
    "context_of",
    "existing_folder",
    "folder_of",
    "name_of",
    "named_folder",
    "snapshot_in",
]


def context(
    *,
    index: str | None = None,
    project: str | None = None,
    citation: str | Citation | None = None,
    directory: str | os.PathLike[str] | None = None,
) -> Context:
    """Say which index and project a call is about, and why.

    Args:
        index: a managed index's name, or a directory, with a `/` in it.
        project: a project's name.
        citation: without `index`, the index that this citation names is meant when
            the user has it.
        directory: where to look from; None for the working directory.

    `HSUM_INDEX` and `HSUM_PROJECT` count after the options, then the binding of
    the nearest folder around `directory`.

    Raises:
        HsumError: `INDEX_NOT_FOUND`, `PROJECT_UNKNOWN`.
    """
    bindings = trust_file.load()
    wish = Wish(
        index, project, os.environ.get("HSUM_INDEX"), os.environ.get("HSUM_PROJECT")
    )
    cited = None if citation is None or index else _cited(citation, wish, bindings)
    if cited is not None:
        return context_of(cited, bindings)
    looks = not wish.names_index or directory is not None
    here = resolved("." if directory is None else directory) if looks else ""
    return context_of(choose(wish, bindings, here), bindings)


def _cited(citation: str | Citation, wish: Wish, bindings: Bindings) -> Choice | None:
    if isinstance(citation, str):
        citation = Citation.parse(citation)
    project = wish.project or wish.environment_project or DEFAULT_PROJECT
    for binding in bindings:
        if binding.index_id == citation.index_id:
            return Choice(binding.index, project, "explicit")
    for folder in folders():
        with snapshot_in(folder) as snapshot:
            if snapshot is not None and snapshot.index_id == citation.index_id:
                return Choice(folder.name, project, "explicit")
    return None


def context_of(choice: Choice, bindings: Bindings) -> Context:
    folder = existing_folder(choice.index)
    with snapshot_in(folder) as snapshot:
        if snapshot is None or snapshot.index_id is None:
            return _empty_context(choice, folder)
        wanted = binding_in(folder, choice.index, snapshot, choice.project)
    bound = next((b.id for b in bindings if b.scope == wanted.scope), None)
    return Context(
        index=choice.index,
        index_id=wanted.index_id,
        project=choice.project,
        project_id=wanted.project_id,
        source_root=wanted.root or None,
        binding=bound,
        selection=choice.selection,
        data_path=wanted.data_path,
    )


def _empty_context(choice: Choice, folder: Path) -> Context:
    return Context(
        index=choice.index,
        index_id=None,
        project=choice.project,
        project_id=None,
        source_root=None,
        binding=None,
        selection=choice.selection,
        data_path=os.fspath(folder),
    )


# --- where indexes are ------------------------------------------------------------


def existing_folder(index: str) -> Path:
    """Return the directory of an index; only a managed one must be there."""
    if is_path(index):
        return Path(resolved(index))
    folder = named_folder(index)
    if folder is None:
        names = [known.name for known in folders()]
        here = (
            f"For the directory {index}, give ./{index}."
            if Path(index).is_dir()
            else None
        )
        raise fault(
            "INDEX_NOT_FOUND", f"there is no index {index!r}", hint=here, known=names
        )
    return folder


def named_folder(name: str) -> Path | None:
    folder = indexes_folder() / check_name(name)
    return folder if folder.exists() else None


def name_of(folder: Path) -> str:
    managed = folder.parent == indexes_folder()
    return folder.name if managed else os.fspath(folder)


def folders() -> list[Path]:
    """Return the directories of all managed indexes, by name."""
    parent = indexes_folder()
    with translating_os(parent):
        if not parent.is_dir():
            return []
        return sorted(path for path in parent.iterdir() if path.is_dir())


def folder_of(root: str) -> Path | None:
    """Return the managed index that stands for a root; the first by name.

    One that cannot be read stands for what its bindings say, and no other root
    suffers from it.
    """
    unread: Fault | None = None
    for folder in folders():
        try:
            with snapshot_in(folder) as snapshot:
                if snapshot is not None and snapshot.root == os.fsencode(root):
                    return folder
        except Fault as exc:
            if _is_bound(folder, root):
                unread = exc
    if unread is not None:
        raise unread
    return None


def _is_bound(folder: Path, root: str) -> bool:
    return any(
        (binding.root, binding.data_path) == (root, os.fspath(folder))
        for binding in trust_file.load()
    )


# --- what is in them --------------------------------------------------------------


@contextlib.contextmanager
def snapshot_in(folder: Path) -> Iterator[Snapshot | None]:
    """Give what the index in a directory says now; None when there is none."""
    if folder.parent == indexes_folder():
        check_private(folder)
    with contextlib.closing(Store(folder, read_only=True)) as store:
        store.refuse_emptied()
        if not store.exists():
            yield None
            return
        with store.reading() as snapshot:
            yield snapshot


def check_private(folder: Path) -> None:
    check_private_folder(folder)
    check_private_file(folder / "index.sqlite")


def binding_in(folder: Path, name: str, snapshot: Snapshot, project: str) -> Binding:
    return Binding(
        id="",
        root=os.fsdecode(snapshot.root or b""),
        index=name,
        index_id=str(snapshot.index_id),
        project=project,
        project_id=snapshot.project(project).project_id,
        data_path=os.fspath(folder),
    )


context = guarded(family, context)
