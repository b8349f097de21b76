"""The derived tables in the writing transaction: what an advance and a branch change.

Everything here is decided by `fold`; this module loads the few rows it needs and
stores those that it returns.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import attrs

from hythe.checkpoint.decide import Standing
from hythe.checkpoint.scopes import At
from hythe.checkpoint.view import Key, Rows, Version, View, fold

__all__ = [
    "Line",
    "accepted_values",
    "advance",
    "branch",
    "chain_of",
    "changes_in",
    "insert_line",
    "insert_versions",
    "lines_from",
    "newest_on",
    "store_view",
    "tip_values",
    "with_totals",
]

_CHUNK = 500

Stored = Sequence[tuple[Key, Version]]


class Line(NamedTuple):
    """A childless checkpoint off the accepted lineage.

    `line` is the revision that began it, `meets` where it leaves the accepted
    lineage. `retired` is the reconcile that retired its tip, or 0.
    """

    line: int
    tip: int
    meets: int
    retired: int = 0
    after_retired: bool = False


# --- reading ----------------------------------------------------------------------


def chain_of(conn: sqlite3.Connection, at: At, revision: int) -> tuple[list[int], int]:
    """Return the revisions from the accepted lineage to `revision`, and where they meet.

    The chain is oldest first and without the meeting point, which is 0 for none.
    """
    rows = conn.execute(
        "with recursive chain(revision) as (select ?3 union all "
        "select c.parent from chain join checkpoint c "
        "on c.store = ?1 and c.scope = ?2 and c.revision = chain.revision "
        "where not exists (select 1 from lineage l where l.store = ?1 "
        "and l.scope = ?2 and l.revision = chain.revision)) "
        "select revision from chain",
        (*at, revision),
    )
    found = [row[0] for row in rows]
    return found[-2::-1], found[-1]


def changes_in(
    conn: sqlite3.Connection, at: At, revisions: Sequence[int]
) -> list[tuple[Key, Version]]:
    """Return all versions written in some revisions, in the order of these."""
    return [
        ((kind, name), Version(revision, ordinal, bool(shown), source))
        for part in chunks(revisions)
        for kind, name, revision, ordinal, shown, source in conn.execute(
            "select kind, id, revision, ordinal, shown, accepted_from from version "
            f"where store = ? and scope = ? and revision in ({marks(part)}) "
            "order by revision, kind, ordinal",
            (*at, *part),
        )
    ]


def chunks(items: Sequence[int]) -> Iterator[Sequence[int]]:
    """Cut a long list into parts that fit into one statement."""
    return (items[i : i + _CHUNK] for i in range(0, len(items), _CHUNK))


def marks(part: Sequence[object]) -> str:
    """Return as many placeholders as there are items."""
    return ", ".join("?" * len(part))


def accepted_values(
    conn: sqlite3.Connection, at: At, keys: Iterable[Key]
) -> dict[Key, Version]:
    """Return the accepted versions of these keys, as far as there are any."""
    found = {}
    for key in keys:
        row = conn.execute(
            "select revision, ordinal, shown, accepted_from from accepted "
            "where store = ? and scope = ? and kind = ? and id = ?",
            (*at, *key),
        ).fetchone()
        if row is not None:
            found[key] = Version(row[0], row[1], bool(row[2]), row[3])
    return found


def newest_on(
    conn: sqlite3.Connection, at: At, revision: int, keys: Iterable[Key]
) -> dict[Key, Version]:
    """Return the newest version of these keys on the lineage of a revision."""
    chain, meets = chain_of(conn, at, revision)
    off = set(chain)
    found = {}
    for key in keys:
        rows = conn.execute(
            "select v.revision, v.ordinal, v.shown, v.accepted_from, l.revision "
            "from version v left join lineage l on l.store = v.store "
            "and l.scope = v.scope and l.revision = v.revision "
            "where v.store = ? and v.scope = ? and v.kind = ? and v.id = ? "
            "and v.revision <= ? order by v.revision desc",
            (*at, *key, revision),
        )
        for row in rows:
            if row[0] in off or (row[4] is not None and row[0] <= meets):
                found[key] = Version(row[0], row[1], bool(row[2]), row[3])
                break
    return found


def lines_from(conn: sqlite3.Connection, at: At, meets: int = 0) -> list[Line]:
    """Return the lines that leave the accepted lineage at `meets` or later."""
    rows = conn.execute(
        "select line, tip, meets, retired, after_retired from line "
        "where store = ? and scope = ? and meets >= ? order by line",
        (*at, meets),
    )
    return [_line(*row) for row in rows]


def _line(line: int, tip: int, meets: int, retired: int, after_retired: int) -> Line:
    return Line(line, tip, meets, retired, bool(after_retired))


def tip_values(conn: sqlite3.Connection, at: At, line: int) -> dict[Key, Version]:
    """Return the newest version of each id on a line."""
    rows = conn.execute(
        "select kind, id, revision, ordinal from tip_value "
        "where store = ? and scope = ? and line = ?",
        (*at, line),
    )
    return {(kind, name): Version(*rest) for kind, name, *rest in rows}


# --- writing ----------------------------------------------------------------------


def insert_versions(
    conn: sqlite3.Connection, at: At, changes: Iterable[tuple[Key, Version]]
) -> None:
    """Write the versions of one checkpoint."""
    conn.executemany(
        "insert into version(store, scope, kind, id, revision, ordinal, shown, "
        "accepted_from) values (?, ?, ?, ?, ?, ?, ?, ?)",
        [(*at, *key, *version) for key, version in changes],
    )


def advance(
    conn: sqlite3.Connection,
    at: At,
    standing: Standing,
    revision: int,
    changes: Stored,
    new_ids: Collection[str] = (),
) -> Standing:
    """Append a checkpoint to the accepted lineage; `new_ids` need no look-up."""
    conn.execute(
        "insert into lineage(store, scope, revision) values (?, ?, ?)", (*at, revision)
    )
    old = (key for key, _ in changes if key[0] != "decision" and key[1] not in new_ids)
    view, rows = fold(
        View(accepted_values(conn, at, old), totals_of(standing)), changes
    )
    store_view(conn, at, rows)
    return with_totals(
        standing,
        view,
        revision,
        {key[0] for key, _ in changes},
        revisions=revision,
        pointer=revision,
        live=max(standing.live, 1),
    )


_KINDS = {"fact": "facts", "loop": "loops", "decision": "decisions"}


def totals_of(standing: Standing) -> dict[str, int]:
    """Return how many values of each kind are shown."""
    return {kind: getattr(standing, name) for kind, name in _KINDS.items()}


def with_totals(
    standing: Standing,
    view: View,
    revision: int,
    kinds: Iterable[str],
    **others: int,
) -> Standing:
    """Return the standing with a view's totals; `kinds` changed at `revision`."""
    totals = {name: view.totals.get(kind, 0) for kind, name in _KINDS.items()}
    changed = {f"{_KINDS[kind]}_at": revision for kind in kinds}
    return attrs.evolve(standing, **totals, **changed, **others)


def store_view(conn: sqlite3.Connection, at: At, rows: Rows) -> None:
    """Write what a fold changed in the accepted view."""
    conn.executemany(
        "delete from accepted where store = ? and scope = ? and kind = ? and id = ?",
        [(*at, *key) for key in rows.gone],
    )
    conn.executemany(
        "insert or replace into accepted(store, scope, kind, id, revision, ordinal, "
        "shown, accepted_from) values (?, ?, ?, ?, ?, ?, ?, ?)",
        [(*at, *key, *version) for key, version in rows.put.items()],
    )


def branch(
    conn: sqlite3.Connection,
    at: At,
    standing: Standing,
    revision: int,
    parent: int,
    changes: Stored,
) -> Standing:
    """Append a checkpoint off the accepted lineage: to a line, or as a new one."""
    values = line_changes(changes)
    grown = _line_of_tip(conn, at, parent)
    if grown is None:
        chain, meets = chain_of(conn, at, parent)
        after = _any_retired(conn, at, chain) or 0 < standing.first_retired <= meets
        line = Line(revision, revision, meets, after_retired=after)
        values = line_changes(changes_in(conn, at, chain)) + values
    else:
        was_retired = grown.after_retired or grown.retired > 0
        line = grown._replace(tip=revision, retired=0, after_retired=was_retired)
    insert_line(conn, at, line)
    unresolved, resolved = _put_values(conn, at, line.line, revision, values)
    return attrs.evolve(
        standing,
        revisions=revision,
        live=standing.live + (grown is None or grown.retired > 0),
        divergent_at=revision,
        unresolved=standing.unresolved + unresolved,
        resolved=standing.resolved + resolved,
    )


def line_changes(changes: Stored) -> list[tuple[Key, Version]]:
    """Return what of some changes diverges: facts and loops, by place alone."""
    return [
        (key, Version(version.revision, version.ordinal))
        for key, version in changes
        if key[0] != "decision"
    ]


def _line_of_tip(conn: sqlite3.Connection, at: At, tip: int) -> Line | None:
    row = conn.execute(
        "select line, tip, meets, retired, after_retired from line "
        "where store = ? and scope = ? and tip = ?",
        (*at, tip),
    ).fetchone()
    return None if row is None else _line(*row)


def _any_retired(conn: sqlite3.Connection, at: At, revisions: Sequence[int]) -> bool:
    return any(
        conn.execute(
            "select 1 from retirement where store = ? and scope = ? "
            f"and revision in ({marks(part)}) limit 1",
            (*at, *part),
        ).fetchone()
        for part in chunks(revisions)
    )


def insert_line(conn: sqlite3.Connection, at: At, line: Line) -> None:
    """Write a line, or move its tip."""
    conn.execute(
        "insert or replace into line(store, scope, line, tip, meets, retired, "
        "after_retired) values (?, ?, ?, ?, ?, ?, ?)",
        (*at, *line),
    )


def _put_values(
    conn: sqlite3.Connection, at: At, line: int, revision: int, values: Stored
) -> tuple[int, int]:
    """Write the values of a line; return by how much (unresolved, resolved) grew.

    A version that several lines hold counts once.
    """
    before = _stored_values(conn, at, line, dict(values))
    _, rows = fold(View({key: version for key, (version, _) in before.items()}), values)
    grown = Counter[bool]()
    for key, version in rows.put.items():
        if key in before and not _is_held(conn, at, line, key, before[key][0]):
            grown[before[key][1]] -= 1
        settled = version.revision != revision and _is_settled(conn, at, key, version)
        if not _is_held(conn, at, line, key, version):
            grown[settled] += 1
        insert_tip_values(conn, at, line, {key: version}, settled=settled)
    return grown[False], grown[True]


def _stored_values(
    conn: sqlite3.Connection, at: At, line: int, keys: Iterable[Key]
) -> dict[Key, tuple[Version, bool]]:
    found = {}
    for key in keys:
        row = conn.execute(
            "select revision, ordinal, settled from tip_value where store = ? "
            "and scope = ? and line = ? and kind = ? and id = ?",
            (*at, line, *key),
        ).fetchone()
        if row is not None:
            found[key] = (Version(row[0], row[1]), bool(row[2]))
    return found


def _is_held(
    conn: sqlite3.Connection, at: At, line: int, key: Key, version: Version
) -> bool:
    """Tell whether another line has this version as its newest."""
    row = conn.execute(
        "select 1 from tip_value where store = ? and scope = ? and kind = ? "
        "and id = ? and revision = ? and line <> ? limit 1",
        (*at, *key, version.revision, line),
    ).fetchone()
    return row is not None


def _is_settled(conn: sqlite3.Connection, at: At, key: Key, version: Version) -> bool:
    """Tell whether a reconcile on the accepted lineage decided this version."""
    row = conn.execute(
        "select 1 from settlement s join lineage l on l.store = s.store "
        "and l.scope = s.scope and l.revision = s.settled_by where s.store = ? "
        "and s.scope = ? and s.kind = ? and s.id = ? and s.revision = ? limit 1",
        (*at, *key, version.revision),
    ).fetchone()
    return row is not None


def insert_tip_values(
    conn: sqlite3.Connection,
    at: At,
    line: int,
    values: Mapping[Key, Version],
    *,
    settled: bool,
) -> None:
    """Write values of a line, all settled or none."""
    conn.executemany(
        "insert or replace into tip_value(store, scope, line, kind, id, revision, "
        "ordinal, settled) values (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (*at, line, *key, version.revision, version.ordinal, int(settled))
            for key, version in values.items()
        ],
    )
