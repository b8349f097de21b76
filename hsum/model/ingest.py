"""What an ingest takes and reports, and the generations it commits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import attrs

Phase = Literal["scan", "read", "lexical", "commit"]


@attrs.frozen(repr=False)
class Options:
    """Say what of the root is indexed.

    Recorded with the index; each holds until it is given again.  Globs are
    gitignore patterns without negation.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_file_bytes: int = 2 * 1024 * 1024
    allow_sensitive: bool = False
    no_ignore: bool = False

    def __repr__(self) -> str:
        named = attrs.asdict(self)
        defaults = attrs.asdict(type(self)())
        given = (
            f"{key}={value!r}" for key, value in named.items() if value != defaults[key]
        )
        return f"<Options {', '.join(given) or 'default'}>"


@attrs.frozen(repr=False)
class Skip:
    """Name one path that is not indexed, and why.

    A path that ends in `/` is a folder that was not entered; it counts once.
    """

    path: str
    reason: str
    detail: str = ""

    def __repr__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"<Skip {self.path}: {self.reason}{detail}>"


@attrs.frozen(repr=False)
class Change:
    """Name one document that an ingest adds, changes, moves or drops."""

    kind: Literal["added", "changed", "renamed", "dropped"]
    path: str
    was: str | None = None

    def __repr__(self) -> str:
        was = f" from {self.was}" if self.was else ""
        return f"<Change {self.kind} {self.path}{was}>"


@attrs.frozen(repr=False)
class Progress:
    """Tell how far an ingest is; `total` is None while it is not known.

    What a progress callback raises stops the ingest, which writes nothing.
    """

    phase: Phase
    done: int
    total: int | None = None

    def __repr__(self) -> str:
        return f"<Progress {self.phase} {self.done:,}/{self.total or '?'}>"


@attrs.frozen(repr=False)
class IngestReport:
    """Report one ingest.

    `added`, `changed`, `renamed` and `dropped` count documents.  `discovered`
    files are the `indexed` ones and the sum of `skipped`.  `failed` files kept
    their last good revision.  With `dry_run`, `generation` is the one that
    stands and nothing was written.
    """

    generation: int | None
    unchanged: bool = False
    added: int = 0
    changed: int = 0
    renamed: int = 0
    dropped: int = 0
    documents: int = 0
    passages: int = 0
    bytes: int = 0
    discovered: int = 0
    indexed: int = 0
    skipped: Mapping[str, int] = attrs.field(factory=dict)
    failed: tuple[Skip, ...] = ()
    warnings: tuple[str, ...] = ()
    dry_run: bool = False
    changes: tuple[Change, ...] = ()

    @property
    def partial(self) -> bool:
        """Tell whether some files could not be read."""
        return bool(self.failed)

    def __repr__(self) -> str:
        head = "dry run" if self.dry_run else f"generation {self.generation}"
        state = (
            "unchanged"
            if self.unchanged
            else (f"+{self.added} ~{self.changed + self.renamed} -{self.dropped}")
        )
        failed = f", {len(self.failed)} failed" if self.failed else ""
        skipped = sum(self.skipped.values())
        return f"<IngestReport {head}: {state}, {skipped} skipped{failed}>"

    def _repr_html_(self) -> str:
        from hsum import _views

        return _views.ingest_report(self)


@attrs.frozen(repr=False)
class Generation:
    """Describe one atomic snapshot of the root.

    `committed_at` is RFC 3339 in UTC.  `digest` chains it to all before it.
    """

    number: int
    committed_at: str
    added: int
    changed: int
    renamed: int
    dropped: int
    documents: int
    passages: int
    bytes: int
    digest: str

    def __repr__(self) -> str:
        return (
            f"<Generation {self.number}: +{self.added} "
            f"~{self.changed + self.renamed} -{self.dropped}, "
            f"{self.documents:,} documents, {self.committed_at}>"
        )
