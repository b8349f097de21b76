"""A store as JSON lines: each row once, by ids that mean the same in every store.

Credentials and what proves them are never written. What is derived is not written
either: an import derives it anew.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import canonical
from hsum._kernel.faults import Fault
from hsum._kernel.files import fsync, translating_os
from hsum._kernel.sqlite_files import publish
from hythe.care.doctor import require_well
from hythe.care.model import Exported

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

__all__ = ["FORMAT", "KINDS", "export", "fields_of", "lines"]

FORMAT = "hythe-export/1"

_STAMP = "t.author, t.proven, t.recorded_at"
_ENTITY = "(select e.id from entity e where e.store = t.store and e.number = t.{})"

# Every kind of row in the order in which an import needs them. Numbers of a store
# stay out, but for those of scopes, which join the rows of one file.
KINDS = {
    "tombstone": f"""
        select t.target, t.what, t.path, t.original, t.replacement, t.salt, t.reason,
            {_STAMP}, t.digest
        from tombstone t where t.store = ? order by t.recorded_at, t.replacement""",
    "entity": f"""
        select t.id, t.name, t.kind, t.definition, t.definition_hash, {_STAMP}, t.digest
        from entity t where t.store = ? order by t.number""",
    "entity_name": f"""
        select {_ENTITY.format("entity")} as entity, t.name, {_STAMP}
        from entity_name t where t.store = ? order by t.rowid""",
    "observation": f"""
        select {_ENTITY.format("entity")} as entity, t.id, t.text,
            t.text_hash, t.kind, t.evidence, t.metadata, {_STAMP},
            (select json_group_array(o.id) from supersession s join observation o
                on o.store = s.store and o.entity = s.entity and o.sequence = s.older
                where s.store = t.store and s.entity = t.entity
                and s.newer = t.sequence) as supersedes
        from observation t where t.store = ? order by t.number""",
    "relation": f"""
        select t.id, {_ENTITY.format("source")} as source, t.type,
            {_ENTITY.format("target")} as target, t.evidence, t.evidence_hash,
            {_STAMP}
        from relation t where t.store = ? order by t.number""",
    "author_key": f"""
        select t.key, t.operation, t.fingerprint, t.result, {_STAMP}, t.digest
        from author_key t where t.store = ? order by t.author, t.key""",
    "scope": f"""
        select t.scope, {_ENTITY.format("project")} as project,
            {_ENTITY.format("task")} as task, t.imported, t.imported_pointer, {_STAMP}
        from scope t where t.store = ? order by t.scope""",
    "state": """
        select t.digest, t.body from state t where t.store = ? order by t.digest""",
    "checkpoint": f"""
        select t.scope, t.revision, t.parent, t.id, t.operation, t.outcome, {_STAMP},
            t.content_hash, t.seal, t.state, t.new_ids, t.body
        from checkpoint t where t.store = ? order by t.scope, t.revision""",
    "checkpoint_key": """
        select t.scope, t.key, t.fingerprint, t.revision
        from checkpoint_key t where t.store = ? order by t.scope, t.key""",
    "legacy": f"""
        select t.scope, t.kind, t.id, t.ordinal, t.body, {_STAMP}
        from legacy t where t.store = ? order by t.scope, t.ordinal""",
    "agent_registration": f"""
        select t.agent, t.sequence, t.capabilities, t.description, {_STAMP}, t.digest
        from agent_registration t where t.store = ? order by t.agent, t.sequence""",
    "message": f"""
        select t.id, t.handoff, t.kind, t.priority, t.thread, t.reply_to, t.scope,
            t.text, t.text_hash, t.evidence, t.address, {_STAMP},
            (select json_group_array(m.id) from message_supersession s
                join message m on m.store = s.store and m.number = s.older
                where s.store = t.store and s.newer = t.number) as supersedes
        from message t where t.store = ? order by t.number""",
    "inbox": """
        select t.recipient, t.latest, t.pruned
        from inbox_tally t where t.store = ? order by t.recipient""",
    "delivery": """
        select (select m.id from message m where m.store = t.store
            and m.number = t.message) as message, t.recipient, t.sequence,
            t.unregistered
        from delivery t where t.store = ? order by t.recipient, t.sequence""",
    "mark": f"""
        select t.recipient, t.sequence, t.fact, {_STAMP}
        from mark t where t.store = ? order by t.recipient, t.sequence, t.fact""",
}


def export(conn: sqlite3.Connection, store: int, target: Path) -> Exported:
    """Write a whole file or none, in one snapshot.

    Raises:
        Fault: `INVALID_ARGUMENT` where `target` exists, `INTEGRITY_FAILED` for a
            store that is damaged, and those of the OS.
    """
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    with translating_os(target):
        if target.exists():
            raise Fault(
                "INVALID_ARGUMENT",
                f"{target} exists already",
                details={"path": str(target)},
            )
        # An import makes digests of its own: it would take damage for what was said.
        require_well(conn, store, "the store")
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as out:
                counts, sha256 = _write(conn, store, out)
                out.flush()
                fsync(out.fileno())
            publish(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    return Exported(target, sum(counts.values()), counts, sha256)


def _write(
    conn: sqlite3.Connection, store: int, out: IO[bytes]
) -> tuple[dict[str, int], str]:
    found = hashlib.sha256()
    counts = dict.fromkeys(KINDS, 0)
    for kind, row in lines(conn, store):
        counts[kind] = counts.get(kind, 0) + (kind in KINDS)
        line = canonical({kind: row}) + b"\n"
        found.update(line)
        out.write(line)
    counts.pop("export", None)
    manifest = {"counts": counts, "rows": sum(counts.values())}
    manifest["sha256"] = found.hexdigest()
    out.write(canonical({"manifest": manifest}) + b"\n")
    return counts, found.hexdigest()


def fields_of(conn: sqlite3.Connection, kind: str) -> frozenset[str]:
    """Return the names of what is written of each row of a kind."""
    cursor = conn.execute(KINDS[kind], (None,))
    return frozenset(column[0] for column in cursor.description)


def lines(conn: sqlite3.Connection, store: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the header, and each row with its kind."""
    row = conn.execute("select id from store where store = ?", (store,)).fetchone()
    yield "export", {"format": FORMAT, "store": row and row[0]}
    for kind, query in KINDS.items():
        cursor = conn.execute(query, (store,))
        names = [column[0] for column in cursor.description]
        for values in cursor:
            shown = (
                value.decode() if isinstance(value, bytes) else value
                for value in values
            )
            yield kind, dict(zip(names, shown, strict=True))
