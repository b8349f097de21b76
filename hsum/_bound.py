"""An index seen through a binding: the bound project's documents and no others."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import attrs

from hsum._api import Index
from hsum._kernel.faults import boundary
from hsum._kernel.text import shown
from hsum.errors import family, fault
from hsum.index.ignore import Globs
from hsum.index.projects import Projects
from hsum.index.store import Store
from hsum.model import (
    Citation,
    Context,
    DoctorReport,
    Document,
    Evidence,
    Generation,
    Hits,
    Skip,
    Status,
)
from hsum.trust import trust_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hsum.index.catalogue import Snapshot
    from hsum.model import Project
    from hsum.model.check import CheckReport
    from hsum.trust.bindings import Binding

__all__ = ["BoundIndex", "BoundStore", "binding_of"]


def binding_of(binding_id: str | None) -> Binding:
    """Return a binding of this user as it stands now.

    Raises:
        HsumError: `NOT_TRUSTED` when there is none of this id.
    """
    for binding in trust_file.load():
        if binding.id == binding_id:
            return binding
    named = (
        f"there is no binding {shown(binding_id)}"
        if binding_id
        else "no binding is given"
    )
    raise fault("NOT_TRUSTED", f"{named}: nothing may be read")


@final
class BoundStore(Store):
    """The files of an index, read only while the binding stands and still fits."""

    def __init__(self, binding: Binding) -> None:
        super().__init__(Path(binding.data_path), read_only=True)
        self.binding = binding

    @contextlib.contextmanager
    def reading(self) -> Iterator[Snapshot]:
        """Give one snapshot after both the binding and the index have agreed.

        Raises:
            HsumError: `NOT_TRUSTED`.
        """
        granted = binding_of(self.binding.id)
        if not self.exists():
            raise _refusal(granted, "its index is gone")
        with super().reading() as snapshot:
            if granted.scope != self._scope(snapshot):
                raise _refusal(granted, "its index, root or project is another now")
            yield snapshot

    def _scope(self, snapshot: Snapshot) -> tuple[str, str, str, str]:
        root = os.fsdecode(snapshot.root or b"")
        ids = [project.project_id for project in snapshot.projects()]
        bound = self.binding.project_id
        project_id = bound if bound in ids else ""
        return root, os.fspath(self.folder), str(snapshot.index_id), project_id


def _refusal(binding: Binding, why: str) -> Exception:
    return fault(
        "NOT_TRUSTED",
        f"binding {binding.id} does not hold: {why}",
        hint=f"Run `hsum trust {shlex.quote(binding.root)} --confirm`.",
        root=binding.root.encode("utf-8", "backslashreplace").decode(),
        index=binding.index,
        project=binding.project,
    )


def _whole(verb: str) -> Exception:
    return fault(
        "PERMISSION_DENIED",
        f"{verb} is about the whole index, and a binding shows one project",
        hint="Open the index itself.",
    )


@final
@boundary(family)
class BoundProject(Projects):
    """The projects of an index as a binding shows them: its own."""

    _store: BoundStore

    def list(self) -> tuple[Project, ...]:
        """Return the bound project."""
        bound = self._store.binding.project_id
        return tuple(item for item in super().list() if item.project_id == bound)


@final
@boundary(family)
class BoundIndex(Index):
    """An index that shows one project and writes nothing.

    Each call looks whether the binding still stands; a revoked one is `NOT_TRUSTED`.
    A document of another project is as unknown as one that never was.
    """

    _store: BoundStore

    def context(self) -> Context:
        """Say which index and project the binding lets be read.

        Raises:
            HsumError: `NOT_TRUSTED`.
        """
        with self._store.reading() as snapshot:
            project = self._bound_project(snapshot)
            return Context(
                index=self._store.binding.index,
                index_id=snapshot.index_id,
                project=project.name,
                project_id=project.project_id,
                source_root=os.fsdecode(snapshot.root or b"") or None,
                binding=self._store.binding.id,
                selection="explicit",
                data_path=os.fspath(self._store.folder),
            )

    def search(self, query: str, **options: Any) -> Hits:
        """Find passages of the bound project, as `Index.search` does.

        Raises:
            HsumError: also `PROJECT_UNKNOWN` for any other project.
        """
        project = self._project()
        asked = options.pop("project", project)
        if asked != project:
            raise fault("PROJECT_UNKNOWN", f"there is no project {asked!r} here")
        hits = super().search(query, project=project, **options)
        if self._shows_all():
            return hits
        searched = attrs.evolve(hits.searched, skipped=self._left_out())
        return attrs.evolve(hits, searched=searched)

    def get(self, citation: Citation | str, **options: Any) -> Evidence:
        """Return the bytes of a citation of the bound project."""
        from hsum.retrieve.get import get

        self._require(citation)
        cited = citation if isinstance(citation, Citation) else Citation.parse(citation)
        return get(self._store, cited, project=self._project(), **options)

    def check(self, text: str) -> CheckReport:
        """Judge the citations of a text; other projects' documents are unknown."""
        from hsum.check.stored import check_text

        with self._store.reading() as snapshot:
            sees = self._sight(snapshot)
        return check_text(self._store, text, allowed=sees)

    def documents(self, generation: int | None = None) -> tuple[Document, ...]:
        """Return the documents of the bound project, by path."""
        found = super().documents(generation)
        with self._store.reading() as snapshot:
            sees = self._sight(snapshot)
        return tuple(item for item in found if sees(os.fsencode(item.path)))

    def skipped(self) -> tuple[Skip, ...]:
        """Return what the last scan left out of the bound project, by path."""
        found = super().skipped()
        with self._store.reading() as snapshot:
            sees = self._sight(snapshot)
        return tuple(item for item in found if sees(os.fsencode(item.path)))

    def status(self) -> Status:
        """Describe the index; what is counted of its content is the bound project's."""
        whole = super().status()
        if self._shows_all():
            return attrs.evolve(whole, projects=self.projects.list())
        shown = self.documents()
        return attrs.evolve(
            whole,
            documents=len(shown),
            passages=sum(item.passages for item in shown),
            bytes=sum({item.path: item.size for item in shown}.values()),
            skipped=self._left_out(),
            projects=self.projects.list(),
        )

    def generations(self) -> tuple[Generation, ...]:
        """Return the generations, whose counts are of the whole index.

        Raises:
            HsumError: `PERMISSION_DENIED` where the project is a part of it.
        """
        if not self._shows_all():
            raise _whole("generations")
        return super().generations()

    def doctor(self, *, repair: bool = False) -> DoctorReport:
        """Check the whole index.

        Raises:
            HsumError: `PERMISSION_DENIED` where the project is a part of it.
        """
        if not self._shows_all():
            raise _whole("doctor")
        return super().doctor(repair=repair)

    @property
    def projects(self) -> BoundProject:
        """The bound project alone."""
        return BoundProject(self._store)

    def backup(self, *_: Any, **__: Any) -> Any:
        """Refuse: a copy would hold every project."""
        raise _whole("backup")

    def forget(self, *_: Any, **__: Any) -> Any:
        """Refuse: it names documents of every project."""
        raise _whole("forget")

    def __contains__(self, citation: object) -> bool:
        if not super().__contains__(citation):
            return False
        return self._shows(citation)

    def __len__(self) -> int:
        return len(self.documents())

    def _left_out(self) -> dict[str, int]:
        return dict(Counter(item.reason for item in self.skipped()))

    def _shows_all(self) -> bool:
        """Tell whether the bound project is all of the index."""
        with self._store.reading() as snapshot:
            project = self._bound_project(snapshot)
        return not (project.include or project.exclude)

    def _project(self) -> str:
        """Return the bound project's name, which may have changed since."""
        with self._store.reading() as snapshot:
            return self._bound_project(snapshot).name

    def _bound_project(self, snapshot: Snapshot) -> Project:
        """Return the project of the binding; `reading` has found it."""
        return next(
            project
            for project in snapshot.projects()
            if project.project_id == self._store.binding.project_id
        )

    def _require(self, citation: object) -> None:
        if not self._shows(citation):
            raise fault(
                "EVIDENCE_NOT_FOUND",
                "no such bytes were indexed",
                citation=str(citation),
            )

    def _shows(self, citation: object) -> bool:
        cited = citation if isinstance(citation, Citation) else Citation.parse(citation)  # type: ignore[arg-type]
        with self._store.reading() as snapshot:
            version = snapshot.cited(cited)
            return version is not None and self._sight(snapshot)(version.path)

    def _sight(self, snapshot: Snapshot) -> Any:
        project = self._bound_project(snapshot)
        within, without = Globs(project.include), Globs(project.exclude)
        return lambda path: (
            (not within or within.matches(path))
            and not (without and without.matches(path))
        )
