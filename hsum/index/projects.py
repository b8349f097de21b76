"""Named parts of an index: which paths a search or a binding may see."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault, boundary
from hsum._kernel.text import shown
from hsum.errors import family
from hsum.index.catalogue import DEFAULT_PROJECT, Snapshot
from hsum.model import Project

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hsum.index.store import Store

__all__ = ["Projects"]

_NAME = re.compile(r"[^\W_][\w.-]{0,63}")


@boundary(family)
class Projects:
    """Add, list and remove the projects of an index.

    They share bytes, revisions and passages: adding one reads nothing.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(
        self,
        name: str,
        *,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
    ) -> Project:
        """Make a project of the paths that match `include` but not `exclude`.

        The globs are gitignore patterns without negation; no `include` is everything.

        Raises:
            HsumError: `PROJECT_EXISTS`; `INVALID_ARGUMENT` for a name that is not a
                letter or digit followed by at most 63 letters, digits, `_`, `.`, `-`.
        """
        from hsum.index.survey import globs  # loads the whole scan

        _check_name(name)
        yes, no = globs(include, "include"), globs(exclude, "exclude")
        with self._store.writer(), self._store.writing() as connection:
            if any(known.name == name for known in Snapshot(connection).projects()):
                raise Fault("PROJECT_EXISTS", f"there is a project {name!r} already")
            project = Project(name, self._store.ids(), yes, no)
            connection.execute(
                "INSERT INTO project (uuid, name, include, exclude)"
                " VALUES (?, ?, ?, ?)",
                (project.project_id, name, json.dumps(yes), json.dumps(no)),
            )
        return project

    def list(self) -> tuple[Project, ...]:
        """Return all projects: `default`, then the others by name."""
        with self._store.reading() as snapshot:
            return snapshot.projects()

    def remove(self, name: str) -> Project:
        """Remove a project and return it; what it showed stays in the index.

        Raises:
            HsumError: `PROJECT_UNKNOWN`, and `INVALID_ARGUMENT` for `default`.
        """
        if name == DEFAULT_PROJECT:
            raise Fault("INVALID_ARGUMENT", "the project default cannot be removed")
        with self._store.reading() as snapshot:
            snapshot.project(name)
        with self._store.writer(), self._store.writing() as connection:
            project = Snapshot(connection).project(name)
            connection.execute("DELETE FROM project WHERE name = ?", (name,))
        return project

    def __iter__(self) -> Iterator[Project]:
        return iter(self.list())

    def __repr__(self) -> str:
        return f"<Projects {', '.join(project.name for project in self.list())}>"


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise Fault("INVALID_ARGUMENT", f"{shown(name)} cannot name a project")
