"""Entities, observations, relations and agents of a reference store."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import canonical
from hythe.care.reference import parsed, stamped
from hythe.identity.agents import registration_digest
from hythe.observe.rows import hash_of, row_digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hythe.care.reference import Source

__all__ = ["entity_row", "memory_rows"]

Row = dict[str, Any]

_NAME_LIMIT = 200
_NAMESPACE = uuid.UUID("5b2f6a0e-8f0c-5d1a-9a55-6f0d6a3f2f3b")


def memory_rows(source: Source) -> Iterator[tuple[str, Row]]:
    """Give what `shared_memory` knows, and who is registered."""
    found = list(source.rows("shared_memory", "created_at, rowid"))
    known = {
        kind: _of_kind(found, kind) for kind in ("entity", "observation", "relation")
    }
    other = (row["memory_type"] for row in found if row["memory_type"] not in known)
    source.skipped.update(other)
    names: dict[str, str] = {}
    for row, said in known["entity"]:
        yield from _entity(source, names, row, said)
    for kind, make in (("observation", _observation), ("relation", _relation)):
        for row, said in known[kind]:
            yield from make(source, names, row, said)
    yield from _scope_ends(source)
    yield from _agents(source)


def _of_kind(found: list[Row], kind: str) -> list[tuple[Row, Row]]:
    rows = (
        (row, parsed(row["content"])) for row in found if row["memory_type"] == kind
    )
    return [(row, said) for row, said in rows if isinstance(said, dict)]


def entity_row(
    identity: str, name: str, kind: Any, definition: str | None, who: Row
) -> Row:
    """Return an entity as a row of an export."""
    said = {
        "id": identity,
        "name": name,
        "kind": kind if isinstance(kind, str) and kind else None,
        "definition_hash": hash_of(definition.encode() if definition else None),
    }
    guard = row_digest("entity", **said, **{**who, "proven": False})
    return {**said, **who, "definition": definition or None, "digest": guard}


def _entity(
    source: Source, names: dict[str, str], row: Row, said: Row
) -> Iterator[tuple[str, Row]]:
    name = _name(said.get("name")) or row["id"]
    who = stamped(row["created_by"], row["created_at"])
    kind = said.get("entityType") or said.get("type")
    about = said.get("definition") or said.get("description") or _lines(said)
    source.entities[row["id"]] = name
    names.setdefault(name, row["id"])
    yield "entity", entity_row(row["id"], name, kind, about, who)
    # A name that stands twice means the first of them.
    aliases = said.get("aliases")
    for alias in (name, *(aliases if isinstance(aliases, list) else ())):
        shown = _name(alias)
        if names.setdefault(shown, row["id"]) == row["id"] and shown:
            yield "entity_name", {"entity": row["id"], "name": shown, **who}


def _name(value: Any) -> str:
    return value.strip()[:_NAME_LIMIT] if isinstance(value, str) else ""


def _lines(said: Row) -> str:
    lines = said.get("contents") or said.get("observations")
    lines = [lines] if isinstance(lines, str) else lines or ()
    return "\n".join(line for line in lines if isinstance(line, str))


def _named(names: dict[str, str], name: str, who: Row) -> Iterator[tuple[str, Row]]:
    """Give the entity of a name that only rows about it mention."""
    if name in names:
        return
    identity = names[name] = str(uuid.uuid5(_NAMESPACE, name))
    yield "entity", entity_row(identity, name, None, None, who)
    yield "entity_name", {"entity": identity, "name": name, **who}


def _observation(
    source: Source, names: dict[str, str], row: Row, said: Row
) -> Iterator[tuple[str, Row]]:
    name, text = _name(said.get("entityName")), _lines(said)
    if not name:
        source.skipped["observation without an entity"] += 1
        return
    who = stamped(said.get("addedBy") or row["created_by"], row["created_at"])
    yield from _named(names, name, who)
    about = said.get("metadata")
    metadata = about if isinstance(about, dict) else {}
    older = metadata.get("supersedes") or said.get("supersedes") or ()
    evidence = [
        ref for ref in metadata.get("evidenceRefs") or () if isinstance(ref, str)
    ]
    kept = [ref for ref in older if source.observed.get(ref) == name]
    source.observed[row["id"]] = name
    yield (
        "observation",
        {
            "entity": names[name],
            "id": row["id"],
            "text": text,
            "text_hash": hash_of(text.encode()),
            "kind": _name(metadata.get("kind")) or None,
            "evidence": canonical(evidence).decode(),
            "metadata": canonical(metadata).decode(),
            "supersedes": canonical(kept).decode(),
            **who,
        },
    )


def _relation(
    source: Source, names: dict[str, str], row: Row, said: Row
) -> Iterator[tuple[str, Row]]:
    ends = [_name(said.get("from")), _name(said.get("to"))]
    kind = _name(said.get("relationType") or said.get("type"))
    if not all((*ends, kind)):
        source.skipped["relation without ends"] += 1
        return
    who = stamped(row["created_by"], row["created_at"])
    for end in ends:
        yield from _named(names, end, who)
    yield (
        "relation",
        {
            "id": row["id"],
            "source": names[ends[0]],
            "type": kind,
            "target": names[ends[1]],
            "evidence": "[]",
            "evidence_hash": hash_of(b"[]"),
            **who,
        },
    )


def _scope_ends(source: Source) -> Iterator[tuple[str, Row]]:
    """Give the entities of scopes whose own rows are gone."""
    for row in source.rows("eng4_scopes", "rowid"):
        for end in (row["project_id"], row["task_id"]):
            if end is not None and end not in source.entities:
                source.entities[end] = end
                who = stamped(None, row["created_at"])
                yield "entity", entity_row(end, end, None, None, who)
                yield "entity_name", {"entity": end, "name": end, **who}


def _agents(source: Source) -> Iterator[tuple[str, Row]]:
    for row in source.rows("agent_registrations", "agent_id"):
        said = parsed(row["capabilities_json"])
        able = sorted({item for item in said or () if isinstance(item, str) and item})
        stored = {
            "agent": row["agent_id"],
            "sequence": 1,
            "capabilities": canonical(able),
            "description": (row["name"] or "").encode() or None,
            **stamped(row["registered_by"] or row["agent_id"], row["created_at"]),
        }
        guard = registration_digest(stored)
        texts = {
            name: stored[name] and stored[name].decode()
            for name in ("capabilities", "description")
        }
        yield "agent_registration", {**stored, **texts, "digest": guard}
