"""One scope: checkpoints, heads, history, what diverges, resume."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, final

import attrs

from hsum._kernel.cancellation import pause
from hsum._kernel.faults import Fault, boundary
from hsum._kernel.text import check_flag
from hythe._api.damage import explained_by_damage
from hythe._api.notices import warnings_of
from hythe.checkpoint import history, request
from hythe.checkpoint.request import Request, as_reference
from hythe.checkpoint.writing import write
from hythe.errors import family
from hythe.model import (
    Checkpoint,
    Divergent,
    Event,
    Fact,
    Head,
    History,
    Loop,
    Page,
    Plan,
    Resolution,
    ScopeName,
    State,
)
from hythe.observe.checks import check_wait

if TYPE_CHECKING:
    from hythe._storage import Storage
    from hythe.resume.bundle import Resume

Named = Checkpoint | Head | str | int
"""What names a checkpoint: a value, an id, a content hash, or a revision."""

P = ParamSpec("P")
R = TypeVar("R")

_POLL_SECONDS = 0.02


@final
@boundary(family)
class Scope:
    """An exact project, task, or project and task of one store.

    Get one from `Store.scope`; nothing is read or made until a method is called.
    """

    def __init__(
        self, storage: Storage, name: ScopeName, agent: str, *, proven: bool
    ) -> None:
        self._storage = storage
        self.name = name
        self.agent = agent
        self._proven = proven

    # --- writing ------------------------------------------------------------------

    def checkpoint(
        self,
        state: State | Mapping[str, Any],
        *,
        parent: Named | None,
        facts: Iterable[Fact | Mapping[str, Any]] = (),
        loops: Iterable[Loop | Mapping[str, Any]] = (),
        events: Iterable[Event | Mapping[str, Any]] = (),
        evidence: Iterable[Any] = (),
        key: str | None = None,
        acknowledge_retired: bool = False,
    ) -> Checkpoint:
        """Write a full state on a parent; None only for the first one of a scope.

        On the pointed checkpoint it advances the scope; on another one it branches,
        and the pointer stays. With a `key`, the same request gives the first result
        at any later time.

        Raises:
            Conflict: the parent is unknown, or none is given and history exists.
            InvalidInput: the input; `PARENT_RETIRED` without the acknowledgement.
            NotFound: `SCOPE_UNKNOWN`, `FACT_UNKNOWN`, `LOOP_UNKNOWN`.
            Taken: `KEY_REUSED`.
        """
        return self._write(
            request.write_request(
                state,
                parent=parent,
                facts=facts,
                loops=loops,
                events=events,
                evidence=evidence,
                key=key,
                acknowledge_retired=acknowledge_retired,
            )
        )

    def record(
        self,
        parent: Named | None,
        *,
        facts: Iterable[Fact | Mapping[str, Any]] = (),
        loops: Iterable[Loop | Mapping[str, Any]] = (),
        events: Iterable[Event | Mapping[str, Any]] = (),
        evidence: Iterable[Any] = (),
        key: str | None = None,
    ) -> Checkpoint:
        """Record changes on the pointed checkpoint; its state stays byte for byte.

        Raises:
            Conflict: the parent is not the pointed one; nothing is written.
            NotFound: `SCOPE_UNKNOWN`, `SCOPE_EMPTY`, `FACT_UNKNOWN`, `LOOP_UNKNOWN`.
        """
        return self._write(
            request.record_request(
                parent,
                facts=facts,
                loops=loops,
                events=events,
                evidence=evidence,
                key=key,
            )
        )

    def patch(
        self,
        parent: Named | None,
        merge_patch: Mapping[str, Any],
        *,
        facts: Iterable[Fact | Mapping[str, Any]] = (),
        loops: Iterable[Loop | Mapping[str, Any]] = (),
        events: Iterable[Event | Mapping[str, Any]] = (),
        evidence: Iterable[Any] = (),
        key: str | None = None,
    ) -> Checkpoint:
        """Merge a patch (RFC 7396) into the pointed checkpoint's state.

        The result must be a whole valid state; `merge_patch` is not changed.

        Raises:
            Conflict: the parent is not the pointed one; nothing is written.
            InvalidInput: `PATCH_INVALID` with each path.
        """
        return self._write(
            request.patch_request(
                parent,
                merge_patch,
                facts=facts,
                loops=loops,
                events=events,
                evidence=evidence,
                key=key,
            )
        )

    def reconcile(
        self,
        *,
        heads: Iterable[Named],
        pointer: Named | None,
        survivor: Named,
        state: State | Mapping[str, Any],
        reason: str,
        resolutions: Iterable[Resolution | Mapping[str, Any]] = (),
        reject_lineages: Iterable[Named] = (),
        facts: Iterable[Fact | Mapping[str, Any]] = (),
        loops: Iterable[Loop | Mapping[str, Any]] = (),
        events: Iterable[Event | Mapping[str, Any]] = (),
        evidence: Iterable[Any] = (),
        acknowledge_retired: bool = False,
        key: str | None = None,
    ) -> Checkpoint:
        """Settle every divergent value, and make the result the only live head.

        `heads` are all live heads and `pointer` the pointed one, as the caller knows
        them. `plan_reconcile` gives these arguments and the list of what is owed.

        Raises:
            Conflict: heads or pointer are others by now.
            Unresolved: owed values have no resolution; nothing is written.
            InvalidInput: a resolution of what is not owed, `DUPLICATE_ID`,
                `PARENT_RETIRED`.
        """
        return self._write(
            request.reconcile_request(
                heads=heads,
                pointer=pointer,
                survivor=survivor,
                state=state,
                reason=reason,
                resolutions=resolutions,
                reject_lineages=reject_lineages,
                facts=facts,
                loops=loops,
                events=events,
                evidence=evidence,
                acknowledge_retired=acknowledge_retired,
                key=key,
            )
        )

    def _write(self, asked: Request) -> Checkpoint:
        with (
            self._storage.writing(self.agent, proven=self._proven) as (conn, stamp),
            explained_by_damage(conn, stamp.store),
        ):
            written = write(conn, stamp, self.name, asked)
        warnings = warnings_of(asked, self._storage.evidence)
        return attrs.evolve(written, warnings=warnings) if warnings else written

    # --- reading ------------------------------------------------------------------

    def current(self) -> Checkpoint | None:
        """Return the pointed checkpoint; None where nothing is designated."""
        return self._read(history.current)

    def get(self, checkpoint: Named) -> Checkpoint:
        """Return one checkpoint by id, revision, or content hash.

        Raises:
            NotFound: no such checkpoint or scope.
            InvalidInput: `PARENT_AMBIGUOUS` for a hash that several have.
        """
        reference = as_reference(checkpoint, "$.checkpoint")
        if reference is None:
            raise Fault(
                "INVALID_ARGUMENT",
                "$.checkpoint must name a checkpoint",
                details={"path": "$.checkpoint"},
            )
        return self._read(history.get, reference)

    def heads(self, *, limit: int = 100, cursor: str | None = None) -> Page[Head]:
        """Return live heads (no child, not retired), newest first."""
        return self._read(history.heads, limit=limit, cursor=cursor)

    def history(
        self,
        *,
        limit: int = 50,
        cursor: str | None = None,
        after: int | None = None,
        wait: float = 0,
    ) -> History:
        """Return checkpoints, newest first.

        With `after`, those of a higher revision, oldest first; `wait` then blocks
        for up to that many seconds until there is one, whichever process writes it.
        """
        if seconds := check_wait(wait):
            self._await(after, seconds)
        return self._read(history.history, limit=limit, cursor=cursor, after=after)

    def _await(self, after: int | None, wait: float) -> None:
        if type(after) is not int:
            raise Fault(
                "INVALID_ARGUMENT",
                "wait is for something after a revision: after must name one",
                details={"path": "$.wait"},
            )
        deadline = time.monotonic() + wait
        while self._read(history.newest_revision) <= after:
            left = deadline - time.monotonic()
            if left <= 0:
                return
            pause(min(_POLL_SECONDS, left))

    def divergent(
        self, *, resolved: bool = False, limit: int = 100, cursor: str | None = None
    ) -> Page[Divergent]:
        """Return values off the accepted lineage, newest first.

        Args:
            resolved: those that a reconcile settled, instead of the unresolved ones.
            limit: how many at most, 1 to 1,000.
            cursor: `next` of the page before.
        """
        return self._read(
            history.divergent,
            resolved=check_flag(resolved, "$.resolved"),
            limit=limit,
            cursor=cursor,
        )

    def plan_reconcile(self, survivor: Named | None = None) -> Plan:
        """Read what a reconcile would have to settle, by default on the pointed one.

        Raises:
            NotFound: the survivor is no live head; the scope is unknown or empty.
        """
        reference = as_reference(survivor, "$.survivor")
        return self._read(history.plan_reconcile, reference)

    def resume(
        self,
        *,
        budget: int = 4_000,
        sections: Iterable[str] | None = None,
        cursor: str | None = None,
        result_version: int = 3,
        count_tokens: Callable[[str], int] | None = None,
        evidence_timeout_ms: int = 500,
        verify: bool = False,
    ) -> Resume:
        """Rebuild working context under a hard token budget; changes nothing.

        Args:
            budget: the most tokens, 512 or more, of the greater of `str(result)` and
                its compact wire JSON.
            sections: names of those wanted; all eleven by default.
            cursor: `next` of an earlier result: continue one section, and only that.
            result_version: 3, or 1 for the older flat view without provenance.
            count_tokens: counts the tokens of a text; the default never counts fewer
                than o200k.
            evidence_timeout_ms: how long to wait for the state of cited evidence.
            verify: rebuild the view from the checkpoints, to prove nothing is missing.

        Raises:
            InvalidInput: the arguments; `BUDGET_TOO_SMALL` names the minimum.
            NotFound: `SCOPE_UNKNOWN`.
            Stale: the section that the cursor continues has changed.
            Damaged: `INTEGRITY_FAILED`, a value is not what its checkpoint says.
        """
        from hythe.resume import request as resume_requests
        from hythe.resume import store as resume_store

        asked = resume_requests.resume_request(
            budget=budget,
            sections=sections,
            cursor=cursor,
            result_version=result_version,
            count_tokens=count_tokens,
            evidence_timeout_ms=evidence_timeout_ms,
            verify=verify,
        )
        evidence = self._storage.evidence
        draft = self._read(
            resume_store.draft,
            asked,
            agent=self.agent,
            now=self._storage.clock(),
            has_resolver=evidence is not None,
        )
        return resume_store.finish(draft, evidence)

    def _read(
        self,
        function: Callable[Concatenate[sqlite3.Connection, int, ScopeName, P], R],
        *args: P.args,
        **options: P.kwargs,
    ) -> R:
        with (
            self._storage.reading() as (conn, store),
            explained_by_damage(conn, store),
        ):
            return function(conn, store, self.name, *args, **options)

    def __repr__(self) -> str:
        return f"<Scope {self.name} as {self.agent}>"
