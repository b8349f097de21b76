"""A small store as HYTHE 0.1.x leaves it, written by hand."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing

PROJECT, TASK = "11111111-1111-4111-8111-111111111111", "t-gone"
KEY = f"p:{PROJECT}"

_TABLES = """
create table shared_memory (id text primary key, tenant_id text default 'default',
    memory_type text not null, content text not null, created_by text not null,
    tags text, version integer default 1, created_at datetime, updated_at datetime);
create table agent_registrations (agent_id text not null, tenant_id text not null,
    name text not null, capabilities_json text, endpoint text, metadata_json text,
    status text not null, registered_by text, created_at datetime, updated_at datetime);
create table ai_messages (id text primary key, legacy_shared_memory_id text,
    from_agent text not null, from_source text not null, to_agent text not null,
    content text not null, message_type text, priority text, created_at datetime,
    delivered_at datetime, read_at datetime, superseded_by text, superseded_at datetime,
    metadata text, tenant_id text, archived_at datetime, project_id text, task_id text,
    thread_id text);
create table session_handoffs (id text primary key, project_id text not null,
    from_agent text not null, summary text not null, open_items_json text,
    created_at datetime, consumed_at datetime, active integer, last_confirmed datetime);
create table eng4_scopes (tenant_id text, scope_key text, project_id text, task_id text,
    created_at text);
create table eng4_state_snapshots (tenant_id text, state_id text, scope_key text,
    revision integer, parent_state_id text, content_hash text, request_fingerprint text,
    idempotency_key text, author text, asserted_agent_id text, recorded_at text,
    state_json text, changes_hash text);
create table eng4_payloads (tenant_id text, content_hash text, kind text,
    media_type text, encoding text, byte_length integer, recorded_at text, body blob);
create table eng4_scope_current (tenant_id text, scope_key text, state_id text,
    advanced_at text, advanced_by text, reason text);
create table eng4_facts (tenant_id text, fact_id text, scope_key text, subject text,
    predicate text, object text, status text, author text, recorded_at text,
    effective_at text);
create table eng4_fact_refs (tenant_id text, fact_id text, ref_kind text, ref text);
create table eng4_open_loops (tenant_id text, loop_id text, scope_key text, owner text,
    status text, opened_at text, updated_at text, due_at text, blocked_on text,
    next_action text, close_json text, revision integer);
create table eng4_handoff_acks (tenant_id text, handoff_id text, agent_id text,
    acked_at text);
"""
_AT = "2026-05-01 10:00:0{}"


def payload(number, **more):
    """Return the canonical bytes of one envelope of that version."""
    state = {
        "objective": f"step {number} é",
        "status": "green",
        "owner": "planner",
        "nextActions": ["go"],
        "blockers": [],
        "guardrails": [],
    }
    said = {
        "scopeKey": KEY,
        "state": state,
        "events": [{"kind": "decision", "summary": f"chose {number}"}],
        "factChanges": [],
        "loopChanges": [],
        "evidenceRefs": ["doc:1"],
        **more,
    }
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def make(path, *, pointer=True, tenants=("default",)):
    """Write the store; return the payloads of its checkpoints by id."""
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.executescript(_TABLES)
        _memory(conn, tenants)
        made = _checkpoints(conn, pointer=pointer)
        _values(conn)
        _mail(conn)
    return made


def _memory(conn, tenants):
    rows = [
        (PROJECT, "entity", {"name": "atlas", "entityType": "project"}),
        ("e2", "entity", {"name": "billing", "aliases": ["bill"], "type": "service"}),
        ("o1", "observation", {"entityName": "billing", "contents": ["uses PG 15"]}),
        (
            "o2",
            "observation",
            {
                "entityName": "billing",
                "contents": ["uses PG 16"],
                "addedBy": "critic",
                "metadata": {"supersedes": ["o1"], "kind": "fact"},
            },
        ),
        ("o3", "observation", {"entityName": "unheard of", "contents": ["x", "y"]}),
        ("r1", "relation", {"from": "atlas", "to": "billing", "relationType": "uses"}),
        ("p1", "preference", {"anything": 1}),
    ]
    conn.executemany(
        "insert into shared_memory(id, tenant_id, memory_type, content, created_by, "
        "created_at) values (?, ?, ?, ?, 'planner', ?)",
        [
            (key, tenants[at % len(tenants)], kind, json.dumps(said), _AT.format(at))
            for at, (key, kind, said) in enumerate(rows)
        ],
    )
    conn.execute(
        "insert into agent_registrations(agent_id, tenant_id, name, capabilities_json, "
        "status, created_at) values ('critic', 'default', 'Critic', '[\"review\"]', "
        "'active', ?)",
        (_AT.format(0),),
    )


def _checkpoints(conn, *, pointer):
    conn.execute(
        "insert into eng4_scopes values ('default', ?, ?, null, ?)",
        (KEY, PROJECT, _AT.format(0)),
    )
    made = {}
    for number, parent in ((1, None), (2, "s1"), (3, "s1")):
        body = made[f"s{number}"] = payload(number)
        found = hashlib.sha256(body).hexdigest()
        conn.execute(
            "insert into eng4_payloads values ('default', ?, 'envelope', "
            "'application/json', null, ?, ?, ?)",
            (found, len(body), _AT.format(number), body),
        )
        conn.execute(
            "insert into eng4_state_snapshots values ('default', ?, ?, ?, ?, ?, 'f', ?, "
            "'planner', 'planner', ?, '{}', null)",
            (
                f"s{number}",
                KEY,
                number,
                parent,
                found,
                f"k{number}",
                _AT.format(number),
            ),
        )
    if pointer:
        conn.execute(
            "insert into eng4_scope_current values ('default', ?, 's2', ?, 'planner', "
            "'advance')",
            (KEY, _AT.format(2)),
        )
    return made


def _values(conn):
    conn.execute(
        "insert into eng4_facts values ('default', 'f1', ?, 'search', 'p95', '40 ms', "
        "'asserted', 'planner', ?, null)",
        (KEY, _AT.format(4)),
    )
    conn.execute("insert into eng4_fact_refs values ('default', 'f1', 'evidence', 'x')")
    conn.execute(
        "insert into eng4_open_loops values ('default', 'l1', ?, 'planner', 'open', ?, "
        "?, null, null, 'write the tests', null, 0)",
        (KEY, _AT.format(4), _AT.format(5)),
    )


def _mail(conn):
    for key, newer, read in (("m1", "m2", _AT.format(6)), ("m2", None, None)):
        conn.execute(
            "insert into ai_messages(id, from_agent, from_source, to_agent, content, "
            "message_type, priority, created_at, read_at, superseded_by, tenant_id, "
            "project_id) values (?, 'planner', 's', 'critic', ?, 'info', 'high', ?, ?, "
            "?, 'default', ?)",
            (key, f"text of {key}", _AT.format(int(key[1])), read, newer, PROJECT),
        )
    conn.execute(
        "insert into session_handoffs values ('h1', 'atlas', 'planner', 'go on', "
        "'[\"tests\"]', ?, null, 1, null)",
        (_AT.format(7),),
    )
