"""Look before anything is written: the root, the options, what the walk found."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from hsum._kernel.faults import Fault
from hsum._kernel.files import as_path
from hsum._kernel.text import check_text
from hsum.index import guards
from hsum.index.catalogue import Head, Totals
from hsum.index.git import enclosing
from hsum.index.ignore import Globs
from hsum.index.plan import Live
from hsum.index.scan import Previous, Scan, scan
from hsum.model import Options, Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from hsum.index.catalogue import Snapshot
    from hsum.index.store import Store

__all__ = ["Request", "Survey", "checked_out", "given", "globs", "survey"]

_MOST_FILE_BYTES = 1024**3


@attrs.frozen(kw_only=True)
class Request:
    """What an ingest was asked for; `options` holds those that were given."""

    root: str | bytes | os.PathLike[str] | None = None
    options: Mapping[str, Any] = attrs.field(factory=dict)
    allow: Collection[str] = ()
    rebind: bool = False
    dry_run: bool = False
    rehash: bool = False
    lock_timeout_ms: int = 5_000
    progress: Callable[[Progress], object] | None = None

    def tell(self, phase: Any, done: int, total: int | None = None) -> None:
        """Call the progress callback; what it raises passes through."""
        if self.progress is not None:
            self.progress(Progress(phase, done, total))


def given(
    *,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    max_file_bytes: int | None = None,
    allow_sensitive: bool | None = None,
    no_ignore: bool | None = None,
) -> dict[str, Any]:
    """Return the options that were given, checked.

    Raises:
        Fault: `INVALID_ARGUMENT`.
    """
    options = {
        "include": None if include is None else globs(include, "include"),
        "exclude": None if exclude is None else globs(exclude, "exclude"),
        "max_file_bytes": max_file_bytes,
        "allow_sensitive": allow_sensitive,
        "no_ignore": no_ignore,
    }
    if max_file_bytes is not None:
        _check_size(max_file_bytes)
    for name in ("allow_sensitive", "no_ignore"):
        if not isinstance(options[name], bool | None):
            raise Fault("INVALID_ARGUMENT", f"{name} is True or False")
    return {name: value for name, value in options.items() if value is not None}


def globs(patterns: Sequence[str], name: str) -> tuple[str, ...]:
    """Return patterns as a tuple; one text is one pattern.

    Raises:
        Fault: `INVALID_ARGUMENT`, `TEXT_INVALID`.
    """
    if not isinstance(patterns, Iterable):
        raise Fault(
            "INVALID_ARGUMENT",
            f"{name} must be a list of patterns, not {type(patterns).__name__}",
            details={"path": f"$.{name}"},
        )
    listed = (patterns,) if isinstance(patterns, str) else tuple(patterns)
    for at, pattern in enumerate(listed):
        check_text(pattern, f"{name}[{at}]", limit=4_096)
    Globs(listed)
    return listed


def _check_size(size: object) -> None:
    whole = isinstance(size, int) and not isinstance(size, bool)
    if not whole or not 0 < int(size) <= _MOST_FILE_BYTES:  # type: ignore[call-overload]
        raise Fault("INVALID_ARGUMENT", f"max_file_bytes is 1 to {_MOST_FILE_BYTES:,}")


@attrs.frozen
class Survey:
    """What stands in the index, and what the walk of the root found."""

    root: bytes
    options: Options
    recorded_root: bytes | None
    recorded_options: Options | None
    commit: str | None
    recorded_commit: str | None
    head: Head | None
    totals: Totals
    scan: Scan
    lives: Mapping[bytes, tuple[Live, ...]]
    sources: Collection[bytes]

    @property
    def idle(self) -> bool:
        """Tell whether there is nothing to read, drop or record."""
        return not (
            self.head is None
            or self.scan.changed
            or self.scan.vanished
            or self.root != self.recorded_root
            or self.options != self.recorded_options
            or self.commit != self.recorded_commit
            or any(True for _ in self.scan.records({}))
        )


def survey(store: Store, request: Request) -> Survey:
    """Walk the root and hold what was found against the index.

    Raises:
        Fault: `ROOT_MISMATCH`, `ROOT_MISSING`, `INVALID_ARGUMENT`,
            `CONFIRMATION_REQUIRED`; nothing was written.
    """
    guards.confirm((), request.allow)
    with store.reading() as snapshot:
        root = _root(snapshot, request)
        options = attrs.evolve(snapshot.options, **request.options)
        guards.confirm([guards.broad_root(root, _home())], request.allow)
        request.tell("scan", 0)
        found = scan(
            root,
            _sparing(options, _own_folder(store, root)),
            Previous(snapshot.seen()),
            forgotten=snapshot.forgotten(),
            rehash=request.rehash,
            progress=lambda done: request.tell("scan", done),
        )
        surveyed = _held_against(snapshot, root, options, found)
    _confirm_size(found, request.allow)
    return surveyed


def _held_against(
    snapshot: Snapshot, root: bytes, options: Options, found: Scan
) -> Survey:
    changed = [file.path for file in found.changed]
    stands = snapshot.head is not None
    return Survey(
        root=root,
        options=options,
        recorded_root=snapshot.root,
        recorded_options=snapshot.options if stands else None,
        commit=checked_out(root),
        recorded_commit=snapshot.commit,
        head=snapshot.head,
        totals=snapshot.totals(),
        scan=found,
        lives=snapshot.lives([*changed, *found.vanished]) if stands else {},
        sources=snapshot.sources(changed) if stands else frozenset(),
    )


def checked_out(root: bytes) -> str | None:
    """Return the commit that git has checked out around the root; None for none."""
    repository = enclosing(root)
    return repository.commit() if repository else None


def _confirm_size(found: Scan, allow: Collection[str]) -> None:
    files = found.unchanged + len(found.changed)
    size = found.unchanged_bytes + sum(file.signature[0] for file in found.changed)
    guards.confirm([guards.large(files, size)], allow)


def _root(snapshot: Snapshot, request: Request) -> bytes:
    recorded = snapshot.root
    given = recorded if request.root is None else request.root
    if given is None:
        raise Fault(
            "INVALID_ARGUMENT",
            "the first ingest needs a root",
            hint="Name the directory to index: ingest('~/code/project').",
        )
    # The recorded one too: a link may stand where it was.
    root = _resolved(given)
    if recorded not in (None, root) and not request.rebind:
        raise _mismatch(recorded, root)
    if not os.path.isdir(root):
        raise Fault(
            "ROOT_MISSING",
            f"the root {_shown(root)} is not a directory",
            # The recorded one may come back; another was never there.
            hint=None if root == recorded else "Give the path of a directory.",
            details={"root": _shown(root)},
        )
    return root


def _mismatch(recorded: bytes, root: bytes) -> Fault:
    return Fault(
        "ROOT_MISMATCH",
        f"the index belongs to {_shown(recorded)}, not to {_shown(root)}",
        details={"recorded": _shown(recorded), "given": _shown(root)},
    )


def _resolved(root: str | bytes | os.PathLike[str]) -> bytes:
    return os.fsencode(os.path.realpath(as_path(root, "$.root")))


def _home() -> bytes | None:
    home = os.path.expanduser(b"~")
    return os.path.realpath(home) if home != b"~" else None


def _sparing(options: Options, own: tuple[str, ...]) -> Options:
    return attrs.evolve(options, exclude=(*options.exclude, *own))


def _own_folder(store: Store, root: bytes) -> tuple[str, ...]:
    """Return a pattern for the index's own directory, where it is below the root."""
    folder = Path(os.path.realpath(store.folder))
    base = Path(os.fsdecode(root))
    if not folder.is_relative_to(base) or folder == base:
        return ()
    below = folder.relative_to(base).as_posix()
    return ("/" + "".join(_escaped(letter) for letter in below) + "/",)


def _escaped(letter: str) -> str:
    return f"\\{letter}" if letter in "\\*?[]! " else letter


def _shown(path: bytes) -> str:
    return os.fsdecode(path)
