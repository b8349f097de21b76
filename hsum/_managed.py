"""The user's own indexes: made, found, bound to their roots, and opened."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from hsum._api import Index, open_index
from hsum._bound import BoundIndex, BoundStore, binding_of
from hsum._kernel.canonical import digest
from hsum._kernel.escape import visible_path
from hsum._kernel.faults import guarded
from hsum._kernel.files import make_private_dir, translating_os
from hsum._kernel.ids import as_ids
from hsum._kernel.lock import exclusive
from hsum._sample import sample_query
from hsum.errors import family, fault
from hsum.index.store import Store
from hsum.model import Citation, Context, Hits, IngestReport
from hsum.trust import trust_file
from hsum.trust.bindings import Binding, Bindings, granted, revoked
from hsum.trust.naming import check_name, folder_name, free_name
from hsum.trust.places import data_folder, indexes_folder
from hsum.trust.private_files import check_private_file, check_private_folder
from hsum.trust.roots import enclosing_repository, resolved
from hsum.trust.selection import DEFAULT_PROJECT, Choice, Wish, choose, is_path

if TYPE_CHECKING:
    from hsum.index.catalogue import Snapshot

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
        name = choose(Wish(), trust_file.load(), os.getcwd()).index
    folder = _existing_folder(name)
    return open_index(folder) if is_path(name) else _opened(folder)


def _opened(folder: Path, **injected: Any) -> Index:
    _check_private(folder)
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
        _check_private(folder)
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
        binding = _bind(folder, folder.name, DEFAULT_PROJECT, ids)
        return _initialized(index, binding, report)


def _initialized(index: Index, binding: Binding, report: IngestReport) -> Initialized:
    with index._store.reading() as snapshot:  # noqa: SLF001 - the library's own
        query = sample_query(snapshot)
    hits = index.search(query, limit=INIT_HITS) if query else None
    chosen = Choice(binding.index, binding.project, "explicit", binding)
    return Initialized(_context_of(chosen, (binding,)), binding, report, query, hits)


def _working_root() -> str:
    here = resolved(os.getcwd())
    return enclosing_repository(here) or here


@contextlib.contextmanager
def _turn(root: str, timeout_ms: int) -> Iterator[None]:
    """Let one process at a time initialize a root, so that it gets one index."""
    locks = make_private_dir(data_folder() / "locks")
    lock = locks / f"init-{digest(os.fsencode(root))[:32]}.lock"
    with exclusive(lock, timeout_ms=timeout_ms):
        yield


@contextlib.contextmanager
def _reserved(root: str, name: str | None) -> Iterator[Path]:
    """Give the folder of a root's index; a new one goes again when all fails."""
    known = _folder_of(root) if name is None else _named(name)
    if known is not None:
        yield known
        return
    folder = _new_folder(name or folder_name(Path(root).name), exact=name is not None)
    try:
        yield folder
    except BaseException:
        with _snapshot(folder) as snapshot:
            empty = snapshot is None or snapshot.head is None
        if empty:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
        raise


def _named(name: str) -> Path | None:
    folder = indexes_folder() / check_name(name)
    return folder if folder.exists() else None


def _new_folder(name: str, *, exact: bool) -> Path:
    parent = make_private_dir(indexes_folder())
    while True:
        free = name if exact else free_name(name, lambda n: (parent / n).exists())
        with translating_os(parent), contextlib.suppress(FileExistsError):
            (parent / free).mkdir(mode=0o700)
            return parent / free


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
            hint=f"Run `hsum trust {shown} --confirm`.",
        )
    if not os.path.isdir(where):
        raise fault("ROOT_MISSING", f"{shown} is not a folder")
    folder = _existing_folder(index) if index else _folder_of(where)
    if folder is None:
        raise fault("INDEX_NOT_FOUND", f"{shown} has no index")
    _move(folder, where)
    return _bind(folder, _name_of(folder), project, None)


def _move(folder: Path, root: str) -> None:
    with _snapshot(folder) as snapshot:
        known = snapshot.root if snapshot is not None else None
    if known != os.fsencode(root):
        with _opened(folder) as index:
            index._move(root)  # noqa: SLF001 - the library's own


def _bind(
    folder: Path, name: str, project: str, ids: Callable[[], Any] | None
) -> Binding:
    with _snapshot(folder) as snapshot:
        wanted = _binding(folder, name, _required(snapshot, name), project)
    return trust_file.update(lambda old: granted(old, wanted, as_ids(ids)))


def _binding(folder: Path, name: str, snapshot: Snapshot, project: str) -> Binding:
    return Binding(
        id="",
        root=os.fsdecode(snapshot.root or b""),
        index=name,
        index_id=str(snapshot.index_id),
        project=project,
        project_id=snapshot.project(project).project_id,
        data_path=os.fspath(folder),
    )


def revoke(binding: str | os.PathLike[str] | Binding) -> Bindings:
    """Take bindings back and return them.

    Args:
        binding: one, its UUID, or the root that it was granted for.

    Raises:
        HsumError: `NOT_TRUSTED` when nothing is bound so.
    """
    target = binding.id if isinstance(binding, Binding) else os.fspath(binding)
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
    here = resolved(directory if directory is not None else os.getcwd())
    return _context_of(cited or choose(wish, bindings, here), bindings)


def _cited(citation: str | Citation, wish: Wish, bindings: Bindings) -> Choice | None:
    if isinstance(citation, str):
        citation = Citation.parse(citation)
    project = wish.project or wish.environment_project or DEFAULT_PROJECT
    for binding in bindings:
        if binding.index_id == citation.index_id:
            return Choice(binding.index, project, "explicit")
    for folder in _folders():
        with _snapshot(folder) as snapshot:
            if snapshot is not None and snapshot.index_id == citation.index_id:
                return Choice(folder.name, project, "explicit")
    return None


def _context_of(choice: Choice, bindings: Bindings) -> Context:
    folder = _existing_folder(choice.index)
    with _snapshot(folder) as snapshot:
        if snapshot is None or snapshot.index_id is None:
            return _empty_context(choice, folder)
        wanted = _binding(folder, choice.index, snapshot, choice.project)
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


def _existing_folder(index: str) -> Path:
    """Return the directory of an index; only a managed one must be there."""
    if is_path(index):
        return Path(resolved(index))
    folder = _named(index)
    if folder is None:
        names = [known.name for known in _folders()]
        raise fault("INDEX_NOT_FOUND", f"there is no index {index!r}", known=names)
    return folder


def _name_of(folder: Path) -> str:
    managed = folder.parent == indexes_folder()
    return folder.name if managed else os.fspath(folder)


def _folders() -> list[Path]:
    """Return the directories of all managed indexes, by name."""
    parent = indexes_folder()
    with translating_os(parent):
        if not parent.is_dir():
            return []
        return sorted(path for path in parent.iterdir() if path.is_dir())


def _folder_of(root: str) -> Path | None:
    """Return the managed index that stands for a root; the first by name."""
    for folder in _folders():
        with _snapshot(folder) as snapshot:
            if snapshot is not None and snapshot.root == os.fsencode(root):
                return folder
    return None


def _required(snapshot: Snapshot | None, name: str) -> Snapshot:
    if snapshot is None or snapshot.index_id is None:
        raise fault("INDEX_NOT_FOUND", f"nothing was ever written to index {name!r}")
    return snapshot


@contextlib.contextmanager
def _snapshot(folder: Path) -> Iterator[Snapshot | None]:
    """Give what the index in a directory says now; None when there is none."""
    if folder.parent == indexes_folder():
        _check_private(folder)
    with contextlib.closing(Store(folder, read_only=True)) as store:
        if not store.exists():
            yield None
            return
        with store.reading() as snapshot:
            yield snapshot


def _check_private(folder: Path) -> None:
    check_private_folder(folder)
    check_private_file(folder / "index.sqlite")


context = guarded(family, context)
grant = guarded(family, grant)
initialize = guarded(family, initialize)
open_bound = guarded(family, open_bound)
open_managed = guarded(family, open_managed)
revoke = guarded(family, revoke)
