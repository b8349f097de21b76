"""Walk a root once and say what to read, what is gone and what is skipped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from hsum.index.skips import Skip

MAX_FILE_BYTES = 2 * 1024 * 1024

Signature = tuple[int, int, int, int, int]
"""Size, mtime_ns, ctime_ns, inode, device."""


@attrs.frozen(kw_only=True)
class ScanOptions:
    """What the user asked for; globs are gitignore patterns without negation."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_file_bytes: int = MAX_FILE_BYTES
    allow_sensitive: bool = False
    no_ignore: bool = False
    forgotten: frozenset[bytes] = frozenset()


@attrs.frozen
class File:
    """A regular file that must be read, by its path relative to the root."""

    path: bytes
    signature: Signature


@attrs.frozen
class Outcome:
    """What reading a `File` gave: indexed (`skip` None) or not.

    `signature` is the one of the bytes that were read (see `reading.read_stable`).
    A file that keeps its last good revision after a failed read has `skip` None and
    `settled` False: it is tried again by the next scan.
    """

    signature: Signature
    skip: Skip | None = None
    settled: bool = True


@attrs.frozen
class Previous:
    """What the last scan left: one opaque record per folder (`seen` rows).

    Keys are folder paths relative to the root, `b""` for the root itself, else
    ending in `/`. Store exactly what `Scan.records` yields.
    """

    folders: Mapping[bytes, bytes]


@attrs.frozen
class Scan:
    """The answer of one walk; all paths are relative, `/`-separated bytes, sorted.

    `changed` must be read; `unchanged` counts the indexed files that need not be;
    `vanished` were indexed and are no longer candidates; `skips` holds everything else
    but what reading `changed` will add. `failed` names what could not be looked at
    (also in `skips`): documents below it stay as they are, and the ingest is partial.
    """

    root: bytes
    changed: tuple[File, ...]
    vanished: tuple[bytes, ...]
    skips: tuple[Skip, ...]
    failed: tuple[Skip, ...]
    warnings: tuple[str, ...]
    unchanged: int
    unchanged_bytes: int

    def records(
        self, outcomes: Mapping[bytes, Outcome]
    ) -> Iterator[tuple[bytes, bytes | None]]:
        """Yield (folder, record) to store, and (folder, None) to delete.

        `outcomes` has one entry for every path of `changed`. Folders that did not
        change are not yielded.
        """
        raise NotImplementedError


def scan(
    root: bytes,
    options: ScanOptions,
    previous: Previous | None = None,
    *,
    rehash: bool = False,
) -> Scan:
    """Walk `root`, following no link; `rehash` makes every candidate `changed`."""
    raise NotImplementedError
