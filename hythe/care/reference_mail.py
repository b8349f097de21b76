"""Messages and handoffs of a reference store."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import canonical
from hythe.care.reference import parsed, stamped
from hythe.mail.model import PRIORITIES
from hythe.observe.rows import hash_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hythe.care.reference import Source

__all__ = ["mail_rows"]

Row = dict[str, Any]


def mail_rows(source: Source) -> Iterator[tuple[str, Row]]:
    """Give messages, then handoffs, with who has read or acknowledged them."""
    post = list(source.rows("ai_messages", "created_at, rowid"))
    handed = list(source.rows("session_handoffs", "created_at, rowid"))
    everyone = {row["agent_id"] for row in source.rows("agent_registrations", "rowid")}
    acknowledged: dict[str, dict[str, Any]] = {}
    for row in source.rows("eng4_handoff_acks", "rowid"):
        acknowledged.setdefault(row["handoff_id"], {})[row["agent_id"]] = row[
            "acked_at"
        ]
    places: Counter[str] = Counter()
    sent: set[str] = set()
    for row in post:
        yield from _message(source, row, _superseded(post, row, sent), places)
        sent.add(row["id"])
    for row in handed:
        by = acknowledged.get(row["id"], {})
        yield from _handoff(
            source, row, everyone | {row["from_agent"]} | set(by), by, places
        )


def _superseded(post: Iterable[Row], newer: Row, sent: set[str]) -> list[str]:
    return [
        row["id"]
        for row in post
        if row.get("superseded_by") == newer["id"] and row["id"] in sent
    ]


def _message(
    source: Source, row: Row, older: list[str], places: Counter[str]
) -> Iterator[tuple[str, Row]]:
    scope = source.scopes.get((row.get("project_id"), row.get("task_id")), 0)
    priority = row["priority"] if row["priority"] in PRIORITIES else "normal"
    said: Row = {
        "id": row["id"],
        "handoff": 0,
        "kind": row["message_type"],
        "priority": priority,
        "thread": row.get("thread_id") or row["id"],
        "scope": scope,
        "address": _address(row["to_agent"]),
        "supersedes": canonical(older).decode(),
    }
    who = stamped(row["from_agent"], row["created_at"])
    yield "message", _texts(said, str(row["content"]), who)
    marks = {"read": row.get("read_at"), "archived": row.get("archived_at")}
    yield from _delivered(row["id"], row["to_agent"], marks, places)


def _address(agent: str | None) -> str:
    said: Row = {"agent": agent, "capabilities": [], "everyone": agent is None}
    return canonical(said).decode()


def _texts(said: Row, text: str, who: Row) -> Row:
    content = {"text": text, "text_hash": hash_of(text.encode()), "evidence": "[]"}
    return {**said, **content, "reply_to": None, **who}


def _delivered(
    message: str, recipient: str, marks: dict[str, Any], places: Counter[str]
) -> Iterator[tuple[str, Row]]:
    places[recipient] += 1
    place = {"recipient": recipient, "sequence": places[recipient]}
    yield "delivery", {"message": message, **place, "unregistered": 0}
    for fact, at in marks.items():
        if at:
            yield "mark", {**place, "fact": fact, **stamped(recipient, at)}


def _handoff(
    source: Source,
    row: Row,
    recipients: set[str],
    acknowledged: dict[str, Any],
    places: Counter[str],
) -> Iterator[tuple[str, Row]]:
    project = _project(source, row["project_id"])
    if project is None:
        source.skipped["handoff of an unknown project"] += 1
        return
    who = stamped(row["from_agent"], row["created_at"])
    if (project, None) not in source.scopes:
        number = source.scopes[project, None] = len(source.scopes) + 1
        ends = {"scope": number, "project": project, "task": None}
        yield "scope", {**ends, "imported": 0, "imported_pointer": 0, **who}
    said: Row = {
        "id": row["id"],
        "handoff": 1,
        "kind": None,
        "priority": "normal",
        "thread": row["id"],
        "scope": source.scopes[project, None],
        "address": _address(None),
        "supersedes": "[]",
    }
    yield "message", _texts(said, _words(row), who)
    over = row["consumed_at"] or (None if row["active"] else row["created_at"])
    for recipient in sorted(recipients):
        marks = {"acknowledged": acknowledged.get(recipient) or over}
        yield from _delivered(row["id"], recipient, marks, places)


def _project(source: Source, named: str) -> str | None:
    """Return the entity that a handoff names by id or by name."""
    if named in source.entities:
        return named
    found = (key for key, name in source.entities.items() if name == named)
    return next(found, None)


def _words(row: Row) -> str:
    items = parsed(row["open_items_json"])
    lines = [f"- {item}" for item in items] if isinstance(items, list) else []
    return "\n".join([str(row["summary"]), *lines])
