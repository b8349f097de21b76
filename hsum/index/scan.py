"""Look at a root once and say what to read, what is gone and what is skipped."""

from __future__ import annotations

import errno
import os
import time
from typing import TYPE_CHECKING

import attrs

from hsum._kernel.faults import Fault
from hsum.index import seen, skips
from hsum.index.ignore import Globs
from hsum.index.rules import Rulebook
from hsum.index.seen import INDEXED, UNREAD, UNSETTLED, Folder, Signature, Unread
from hsum.index.skips import Policy, Skip
from hsum.index.walk import File, Walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hsum.index.seen import Verdict
    from hsum.model.ingest import Options

__all__ = ["File", "Outcome", "Previous", "Scan", "Signature", "scan"]

_NEARLY_ALL = 20
"""Ignored entries for each file that is left, from which the user is warned."""

_TICK_NS = 20_000_000
"""File systems stamp times by a clock that ticks this seldom at worst ..."""
_COARSE_NS = 2_000_000_000
"""... or in whole seconds, even ones on FAT."""


@attrs.frozen
class Outcome:
    """What reading a `File` gave: indexed (`skip` None) or not.

    `signature` is that of the bytes that were read.  A file that keeps its last good
    revision after a failed read has `skip` None and `settled` False: the next scan
    tries again.
    """

    signature: Signature
    skip: Skip | None = None
    settled: bool = True


@attrs.frozen
class Previous:
    """What the last scan left: one record per folder, as `Scan.records` gave it.

    Keys are folder paths relative to the root, `b""` for the root itself, else ending
    in `/`.  What is remembered of a repository goes by the name of its `.git/`.
    """

    folders: Mapping[bytes, bytes] = attrs.field(factory=dict)


@attrs.frozen
class Scan:
    """The answer of one walk; paths are relative, `/`-separated bytes, sorted.

    `changed` must be read; `unchanged` counts the indexed files that need not be, and
    `unchanged_bytes` their sizes; `vanished` were indexed and are no candidates now;
    `skips` is everything else but what reading `changed` will add.  `failed`, part of
    `skips`, could not be looked at: documents there stay, and the ingest is partial.
    """

    changed: tuple[File, ...]
    vanished: tuple[bytes, ...]
    skips: tuple[Skip, ...]
    failed: tuple[Skip, ...]
    warnings: tuple[str, ...]
    unchanged: int
    unchanged_bytes: int
    started_ns: int
    _records: Mapping[bytes, Unread | bytes | None]

    @property
    def differs(self) -> bool:
        """Tell whether anything is not as the last scan left it."""
        return bool(self._records)

    def records(
        self, outcomes: Mapping[bytes, Outcome]
    ) -> Iterator[tuple[bytes, bytes | None]]:
        """Yield (folder, record) to store and (folder, None) to delete.

        `outcomes` has the paths of `changed` that are not simply indexed, under the
        signature they were found with.  Folders that stand as they were are not named.
        """
        for path, record in sorted(self._records.items()):
            if isinstance(record, Unread):
                yield path, _completed(path, record, outcomes, self.started_ns)
            else:
                yield path, record


def _completed(
    path: bytes, unread: Unread, outcomes: Mapping[bytes, Outcome], started: int
) -> bytes:
    folder = seen.unpack(unread.record) or seen.NOTHING
    entries = dict(folder.entries)
    details = dict(folder.details)
    for name, (signature, verdict) in folder.entries.items():
        if verdict == UNREAD:
            outcome = outcomes.get(path + name) or Outcome(signature)
            entries[name] = (outcome.signature, _verdict(outcome, started))
            details[name] = outcome.skip.detail if outcome.skip else ""
    return seen.pack(Folder(folder.key, entries, details))


def _verdict(outcome: Outcome, started: int) -> Verdict:
    verdict = seen.verdict_of(outcome.skip.reason) if outcome.skip else INDEXED
    proven = outcome.settled and _settled(outcome.signature, started)
    return verdict if proven else verdict | UNSETTLED


def _settled(signature: Signature, started: int) -> bool:
    """Tell whether a later write must show in the times of this signature."""
    newest = max(signature[1], signature[2])
    coarse = not (signature[1] % 1_000_000_000 or signature[2] % 1_000_000_000)
    return newest < started - (_COARSE_NS if coarse else _TICK_NS)


def scan(
    root: bytes,
    options: Options,
    previous: Previous | None = None,
    *,
    forgotten: frozenset[bytes] = frozenset(),
    rehash: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Scan:
    """Walk `root`, following no link, and hold it against the `previous` scan.

    Args:
        root: an absolute and resolved path.
        options: what of it is wanted.
        previous: what the last scan left; without it every candidate is `changed`.
        forgotten: paths that are never indexed again.
        rehash: put every candidate into `changed`.
        progress: is told the number of files seen so far, folder by folder; what it
            raises stops the walk and passes through.

    Raises:
        Fault: `ROOT_MISSING`, `PERMISSION_DENIED`, or `INVALID_ARGUMENT` for a glob.
    """
    started = time.time_ns()
    policy = _policy(options, forgotten)
    folders = previous.folders if previous is not None else {}
    named = repr((options, sorted(forgotten))).encode()
    book = Rulebook(root, policy, named, folders)
    walk = Walk(policy, book, folders, progress, rehash=rehash)
    descriptor = _open_root(root)
    try:
        walk.enter(descriptor, b"", book.at_root())
    finally:
        os.close(descriptor)
    walk.finish()
    return _result(walk, book, started)


def _policy(options: Options, forgotten: frozenset[bytes]) -> Policy:
    return Policy(
        include=Globs(options.include),
        exclude=Globs(options.exclude),
        forgotten=forgotten,
        allow_sensitive=options.allow_sensitive,
        no_ignore=options.no_ignore,
        max_file_bytes=options.max_file_bytes,
    )


def _open_root(root: bytes) -> int:
    try:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        shown = root.decode("utf-8", "backslashreplace")
        denied = error.errno in (errno.EACCES, errno.EPERM)
        raise Fault(
            "PERMISSION_DENIED" if denied else "ROOT_MISSING",
            f"The root {shown} cannot be opened: {error.strerror}.",
        ) from error


def _result(walk: Walk, book: Rulebook, started: int) -> Scan:
    return Scan(
        changed=tuple(sorted(walk.changed, key=lambda file: file.path)),
        vanished=tuple(sorted(walk.vanished)),
        skips=tuple(sorted(walk.skips, key=lambda skip: skip.path)),
        failed=tuple(sorted(walk.failed, key=lambda skip: skip.path)),
        warnings=(*book.warnings, *_emptiness(walk)),
        unchanged=walk.unchanged,
        unchanged_bytes=walk.unchanged_bytes,
        started_ns=started,
        records=walk.records,
    )


def _emptiness(walk: Walk) -> Iterator[str]:
    ignored = sum(skip.reason == skips.IGNORED for skip in walk.skips)
    files = len(walk.changed) + walk.unchanged
    if ignored > files * _NEARLY_ALL:
        yield (
            f"The ignore rules hide nearly everything: {ignored} entries are ignored,"
            f" {files} files are left. To index them all the same, use no_ignore=True"
            " (--no-ignore)."
        )
