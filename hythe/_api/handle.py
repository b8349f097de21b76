"""What every handle on a store has: the file, and who uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import attrs

from hsum._kernel.faults import Fault
from hythe._api.damage import explained_by_damage
from hythe._api.notices import notices
from hythe._api.scope import Scope
from hythe.checkpoint.scopes import scope_name
from hythe.identity.decide import check_agent
from hythe.model import ScopeName

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from hythe._storage import Storage
    from hythe.observe.stamp import Stamp

T = TypeVar("T")
P = ParamSpec("P")


class Handle:
    """A store as used by one agent; each method is one transaction."""

    def __init__(self, storage: Storage, agent: str, *, proven: bool = False) -> None:
        self._storage = storage
        self.agent = check_agent(agent)
        self._proven = proven

    def _read(
        self,
        read: Callable[Concatenate[sqlite3.Connection, int, P], T],
        *args: P.args,
        **options: P.kwargs,
    ) -> T:
        with (
            self._storage.reading() as (conn, store),
            explained_by_damage(conn, store),
        ):
            return read(conn, store, *args, **options)

    def _write(
        self,
        write: Callable[Concatenate[sqlite3.Connection, Stamp, P], T],
        *args: P.args,
        **options: P.kwargs,
    ) -> T:
        with (
            self._storage.writing(self.agent, proven=self._proven) as (conn, stamp),
            explained_by_damage(conn, stamp.store),
        ):
            return write(conn, stamp, *args, **options)

    def _warned(self, value: Any, said: dict[str, Any]) -> Any:
        """Return the result of a write with what is to know about its content."""
        cited = [("$.evidence", said.get("evidence", ()))]
        found = notices(said, cited, self._storage.evidence)
        return attrs.evolve(value, warnings=found) if found else value


def scope_of(scope: Any) -> ScopeName:
    """Return the exact name of a scope that a caller passed.

    Raises:
        Fault: `INVALID_ARGUMENT` for what is no scope.
    """
    name = scope.name if isinstance(scope, Scope) else scope
    if not isinstance(name, ScopeName):
        raise Fault(
            "INVALID_ARGUMENT",
            f"$.scope must be a scope, not {type(scope).__name__}",
            hint="Pass store.scope(project=..., task=...).",
            details={"path": "$.scope"},
        )
    return scope_name(name.project, name.task)
