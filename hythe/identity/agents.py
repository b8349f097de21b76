"""Registered agents: each registration is kept, the newest one counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hsum._kernel import cursors
from hsum._kernel.canonical import canonical
from hythe.identity.audit import is_enrolled
from hythe.identity.model import Agent
from hythe.model import Page
from hythe.observe.rows import (
    damaged,
    hash_of,
    insert_row,
    moment,
    row_digest,
    strays,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from hythe.observe.stamp import Stamp

__all__ = [
    "capable_agents",
    "get_agent",
    "is_registered",
    "list_agents",
    "point_to_newest",
    "problems",
    "register",
    "registered_agents",
    "registration_digest",
]


def register(
    conn: sqlite3.Connection,
    stamp: Stamp,
    agent: str,
    capabilities: tuple[str, ...],
    description: str | None,
) -> Agent:
    """Register an agent, or state anew what it can do; the same again writes nothing."""
    known = get_agent(conn, stamp.store, agent)
    wanted = tuple(sorted(set(capabilities)))
    if known and (known.capabilities, known.description) == (wanted, description):
        return known
    sequence = _current(conn, stamp.store, agent) + 1
    _insert(conn, stamp, agent, sequence, (wanted, description))
    _point(conn, stamp.store, agent, sequence, wanted)
    return _load(conn, stamp.store, agent, sequence)


def get_agent(conn: sqlite3.Connection, store: int, agent: str) -> Agent | None:
    """Return a registered agent, or None."""
    sequence = _current(conn, store, agent)
    return _load(conn, store, agent, sequence) if sequence else None


def is_registered(conn: sqlite3.Connection, store: int, agent: str) -> bool:
    """Tell whether an agent of exactly this id is registered."""
    return _current(conn, store, agent) > 0


def registered_agents(conn: sqlite3.Connection, store: int) -> list[str]:
    """Return the ids of all registered agents, in order."""
    rows = conn.execute(
        "select agent from agent where store = ? order by agent", (store,)
    )
    return [row[0] for row in rows]


def capable_agents(
    conn: sqlite3.Connection, store: int, capabilities: Sequence[str]
) -> list[str]:
    """Return the ids of the registered agents that have all of the capabilities."""
    rows = conn.execute(
        "select agent from agent_capability where store = ? and capability in "
        "(select value from json_each(?)) group by agent having count(*) = ? "
        "order by agent",
        (store, json.dumps(list(capabilities)), len(set(capabilities))),
    )
    return [row[0] for row in rows]


def list_agents(
    conn: sqlite3.Connection,
    store: int,
    *,
    capabilities: Sequence[str],
    limit: int,
    cursor: str | None,
) -> Page[Agent]:
    """Return registered agents in the order of their ids."""
    after = (
        cursors.decode("agents", cursor, after=str)["after"]
        if cursor is not None
        else ""
    )
    ids = (
        capable_agents(conn, store, capabilities)
        if capabilities
        else registered_agents(conn, store)
    )
    left = [agent for agent in ids if agent > after]
    page = left[:limit]
    return Page(
        tuple(
            _load(conn, store, agent, _current(conn, store, agent)) for agent in page
        ),
        cursors.encode("agents", {"after": page[-1]}) if len(left) > limit else None,
    )


# --- rows ---------------------------------------------------------------------------


def _insert(
    conn: sqlite3.Connection,
    stamp: Stamp,
    agent: str,
    sequence: int,
    content: tuple[tuple[str, ...], str | None],
) -> None:
    row: dict[str, Any] = {
        "store": stamp.store,
        "agent": agent,
        "sequence": sequence,
        "capabilities": canonical(content[0]),
        "description": None if content[1] is None else content[1].encode(),
        **stamp.fields,
    }
    insert_row(conn, "agent_registration", {**row, "digest": registration_digest(row)})


def registration_digest(row: dict[str, Any]) -> str:
    """Return the digest of a row."""
    return row_digest(
        "agent_registration",
        agent=row["agent"],
        sequence=row["sequence"],
        capabilities=hash_of(row["capabilities"]),
        description=hash_of(row["description"]),
        author=row["author"],
        proven=bool(row["proven"]),
        recorded_at=row["recorded_at"],
    )


def _point(
    conn: sqlite3.Connection,
    store: int,
    agent: str,
    sequence: int,
    capabilities: tuple[str, ...],
) -> None:
    conn.execute(
        "insert or replace into agent values (?, ?, ?)", (store, agent, sequence)
    )
    conn.execute(
        "delete from agent_capability where store = ? and agent = ?", (store, agent)
    )
    conn.executemany(
        "insert into agent_capability(store, capability, agent) values (?, ?, ?)",
        [(store, capability, agent) for capability in capabilities],
    )


def point_to_newest(conn: sqlite3.Connection, store: int, agent: str) -> None:
    """Derive what counts of an agent from its newest registration."""
    sequence, said = conn.execute(
        "select sequence, capabilities from agent_registration "
        "where store = ? and agent = ? order by sequence desc limit 1",
        (store, agent),
    ).fetchone()
    _point(conn, store, agent, sequence, tuple(json.loads(said)))


def _current(conn: sqlite3.Connection, store: int, agent: str) -> int:
    row = conn.execute(
        "select sequence from agent where store = ? and agent = ?", (store, agent)
    ).fetchone()
    return 0 if row is None else int(row[0])


_COLUMNS = (
    "agent", "sequence", "capabilities", "description", "author", "proven",
    "recorded_at", "digest",
)  # fmt: skip
_SELECT = f"select {', '.join(_COLUMNS)} from agent_registration where store = ?"


def _load(conn: sqlite3.Connection, store: int, agent: str, sequence: int) -> Agent:
    found = conn.execute(
        f"{_SELECT} and agent = ? and sequence = ?", (store, agent, sequence)
    )
    row = dict(zip(_COLUMNS, found.fetchone(), strict=True))
    if registration_digest(row) != row["digest"]:
        raise damaged("the registration of", agent)
    about = row["description"]
    return Agent(
        agent,
        tuple(json.loads(row["capabilities"])),
        None if about is None else about.decode(),
        row["author"],
        bool(row["proven"]),
        moment(row["recorded_at"]),
        is_enrolled(conn, store, agent),
    )


def problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each registration that is not as it was written."""
    for found in conn.execute(_SELECT, (store,)).fetchall():
        row = dict(zip(_COLUMNS, found, strict=True))
        if registration_digest(row) != row["digest"]:
            yield f"registration {row['sequence']} of {row['agent']} is not as written"
    rows = conn.execute(
        "select a.agent, a.sequence, count(r.agent), coalesce(max(r.sequence), 0) "
        "from (select store, agent, sequence from agent union all "
        "select distinct store, agent, 0 from agent_registration s where not exists "
        "(select 1 from agent b where b.store = s.store and b.agent = s.agent)) a "
        "left join agent_registration r on r.store = a.store and r.agent = a.agent "
        "where a.store = ? group by a.agent",
        (store,),
    )
    for agent, current, count, last in rows:
        if not count == last == current:
            yield f"registrations of {agent} are missing: {count} of {current}"
    yield from _capability_problems(conn, store)


def _capability_problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    held = ("agent", "agent")
    yield from strays(conn, store, ("agent_capability",), "agent", held)
    for agent, sequence in conn.execute(
        "select agent, sequence from agent where store = ?", (store,)
    ).fetchall():
        said = conn.execute(
            "select capabilities from agent_registration "
            "where store = ? and agent = ? and sequence = ?",
            (store, agent, sequence),
        ).fetchone()
        listed = conn.execute(
            "select capability from agent_capability where store = ? and agent = ? "
            "order by capability",
            (store, agent),
        )
        if said and json.loads(said[0]) != [row[0] for row in listed]:
            yield f"the capabilities of {agent} are listed wrongly"
