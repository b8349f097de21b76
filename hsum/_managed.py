"""The user's own indexes: made, bound to their roots, and opened."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from hsum._api import Index, open_index
from hsum._bound import BoundIndex, BoundStore, binding_of
from hsum._context import (
    check_private,
    context_of,
    existing_folder,
    folder_of,
    named_folder,
    snapshot_in,
)
from hsum._grants import bind
from hsum._kernel.canonical import digest
from hsum._kernel.faults import guarded
from hsum._kernel.files import (
    make_private_dir,
    refuse_network_filesystem,
    refuse_non_utf8,
    translating_os,
)
from hsum._kernel.lock import exclusive
from hsum._sample import sample_query
from hsum.errors import family
from hsum.index.store import Store
from hsum.model import Context, Hits, IngestReport
from hsum.trust import trust_file
from hsum.trust.bindings import Binding
from hsum.trust.naming import folder_name, free_name
from hsum.trust.places import data_folder, indexes_folder
from hsum.trust.roots import enclosing_repository, resolved
from hsum.trust.selection import DEFAULT_PROJECT, Choice, Wish, choose, is_path

__all__ = ["Initialized", "initialize", "open_bound", "open_managed"]

INIT_HITS = 3


@attrs.frozen(repr=False)
class Initialized:
    """Report what `initialize` made or brought up to date.

    `hits` answer `query`, a search for a word of the root; None when no word was
    found to search for.
    """

    context: Context
    binding: Binding
    report: IngestReport
    query: str
    hits: Hits | None

    @property
    def partial(self) -> bool:
        """Tell whether some files could not be read."""
        return self.report.partial

    def __repr__(self) -> str:
        return f"<Initialized {self.context.index}: {self.report!r}>"


def open_managed(name: str | None = None) -> Index:
    """Open one of the user's own indexes.

    Args:
        name: its name; None for that of the working directory, by the binding of
            the nearest folder around it. A directory, with a `/` in it, is opened
            as by `open`.

    Raises:
        HsumError: `INDEX_NOT_FOUND`; `PERMISSION_DENIED` when its files are not
            the user's alone.
    """
    if name is None:
        name = choose(Wish(), trust_file.load(), resolved(".")).index
    folder = existing_folder(name)
    return open_index(folder) if is_path(name) else _opened(folder)


def _opened(folder: Path, **injected: Any) -> Index:
    check_private(folder)
    return Index(Store(folder, private=True, **injected))


def open_bound(binding: str | None = None) -> BoundIndex:
    """Open what a binding lets be read, and nothing else.

    Args:
        binding: its UUID; None for that of the environment's `HSUM_BINDING`.

    Raises:
        HsumError: `NOT_TRUSTED` when this user has no such binding or the index,
            its root or its project is another now.
    """
    granted = binding_of(binding or os.environ.get("HSUM_BINDING"))
    folder = Path(granted.data_path)
    if folder.parent == indexes_folder():
        check_private(folder)
    store = BoundStore(granted)
    with contextlib.ExitStack() as undo:
        undo.callback(store.close)
        with store.reading():
            undo.pop_all()
    return BoundIndex(store)


def initialize(
    root: str | os.PathLike[str] | None = None,
    *,
    name: str | None = None,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    max_file_bytes: int | None = None,
    allow: Sequence[str] = (),
    allow_sensitive: bool | None = None,
    no_ignore: bool | None = None,
    lock_timeout_ms: int = 5_000,
    progress: Callable[[Any], object] | None = None,
    clock: Callable[[], Any] | None = None,
    ids: Callable[[], Any] | None = None,
) -> Initialized:
    """Make a managed index of a root, ingest it, and bind it.

    Run again, it brings the index up to date and keeps all ids.

    Args:
        root: the folder; None for the git root around the working directory, else
            the working directory itself.
        name: the index's name; None for the folder's, with `-2` and so on when
            another root has it.
        include: as for `Index.ingest`.
        exclude: the same.
        max_file_bytes: the same.
        allow: the same.
        allow_sensitive: the same.
        no_ignore: the same.
        lock_timeout_ms: the same.
        progress: the same.
        clock: as for `open`.
        ids: the same.

    Raises:
        HsumError: what `Index.ingest` raises; a new index is then not kept.
    """
    where = resolved(root) if root is not None else _working_root()
    with (
        _turn(where, lock_timeout_ms),
        _reserved(where, name) as folder,
        _opened(folder, clock=clock, ids=ids) as index,
    ):
        report = index.ingest(
            where,
            include=include,
            exclude=exclude,
            max_file_bytes=max_file_bytes,
            allow=allow,
            allow_sensitive=allow_sensitive,
            no_ignore=no_ignore,
            lock_timeout_ms=lock_timeout_ms,
            progress=progress,
        )
        binding = bind(folder, folder.name, DEFAULT_PROJECT, ids)
        return _initialized(index, binding, report)


def _initialized(index: Index, binding: Binding, report: IngestReport) -> Initialized:
    with index._store.reading() as snapshot:  # noqa: SLF001 - the library's own
        query = sample_query(snapshot)
    hits = index.search(query, limit=INIT_HITS) if query else None
    chosen = Choice(binding.index, binding.project, "explicit", binding)
    return Initialized(context_of(chosen, (binding,)), binding, report, query, hits)


def _working_root() -> str:
    here = resolved(".")
    return enclosing_repository(here) or here


@contextlib.contextmanager
def _turn(root: str, timeout_ms: int) -> Iterator[None]:
    """Let one process at a time initialize a root, so that it gets one index."""
    refuse_non_utf8(data_folder())
    refuse_network_filesystem(data_folder())
    locks = make_private_dir(data_folder() / "locks")
    lock = locks / f"init-{digest(os.fsencode(root))[:32]}.lock"
    with exclusive(lock, timeout_ms=timeout_ms):
        yield


@contextlib.contextmanager
def _reserved(root: str, name: str | None) -> Iterator[Path]:
    """Give the folder of a root's index; a new one goes again when all fails."""
    known = folder_of(root) if name is None else named_folder(name)
    if known is not None:
        yield known
        return
    folder = _new_folder(name or folder_name(Path(root).name), exact=name is not None)
    try:
        yield folder
    except BaseException:
        with snapshot_in(folder) as snapshot:
            empty = snapshot is None or snapshot.head is None
        if empty:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
        raise


def _new_folder(name: str, *, exact: bool) -> Path:
    parent = make_private_dir(indexes_folder())
    while True:
        free = name if exact else free_name(name, lambda n: (parent / n).exists())
        with translating_os(parent), contextlib.suppress(FileExistsError):
            (parent / free).mkdir(mode=0o700)
            return parent / free


initialize = guarded(family, initialize)
open_bound = guarded(family, open_bound)
open_managed = guarded(family, open_managed)
