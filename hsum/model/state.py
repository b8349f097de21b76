"""What an index is and how it is: documents, projects, status, doctor, context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import attrs

from hsum.model.citation import Citation
from hsum.model.ingest import Options

Selection = Literal["explicit", "environment", "trusted_root", "path"]


@attrs.frozen(repr=False)
class Document:
    """Describe one indexed document of one generation.

    `record` is the key of a JSON-lines record, None for a whole file;
    `citation` spans all of the document; `size` is that of its revision.
    """

    path: str
    record: str | None
    source_id: str
    document_id: str
    rev: str
    size: int
    encoding: str
    passages: int
    citation: Citation

    def __repr__(self) -> str:
        record = f"#{self.record}" if self.record is not None else ""
        return f"<Document {self.path}{record}, {self.size:,} bytes>"


@attrs.frozen(repr=False)
class Project:
    """Name a part of an index by globs; no globs are everything."""

    name: str
    project_id: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def __repr__(self) -> str:
        globs = [*self.include, *(f"not {glob}" for glob in self.exclude)]
        return f"<Project {self.name}: {', '.join(globs) or 'everything'}>"


@attrs.frozen(repr=False)
class Problem:
    """Name one thing that is wrong, by a code of the catalogue or a word, with its fix."""

    code: str
    message: str
    fix: str

    def __repr__(self) -> str:
        return f"<Problem {self.code}: {self.message}>"


@attrs.frozen(repr=False)
class Status:
    """Tell how an index is; `generation` is None before the first ingest.

    `bytes` are those of the indexed documents, `disk_bytes` those of the index
    itself.  `last_ingest` is RFC 3339 in UTC.
    """

    index_id: str | None
    data_path: str | None
    source_root: str | None
    generation: int | None
    build: int | None
    documents: int = 0
    passages: int = 0
    bytes: int = 0
    disk_bytes: int = 0
    last_ingest: str | None = None
    options: Options = Options()
    projects: tuple[Project, ...] = ()
    skipped: Mapping[str, int] = attrs.field(factory=dict)
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        if self.generation is None:
            return "<Status nothing ingested yet>"
        return (
            f"<Status generation {self.generation}, {self.documents:,} documents, "
            f"{self.passages:,} passages, {len(self.problems)} problems>"
        )

    def _repr_html_(self) -> str:
        from hsum import _views

        return _views.status(self)


@attrs.frozen(repr=False)
class DoctorReport:
    """Report a full check; `problems` is empty when all is well.

    `repaired` names the derived data that was rebuilt.
    """

    problems: tuple[Problem, ...] = ()
    repaired: tuple[str, ...] = ()
    generations: int = 0
    revisions: int = 0
    blocks: int = 0
    passages: int = 0

    @property
    def healthy(self) -> bool:
        """Tell whether nothing is wrong."""
        return not self.problems

    def __repr__(self) -> str:
        state = f"{len(self.problems)} problems" if self.problems else "healthy"
        return (
            f"<DoctorReport {state}: {self.generations:,} generations, "
            f"{self.revisions:,} revisions, {self.blocks:,} blocks>"
        )

    def _repr_html_(self) -> str:
        from hsum import _views

        return _views.doctor_report(self)


@attrs.frozen(repr=False)
class Context:
    """Tell which index and project a call would use, and why.

    `binding` is None when none is involved.
    """

    index: str
    index_id: str | None
    project: str
    project_id: str | None
    source_root: str | None
    binding: str | None
    selection: Selection
    data_path: str

    def __repr__(self) -> str:
        return f"<Context {self.index}/{self.project} by {self.selection}>"
