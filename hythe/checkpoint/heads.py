"""Live heads: the checkpoints that work can go on from."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import attrs

from hsum._kernel.clock import micros, rfc3339
from hsum._kernel.faults import Fault
from hythe.checkpoint.decide import Refused, Standing
from hythe.checkpoint.scopes import At
from hythe.checkpoint.store import id_of
from hythe.model import Head
from hythe.observe.rows import damaged, moment

__all__ = ["conflict", "live_heads", "live_revisions", "retired_revisions"]

_SHOWN = 100
_LAST = 2**63 - 1

_HEADS = """
    with head(tip, current, after_retired) as (
        select tip, 0, after_retired from line
            where store = ?1 and scope = ?2 and retired = 0
        union all
        select pointer, 1, first_retired > 0 from standing
            where store = ?1 and scope = ?2 and pointer > 0)
    select c.id, h.tip, c.author, c.recorded_at, h.current, h.after_retired
    from head h left join checkpoint c
        on c.store = ?1 and c.scope = ?2 and c.revision = h.tip
    where h.tip < ?3 order by h.tip desc limit ?4
"""


def live_heads(
    conn: sqlite3.Connection, at: At, *, limit: int, before: int = _LAST
) -> list[Head]:
    """Return live heads, newest first.

    Raises:
        Fault: `INTEGRITY_FAILED` for one whose checkpoint is not to be found.
    """
    return list(map(_head_of, conn.execute(_HEADS, (*at, before, limit))))


def _head_of(row: Sequence[Any]) -> Head:
    identity, revision, author, recorded_at, current, after = row
    if identity is None:  # an index that is damaged leaves rows out
        raise damaged("the checkpoint of revision", revision)
    return Head(
        identity, revision, author, moment(recorded_at), bool(current), bool(after)
    )


def live_revisions(conn: sqlite3.Connection, at: At, standing: Standing) -> set[int]:
    """Return the revisions of all live heads."""
    rows = conn.execute(
        "select tip from line where store = ? and scope = ? and retired = 0", at
    )
    found = {row[0] for row in rows}
    return found | {standing.pointer} if standing.pointer else found


def retired_revisions(conn: sqlite3.Connection, at: At) -> set[int]:
    """Return every checkpoint that a reconcile ever retired."""
    rows = conn.execute(
        "select revision from retirement where store = ? and scope = ?", at
    )
    return {row[0] for row in rows}


def conflict(
    conn: sqlite3.Connection, at: At, standing: Standing, refused: Refused
) -> Fault:
    """Return the conflict, with all that a retry needs."""
    heads = live_heads(conn, at, limit=_SHOWN)
    pointed = f"revision {standing.pointer}" if standing.pointer else "none"
    live = "1 head is" if standing.live == 1 else f"{standing.live} heads are"
    return Fault(
        "CONFLICT",
        f"{', '.join(refused.reasons)}: the pointer is {pointed}, and {live} live",
        details={
            "reasons": list(refused.reasons),
            "pointer": id_of(conn, at, standing.pointer),
            "pointer_revision": standing.pointer or None,
            "heads": list(map(_as_data, heads)),
            "head_count": standing.live,
        },
    )


def _as_data(head: Head) -> dict[str, Any]:
    recorded_at = rfc3339(micros(head.recorded_at))
    return {**attrs.asdict(head), "recorded_at": recorded_at}
