"""What diverges from a survivor, and making its lineage the accepted one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import final

import attrs

from hythe.checkpoint.decide import Standing
from hythe.checkpoint.lines import (
    Line,
    accepted_values,
    chain_of,
    changes_in,
    chunks,
    insert_line,
    insert_tip_values,
    line_changes,
    lines_from,
    marks,
    store_view,
    tip_values,
    totals_of,
    with_totals,
)
from hythe.checkpoint.owed import Debt, Tag, owed, regrown
from hythe.checkpoint.scopes import At
from hythe.checkpoint.view import EMPTY, Change, Key, Version, View, fold

__all__ = ["Perspective", "cross", "seen_from", "settle_rows"]


@final
@attrs.frozen
class Perspective:
    """The divergent lineages of a scope, as seen from one checkpoint.

    `old` and `new` are what the accepted lineage would lose and win, oldest first,
    above their common `ancestor`; both are empty when the survivor is pointed.
    `moved` are the lines that this would change, with their values.
    """

    survivor: int
    ancestor: int
    old: Sequence[int]
    new: Sequence[int]
    moved: Mapping[Line, Mapping[Key, Version]]
    after_retired: bool
    debts: Mapping[Tag, Debt]


def seen_from(
    conn: sqlite3.Connection, at: At, standing: Standing, survivor: int
) -> Perspective:
    """Return what a reconcile onto `survivor`, a live head, owes."""
    if survivor == standing.pointer:
        return _from_pointed(conn, at, standing)
    new, ancestor = chain_of(conn, at, survivor)
    old = _accepted_above(conn, at, ancestor)
    lines = lines_from(conn, at, ancestor)
    moved = {
        line: _values(conn, at, chain)
        for line, chain in _regrown_lines(
            conn, at, lines, old, new, survivor=survivor, ancestor=ancestor
        )
    }
    if standing.pointer:
        moved[_line_of_pointed(standing, ancestor)] = _values(conn, at, old)
    kept = {
        line.tip: tip_values(conn, at, line.line)
        for line in lines_from(conn, at)
        if line.meets < ancestor
    }
    settled, rejected = _decided(conn, at, ancestor, frozenset(new))
    debts = owed(
        {**kept, **{line.tip: values for line, values in moved.items()}},
        settled=settled,
        rejected=rejected,
    )
    (line,) = (line for line in lines if line.tip == survivor)
    return Perspective(survivor, ancestor, old, new, moved, line.after_retired, debts)


def _from_pointed(conn: sqlite3.Connection, at: At, standing: Standing) -> Perspective:
    rows = conn.execute(
        "select l.tip, v.kind, v.id, v.revision, v.ordinal from tip_value v "
        "join line l on l.store = v.store and l.scope = v.scope and l.line = v.line "
        "where v.store = ? and v.scope = ? and v.settled = 0",
        at,
    )
    lines: dict[int, dict[Key, Version]] = {}
    for tip, kind, name, *place in rows:
        lines.setdefault(tip, {})[kind, name] = Version(*place)
    rejected = [
        ((kind, name), Version(*place))
        for kind, name, *place in conn.execute(_REJECTED, at)
    ]
    return Perspective(
        standing.pointer,
        standing.pointer,
        (),
        (),
        {},
        standing.first_retired > 0,
        owed(lines, settled=frozenset(), rejected=rejected),
    )


def _accepted_above(conn: sqlite3.Connection, at: At, ancestor: int) -> list[int]:
    rows = conn.execute(
        "select revision from lineage where store = ? and scope = ? "
        "and revision > ? order by revision",
        (*at, ancestor),
    )
    return [row[0] for row in rows]


def _regrown_lines(
    conn: sqlite3.Connection,
    at: At,
    lines: Iterable[Line],
    old: Sequence[int],
    new: Sequence[int],
    *,
    survivor: int,
    ancestor: int,
) -> Iterable[tuple[Line, list[int]]]:
    """Give each other line as it leaves the survivor's lineage, with its chain."""
    won = frozenset(new)
    for line in lines:
        if line.tip == survivor:
            continue
        chain, meets = chain_of(conn, at, line.tip)
        grown = regrown(chain, meets, old=old, new=won)
        shared = [revision for revision in chain if revision in won]
        yield line._replace(meets=shared[-1] if shared else ancestor), grown


def _line_of_pointed(standing: Standing, ancestor: int) -> Line:
    return Line(
        standing.pointer,
        standing.pointer,
        ancestor,
        after_retired=standing.first_retired > 0,
    )


def _values(
    conn: sqlite3.Connection, at: At, chain: Sequence[int]
) -> Mapping[Key, Version]:
    view, _ = fold(EMPTY, line_changes(changes_in(conn, at, chain)))
    return view.values


# Versions on the accepted lineage that a reconcile off it rejected, and that none
# on it has decided since.
_REJECTED = """
    select s.kind, s.id, v.revision, v.ordinal from settlement s
    join lineage a on a.store = s.store and a.scope = s.scope
        and a.revision = s.revision
    join version v on v.store = s.store and v.scope = s.scope and v.kind = s.kind
        and v.id = s.id and v.revision = s.revision
    where s.store = ?1 and s.scope = ?2 and s.decision = 'reject'
    and not exists (select 1 from lineage l where l.store = s.store
        and l.scope = s.scope and l.revision = s.settled_by)
    and not exists (select 1 from settlement t join lineage m
        on m.store = t.store and m.scope = t.scope and m.revision = t.settled_by
        where t.store = s.store and t.scope = s.scope and t.kind = s.kind
        and t.id = s.id and t.revision = s.revision)
"""


def _decided(
    conn: sqlite3.Connection, at: At, ancestor: int, new: frozenset[int]
) -> tuple[set[Tag], list[tuple[Key, Version]]]:
    """Return what reconciles on the lineage settled, and off it rejected of it."""

    def is_on(revision: int, accepted: int | None) -> bool:
        return revision in new or (accepted is not None and revision <= ancestor)

    settled: set[Tag] = set()
    rejected: list[tuple[Key, Version]] = []
    for kind, name, revision, ordinal, decision, by, *accepted in conn.execute(
        _SETTLEMENTS, at
    ):
        if is_on(by, accepted[0]):
            settled.add((kind, name, revision))
        elif decision == "reject" and is_on(revision, accepted[1]):
            rejected.append(((kind, name), Version(revision, ordinal)))
    return settled, rejected


_SETTLEMENTS = """
    select s.kind, s.id, s.revision, v.ordinal, s.decision, s.settled_by,
        l.revision, a.revision
    from settlement s
    join version v on v.store = s.store and v.scope = s.scope and v.kind = s.kind
        and v.id = s.id and v.revision = s.revision
    left join lineage l on l.store = s.store and l.scope = s.scope
        and l.revision = s.settled_by
    left join lineage a on a.store = s.store and a.scope = s.scope
        and a.revision = s.revision
    where s.store = ?1 and s.scope = ?2
"""


# --- writing ----------------------------------------------------------------------


def cross(
    conn: sqlite3.Connection, at: At, standing: Standing, view: Perspective
) -> Standing:
    """Make the survivor's lineage the accepted one.

    Every divergent value counts as settled from here on: the reconcile that calls
    this has to decide all that was owed.
    """
    crossed = _cross_view(conn, at, standing, view)
    first = standing.first_retired if standing.first_retired <= view.ancestor else 0
    conn.execute(
        "delete from lineage where store = ? and scope = ? and revision > ?",
        (*at, view.ancestor),
    )
    conn.executemany(
        "insert into lineage(store, scope, revision) values (?, ?, ?)",
        [(*at, revision) for revision in view.new],
    )
    _cross_lines(conn, at, view)
    return attrs.evolve(
        crossed,
        pointer=view.survivor,
        unresolved=0,
        resolved=_count_divergent(conn, at),
        first_retired=first or _first_retired(conn, at, view.new),
    )


def _cross_view(
    conn: sqlite3.Connection, at: At, standing: Standing, view: Perspective
) -> Standing:
    lost = dict.fromkeys(key for key, _ in changes_in(conn, at, view.old))
    changes: list[Change] = [
        (key, _newest_accepted(conn, at, key, view.ancestor)) for key in lost
    ]
    changes += changes_in(conn, at, view.new)
    known = accepted_values(conn, at, dict.fromkeys(key for key, _ in changes))
    found, rows = fold(View(known, totals_of(standing)), changes)
    store_view(conn, at, rows)
    kinds = ("fact", "loop", "decision")
    return with_totals(standing, found, standing.revisions + 1, kinds)


def _newest_accepted(
    conn: sqlite3.Connection, at: At, key: Key, last: int
) -> Version | None:
    """Return the newest version of a value on the accepted lineage up to `last`."""
    row = conn.execute(
        "select v.revision, v.ordinal, v.shown, v.accepted_from from version v "
        "join lineage l on l.store = v.store and l.scope = v.scope "
        "and l.revision = v.revision where v.store = ? and v.scope = ? "
        "and v.kind = ? and v.id = ? and v.revision <= ? "
        "order by v.revision desc limit 1",
        (*at, *key, last),
    ).fetchone()
    return None if row is None else Version(row[0], row[1], bool(row[2]), row[3])


def _cross_lines(conn: sqlite3.Connection, at: At, view: Perspective) -> None:
    for line in lines_from(conn, at, view.ancestor):
        for table in ("line", "tip_value"):
            conn.execute(
                f"delete from {table} where store = ? and scope = ? and line = ?",
                (*at, line.line),
            )
    for line, values in view.moved.items():
        insert_line(conn, at, line)
        insert_tip_values(conn, at, line.line, values, settled=True)


def _first_retired(conn: sqlite3.Connection, at: At, chain: Sequence[int]) -> int:
    for part in chunks(chain):
        (found,) = conn.execute(
            "select min(revision) from retirement where store = ? and scope = ? "
            f"and revision in ({marks(part)})",
            (*at, *part),
        ).fetchone()
        if found is not None:
            return int(found)
    return 0


def _count_divergent(conn: sqlite3.Connection, at: At) -> int:
    """Return how many divergent values there are, each counted once."""
    (found,) = conn.execute(
        "select count(*) from (select distinct kind, id, revision from tip_value "
        "where store = ? and scope = ?)",
        at,
    ).fetchone()
    return int(found)


def settle_rows(
    conn: sqlite3.Connection,
    at: At,
    standing: Standing,
    revision: int,
    decisions: Mapping[Tag, str],
) -> Standing:
    """Write the decisions of a reconcile, and retire every line."""
    conn.executemany(
        "insert into settlement(store, scope, kind, id, revision, settled_by, "
        "decision) values (?, ?, ?, ?, ?, ?, ?)",
        [(*at, *tag, revision, decision) for tag, decision in decisions.items()],
    )
    conn.execute(
        "update tip_value set settled = 1 "
        "where store = ? and scope = ? and settled = 0",
        at,
    )
    retired = _retire(conn, at, revision)
    return attrs.evolve(
        standing,
        live=1,
        retired=standing.retired + retired,
        unresolved=0,
        resolved=standing.resolved + standing.unresolved,
        divergent_at=revision,
    )


def _retire(conn: sqlite3.Connection, at: At, revision: int) -> int:
    conn.execute(
        "insert into retirement(store, scope, revision, retired_by) "
        "select store, scope, tip, ?3 from line "
        "where store = ?1 and scope = ?2 and retired = 0",
        (*at, revision),
    )
    return conn.execute(
        "update line set retired = ?3 where store = ?1 and scope = ?2 and retired = 0",
        (*at, revision),
    ).rowcount
