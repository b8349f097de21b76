"""Scopes in the store: exact projects and tasks, whose parts are entities."""

from __future__ import annotations

import difflib
import sqlite3
from operator import attrgetter
from typing import NamedTuple

import attrs

from hsum._kernel.faults import Fault
from hythe.checkpoint.decide import Standing
from hythe.model import ScopeName
from hythe.observe.checks import check_name
from hythe.observe.entities import ensure_entity, resolve_entity
from hythe.observe.rows import damaged, row_digest
from hythe.observe.stamp import Stamp

__all__ = [
    "At",
    "add_scope",
    "find_scope",
    "list_scopes",
    "require_scope",
    "scope_digest",
    "scope_name",
    "spelled",
    "standing_of",
    "store_standing",
]

_NEAR = 5
_STANDING = ", ".join(field.name for field in attrs.fields(Standing))
_ASSIGNED = ", ".join(f"{field.name} = ?" for field in attrs.fields(Standing))
_values_of = attrgetter(*(field.name for field in attrs.fields(Standing)))
_SPELLED = (
    "select s.scope, p.name, t.name, s.project, s.task from scope s "
    "left join entity p on p.store = s.store and p.number = s.project "
    "left join entity t on t.store = s.store and t.number = s.task "
    "where s.store = ?"
)


class At(NamedTuple):
    """The place of a scope: what the keys of its rows begin with."""

    store: int
    scope: int


def scope_name(project: object, task: object) -> ScopeName:
    """Check the parts of a scope.

    Raises:
        Fault: `SCOPE_INVALID` without any part, `INVALID_ARGUMENT`, `TOO_LARGE`.
    """
    parts = {
        part: check_name(getattr(value, "name", value), f"$.{part}")
        for part, value in (("project", project), ("task", task))
        if value is not None
    }
    if not parts:
        raise Fault("SCOPE_INVALID", "a scope is a project, a task, or both")
    return ScopeName(**parts)


def find_scope(conn: sqlite3.Connection, store: int, name: ScopeName) -> At | None:
    """Return the place of exactly this scope, or None."""
    number: int | None = 0
    numbers = [store]
    for part in (name.project, name.task):
        number = 0 if part is None else resolve_entity(conn, store, part)
        if number is None:
            return None
        numbers.append(number)
    row = conn.execute(
        "select scope from scope where store = ? and project = ? and task = ?", numbers
    ).fetchone()
    return None if row is None else At(store, row[0])


def require_scope(conn: sqlite3.Connection, store: int, name: ScopeName) -> At:
    """Return the place of exactly this scope.

    Raises:
        Fault: `SCOPE_UNKNOWN`, with near names.
    """
    at = find_scope(conn, store, name)
    if at is None:
        near = _near(conn, store, name)
        shown = f"; near names: {', '.join(near)}" if near else ""
        raise Fault(
            "SCOPE_UNKNOWN",
            f"no scope is exactly {name}{shown}",
            details={"project": name.project, "task": name.task, "near": near},
        )
    return at


def _near(conn: sqlite3.Connection, store: int, name: ScopeName) -> list[str]:
    known = [str(found) for _, found in list_scopes(conn, store)]
    return difflib.get_close_matches(str(name), known, n=_NEAR)


def list_scopes(conn: sqlite3.Connection, store: int) -> list[tuple[At, ScopeName]]:
    """Return every scope in the order they were made."""
    rows = conn.execute(f"{_SPELLED} order by s.scope", (store,))
    return [(At(store, row[0]), ScopeName(row[1], row[2])) for row in rows]


def spelled(conn: sqlite3.Connection, at: At) -> ScopeName:
    """Return the name of a scope in the first spelling of its parts."""
    (row,) = conn.execute(f"{_SPELLED} and s.scope = ?", at)
    _, project, task, *numbers = row
    if [project is None, task is None] != [number == 0 for number in numbers]:
        raise damaged("the name of scope", str(at.scope))
    return ScopeName(project, task)


def add_scope(
    conn: sqlite3.Connection,
    stamp: Stamp,
    name: ScopeName,
    *,
    imported: int = 0,
    imported_pointer: int = 0,
) -> At:
    """Make a scope, and the entities of its parts where they are new."""
    project, task = (
        0 if part is None else ensure_entity(conn, stamp, part)
        for part in (name.project, name.task)
    )
    (number,) = conn.execute(
        "select coalesce(max(scope), 0) + 1 from scope where store = ?", (stamp.store,)
    ).fetchone()
    row = (
        number,
        project,
        task,
        imported,
        imported_pointer,
        stamp.author,
        int(stamp.proven),
        stamp.now,
    )
    conn.execute(
        "insert into scope(store, scope, project, task, imported, imported_pointer, "
        "author, proven, recorded_at, digest) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (stamp.store, *row, scope_digest(*row)),
    )
    conn.execute(
        "insert into standing(store, scope) values (?, ?)", (stamp.store, number)
    )
    return At(stamp.store, number)


def scope_digest(
    scope: int,
    project: int,
    task: int,
    imported: int,
    imported_pointer: int,
    author: str,
    proven: int,
    recorded_at: int,
) -> str:
    """Return the digest of a scope's row."""
    return row_digest(
        "scope",
        scope=scope,
        project=project,
        task=task,
        imported=imported,
        imported_pointer=imported_pointer,
        author=author,
        proven=bool(proven),
        recorded_at=recorded_at,
    )


def standing_of(conn: sqlite3.Connection, at: At) -> Standing:
    """Return where a scope stands."""
    row = conn.execute(
        f"select {_STANDING} from standing where store = ? and scope = ?", at
    ).fetchone()
    if row is None:
        raise damaged("the standing of scope", str(at.scope))
    return Standing(*row)


def store_standing(conn: sqlite3.Connection, at: At, standing: Standing) -> None:
    """Write where a scope stands."""
    conn.execute(
        f"update standing set {_ASSIGNED} where store = ? and scope = ?",
        (*_values_of(standing), *at),
    )
