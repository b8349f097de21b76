"""Read an index: one snapshot of its SQLite file, whatever is written meanwhile."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from hsum._kernel.clock import rfc3339
from hsum._kernel.faults import Fault
from hsum._kernel.text import shown
from hsum.index import blocks
from hsum.index.damage import reading_stored
from hsum.index.decode import ENCODINGS
from hsum.index.packing import unpack
from hsum.index.plan import Live
from hsum.index.seen import Signature, signature_in, unsealed
from hsum.model import Citation, Generation, Options, Project, Skip

if TYPE_CHECKING:
    from hsum.index.passages import Passage

__all__ = ["Head", "Snapshot", "Totals", "Version", "checked"]

DEFAULT_PROJECT = "default"
_GONE = {"pruned": "EVIDENCE_PRUNED", "forgotten": "EVIDENCE_FORGOTTEN"}


class Head(NamedTuple):
    """What is published: the generation and where its lexical index is.

    `files` are the SHA-256 of the lexical files by name; `dead` counts the passages
    deleted since the build.
    """

    generation: int
    build: int
    directory: str
    files: Mapping[str, str]
    lexical_version: int
    dead: int


class Version(NamedTuple):
    """One document as it stood from one generation to another.

    It has `passages` passages of its cut, from `first` on; `revision` and `cut` are
    ids of rows, `rev` the SHA-256 in hex.  `to_generation` is None while it is live;
    `gone` tells why the bytes are (`pruned`, `forgotten`), and is None while they are
    kept.
    """

    key: int
    source_id: str
    document_id: str
    record: str
    path: bytes
    revision: int
    rev: str
    size: int
    encoding: str
    cut: int
    first: int
    passages: int
    from_generation: int
    to_generation: int | None
    gone: str | None


class Totals(NamedTuple):
    """How much is live."""

    documents: int
    passages: int
    bytes: int


_VERSIONS = """
    SELECT version.id, source.uuid, document.uuid, document.record, version.path,
           revision.id, lower(hex(revision.sha256)), revision.size, revision.encoding,
           version.cut, version.first, version.passages,
           version.from_generation, version.to_generation,
           coalesce(source.gone, revision.gone)
    FROM version
    JOIN document ON document.id = version.document
    JOIN source ON source.id = document.source
    JOIN revision ON revision.id = version.revision
"""

_LIVES = """
    SELECT version.id, source.path, document.id, document.uuid, document.record,
           lower(hex(revision.sha256)), revision.size, version.passages
    FROM source
    JOIN document ON document.source = source.id
    JOIN version ON version.document = document.id AND version.to_generation IS NULL
    JOIN revision ON revision.id = version.revision
    WHERE source.path = ?
    ORDER BY version.id
"""


@lru_cache(maxsize=16)
def _hashes(files: str) -> Mapping[str, str]:
    """Return the hashes of a head, which every search reads, alike for long."""
    found: dict[str, str] = json.loads(files)
    return MappingProxyType(found)


class Snapshot:
    """One read transaction of an index.

    It answers as of the moment it was taken, and lives no longer than the `with`
    of `Database.reading` that gave its connection.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    # --- what the index is --------------------------------------------------------

    @cached_property
    def _meta(self) -> dict[str, Any]:
        rows = self._connection.execute("SELECT name, value FROM meta")
        with reading_stored("what the index says of itself"):
            return {name: json.loads(value) for name, value in rows}

    @property
    def index_id(self) -> str | None:
        """The index's UUID; None before the first write."""
        return self._meta.get("index_id")

    @property
    def root(self) -> bytes | None:
        """The resolved root, as the file system spells it."""
        root = self._meta.get("root")
        return None if root is None else os.fsencode(root)

    @property
    def options(self) -> Options:
        """What the last ingest was told to index."""
        recorded = self._meta.get("options")
        with reading_stored("the options"):
            return Options() if recorded is None else _options(recorded)

    @property
    def commit(self) -> str | None:
        """The commit that was checked out at the last ingest, where there was one."""
        return self._meta.get("commit")

    @cached_property
    def head(self) -> Head | None:
        """What is published; None before the first generation."""
        row = self._connection.execute(
            "SELECT generation, build, directory, files, lexical_version, dead"
            " FROM head"
        ).fetchone()
        with reading_stored("the head"):
            return Head._make(row)._replace(files=_hashes(row[3])) if row else None

    def require_head(self) -> Head:
        """Return what is published, or raise `NO_GENERATION`."""
        if self.head is None:
            raise Fault("NO_GENERATION", "nothing has been ingested yet")
        return self.head

    # --- projects -----------------------------------------------------------------

    def projects(self) -> tuple[Project, ...]:
        """Return all projects, `default` first, then by name."""
        rows = self._connection.execute(
            "SELECT name, uuid, include, exclude FROM project ORDER BY id > 1, name"
        )
        with reading_stored("the list of projects"):
            return tuple(
                Project(name, uuid, tuple(json.loads(yes)), tuple(json.loads(no)))
                for name, uuid, yes, no in rows
            )

    def project(self, name: str = DEFAULT_PROJECT) -> Project:
        """Return the project of this name, or raise `PROJECT_UNKNOWN`."""
        known = self.projects()
        for project in known:
            if project.name == name:
                return project
        names = [project.name for project in known]
        raise Fault(
            "PROJECT_UNKNOWN",
            f"the index has no project {shown(name)}",
            details={
                "project": name if isinstance(name, str) else shown(name),
                "projects": names,
            },
        )

    # --- versions -----------------------------------------------------------------

    def versions(self, keys: Iterable[int]) -> dict[int, Version]:
        """Return versions by key, live or not; unknown keys are left out."""
        listed = json.dumps(sorted(set(keys)))
        rows = self._connection.execute(
            f"{_VERSIONS} WHERE version.id IN (SELECT value FROM json_each(?))",
            (listed,),
        )
        return {row[0]: _version(row) for row in rows}

    def live(self) -> Iterator[Version]:
        """Yield all live versions by path, then record."""
        return self._each(
            "WHERE version.to_generation IS NULL ORDER BY version.path, document.record"
        )

    def paths(self) -> Iterator[tuple[int, bytes, int]]:
        """Yield key, path and number of passages of each live version."""
        return self._connection.execute(
            "SELECT id, path, passages FROM version WHERE to_generation IS NULL"
        )

    def at(self, generation: int) -> Iterator[Version]:
        """Yield the versions of a generation by path, then record."""
        return self._each(
            "WHERE version.from_generation <= ?1"
            " AND coalesce(version.to_generation > ?1, 1)"
            " ORDER BY version.path, document.record",
            generation,
        )

    def of_revision(self, revision: int) -> Iterator[Version]:
        """Yield the live versions with these bytes."""
        return self._each(
            "WHERE version.to_generation IS NULL AND version.revision = ?"
            " ORDER BY version.path, document.record",
            revision,
        )

    def latest(self, path: bytes) -> Version | None:
        """Return the newest version that stood at a path, live or not."""
        query = "WHERE version.path = ? ORDER BY version.id DESC LIMIT 1"
        return next(self._each(query, path), None)

    def lives(self, paths: Iterable[bytes]) -> dict[bytes, tuple[Live, ...]]:
        """Return what is live at each of some paths; the others are left out."""
        found = {}
        for path in paths:
            rows = self._connection.execute(_LIVES, (path,)).fetchall()
            if rows:
                found[path] = tuple(map(Live._make, rows))
        return found

    def sources(self, paths: Iterable[bytes]) -> frozenset[bytes]:
        """Return those of some paths that a source has, live or not."""
        query = "SELECT 1 FROM source WHERE path = ?"
        return frozenset(
            path
            for path in paths
            if self._connection.execute(query, (path,)).fetchone()
        )

    def seen(self) -> dict[bytes, bytes]:
        """Return what the last scan left, by folder."""
        rows = self._connection.execute("SELECT folder, body FROM seen")
        records = ((folder, unsealed(stored)) for folder, stored in rows)
        return {folder: record for folder, record in records if record is not None}

    def folder(self, folder: bytes) -> bytes | None:
        """Return what the last scan left of a folder, as it is stored: sealed."""
        row = self._connection.execute(
            "SELECT body FROM seen WHERE folder = ?", (folder,)
        ).fetchone()
        return row[0] if row else None

    def signature(self, path: bytes) -> Signature | None:
        """Return the stat signature of an indexed file at the last scan."""
        folder, slash, name = path.rpartition(b"/")
        stored = self.folder(folder + slash)
        record = unsealed(stored) if stored else None
        return signature_in(record, name) if record else None

    def forgotten(self) -> frozenset[bytes]:
        """Return the paths that may never be indexed again."""
        return frozenset(
            path for (path,) in self._connection.execute("SELECT path FROM forgotten")
        )

    def _each(self, where: str, *values: object) -> Iterator[Version]:
        for row in self._connection.execute(f"{_VERSIONS} {where}", values):
            yield _version(row)

    def resolve(self, citation: Citation) -> Version:
        """Return the newest version that a citation's ids and `rev` name together.

        Raises:
            Fault: `EVIDENCE_NOT_FOUND` also for a span beyond the revision;
                `EVIDENCE_PRUNED`, `EVIDENCE_FORGOTTEN`.
        """
        if citation.index_id != self.index_id:
            raise _not_found(citation, "another index made it")
        version = self.cited(citation)
        if version is None or citation.end > version.size:
            raise _not_found(citation, "no such bytes were indexed")
        if version.gone is not None:
            with reading_stored("why a revision is gone"):
                code = _GONE[version.gone]
            raise Fault(
                code,
                f"the cited bytes were {version.gone}",
                details={"citation": str(citation)},
            )
        return version

    def cited(self, citation: Citation) -> Version | None:
        """Return the newest version that a citation's ids and `rev` name, or None."""
        return next(
            self._each(
                "WHERE document.uuid = ? AND source.uuid = ? AND revision.sha256 = ?"
                " ORDER BY version.id DESC LIMIT 1",
                citation.document_id,
                citation.source_id,
                bytes.fromhex(citation.rev),
            ),
            None,
        )

    # --- bytes and passages -------------------------------------------------------

    def read(self, version: Version, start: int, end: int) -> bytes:
        """Return the half-open span of a version's revision, checked by hash.

        Inflates the blocks that hold the span and no others.

        Raises:
            Fault: `INTEGRITY_FAILED`.
        """
        return self._body(version.revision, start, end)

    def _body(self, revision: int, start: int, end: int) -> bytes:
        if start == end:
            return b""
        rows = self._connection.execute(
            "SELECT id, sha256, body FROM block WHERE id BETWEEN ? AND ? ORDER BY id",
            blocks.block_ids(revision, start, end),
        )
        return blocks.joined(map(blocks.Block._make, rows), start, end)

    def whole(self, version: Version) -> bytes:
        """Return all bytes of a version's revision, checked by hash."""
        return self.read(version, 0, version.size)

    def passages(self, version: Version) -> Sequence[Passage]:
        """Return all passages of a version's revision; ordinals index them.

        A record of a JSON-lines file has those from `first` on, `passages` of them.
        """
        found = self.cuts((version.cut,))
        with reading_stored(f"version {version.key}"):
            return checked(version, found[version.cut])

    def span(self, version: Version) -> tuple[int, int]:
        """Return the half-open span of a document in its revision."""
        if not version.record:
            return 0, version.size
        passages = self.passages(version)
        own = passages[version.first : version.first + version.passages]
        with reading_stored(f"version {version.key}"):
            return own[0].start, own[-1].end

    def cuts(self, ids: Iterable[int]) -> dict[int, tuple[Passage, ...]]:
        """Return the passages of several cuts by the cut's id."""
        rows = self._connection.execute(
            "SELECT id, body FROM cut WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(set(ids))),),
        )
        with reading_stored("a cut"):
            return {key: unpack(body) for key, body in rows}

    # --- counts and lists ---------------------------------------------------------

    def totals(self) -> Totals:
        """Return how much is live."""
        row = self._connection.execute(
            "SELECT documents, passages, bytes FROM generation"
            " ORDER BY number DESC LIMIT 1"
        ).fetchone()
        return Totals._make(row or (0, 0, 0))

    def kept_revisions(self) -> int:
        """Count the revisions whose bytes are kept."""
        (count,) = self._connection.execute(
            "SELECT count(*) FROM revision WHERE gone IS NULL"
        ).fetchone()
        return int(count)

    def last_digest(self) -> str | None:
        """Return the digest of the newest generation."""
        row = self._connection.execute(
            "SELECT digest FROM generation ORDER BY number DESC LIMIT 1"
        ).fetchone()
        return row[0] if row else None

    def skipped(self) -> dict[str, int]:
        """Return how many paths the last scan left out, by reason."""
        return dict(self._meta.get("skipped", {}))

    def skips(self) -> tuple[Skip, ...]:
        """Return the paths that the last scan left out, by path."""
        rows = self._connection.execute(
            "SELECT path, reason, detail FROM skip ORDER BY path"
        )
        found = tuple(Skip(os.fsdecode(row[0]), *row[1:]) for row in rows)
        if Counter(skip.reason for skip in found) != self.skipped():
            raise Fault(
                "STORE_DAMAGED", "the list of what is left out lacks some of it"
            )
        return found

    def generations(self) -> tuple[Generation, ...]:
        """Return all generations, oldest first."""
        rows = self._connection.execute(
            "SELECT number, committed_at, added, changed, renamed, dropped,"
            " documents, passages, bytes, digest FROM generation ORDER BY number"
        )
        with reading_stored("the list of generations"):
            return tuple(Generation(row[0], rfc3339(row[1]), *row[2:]) for row in rows)


def checked(version: Version, passages: Sequence[Passage]) -> Sequence[Passage]:
    """Return the passages of a cut if the version's own are among them."""
    if 0 <= version.first <= version.first + version.passages <= len(passages):
        return passages
    raise Fault("STORE_DAMAGED", f"version {version.key} has passages that are none")


def _version(row: tuple[Any, ...]) -> Version:
    version = Version._make(row)
    if version.encoding not in ENCODINGS:
        raise Fault("STORE_DAMAGED", f"version {version.key} has no known encoding")
    return version


def _options(recorded: dict[str, object]) -> Options:
    named = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in recorded.items()
    }
    return Options(**named)  # type: ignore[arg-type]


def _not_found(citation: Citation, why: str) -> Fault:
    return Fault(
        "EVIDENCE_NOT_FOUND",
        f"no evidence has this citation here: {why}",
        details={"citation": str(citation)},
    )
