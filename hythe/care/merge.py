"""Rows of another store added to this one; what is known already stays as it is.

Every row is found again by what it means everywhere: an id, a name, the place in a
history. Numbers and the digests that cover them are this store's own.
"""

from __future__ import annotations

import functools
import json
import sqlite3
from collections import Counter
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import digest_of
from hsum._kernel.faults import Fault
from hsum._kernel.text import nfc
from hythe.care.doctor import row_problems
from hythe.care.export import KINDS, fields_of
from hythe.care.merging_mail import MailMerge
from hythe.care.shapes import check_row
from hythe.checkpoint.legacy import legacy_digest
from hythe.checkpoint.proof import rebuild
from hythe.checkpoint.scopes import At, scope_digest
from hythe.identity.agents import point_to_newest
from hythe.observe import doctor as observe
from hythe.observe.entities import entity_identity, entity_name, resolve_entity
from hythe.observe.keys import key_digest
from hythe.observe.observation_rows import observation_digest
from hythe.observe.rows import insert_row, row_digest
from hythe.observe.tombstones import recorded_hash

if TYPE_CHECKING:
    from hythe.observe.stamp import Stamp

__all__ = ["Merge"]

Row = dict[str, Any]


class Merge:
    """One import, inside the caller's transaction.

    `added` counts the rows that were new, by kind.
    """

    def __init__(self, conn: sqlite3.Connection, stamp: Stamp) -> None:
        self.conn = conn
        self.store = stamp.store
        self.added: Counter[str] = Counter()
        self._entities: dict[str, int] = {}
        self._names: dict[str, str] = {}
        self._renamed: dict[str, str] = {}
        self._scopes: dict[int, Merging] = {}
        self._agents: set[str] = set()
        self._foreign_agents: set[str] = set()
        self._tombstones: dict[str, list[Row]] = {}
        self._states: set[str] = set()
        self._used: set[str] = set()
        self._mail = MailMerge(conn, stamp.store, self._bury)
        self._fields = {kind: fields_of(conn, kind) for kind in KINDS}

    def add(self, kind: str, row: Row, line: int) -> None:
        """Add one row, where it is new.

        Raises:
            Fault: `IMPORT_CONFLICT`; `INVALID_ARGUMENT` for a row that says too little.
        """
        try:
            self._check_fields(kind, row)
            if kind in self._mail.kinds:
                new = self._mail.add(kind, self._with_scope(row))
            else:
                new = getattr(self, f"_{kind}")(row)
        except _UNUSABLE as error:
            raise Fault(
                "INVALID_ARGUMENT",
                f"line {line:,} is no {kind} row: {error!r}",
                details={"line": line},
            ) from error
        except Fault as fault:
            fault.details.setdefault("line", line)
            raise
        if new:
            self.added[kind] += 1

    def _check_fields(self, kind: str, row: Row) -> None:
        """Refuse a field that no export writes: it would be taken for a column."""
        strange = row.keys() - self._fields[kind]
        if strange:
            raise ValueError(f"it has the unknown field {min(strange)!r:.80}")
        check_row(row)

    def _with_scope(self, row: Row) -> Row:
        scope = row.get("scope")
        return {**row, "scope": self._scopes[scope].at.scope} if scope else row

    def finish(self) -> None:
        """Derive what is derived, and verify the whole store.

        Raises:
            Fault: `INTEGRITY_FAILED`.
        """
        try:
            self._derive()
        except _UNUSABLE as error:
            raise Fault(
                "INTEGRITY_FAILED", f"the rows do not fit together: {error!r}"
            ) from error
        problem = next(row_problems(self.conn, self.store), None)
        if problem is not None:
            raise Fault("INTEGRITY_FAILED", problem)

    def _derive(self) -> None:
        self.conn.executemany(
            "delete from state where store = ? and digest = ?",
            [(self.store, state) for state in self._states - self._used],
        )
        if found := len(self._states & self._used):
            self.added["state"] = found
        for scope in self._scopes.values():
            if scope.changed:
                rebuild(self.conn, scope.at)
        observe.rebuild(self.conn, self.store)
        for agent in self._agents:
            point_to_newest(self.conn, self.store, agent)
        self._mail.finish()

    # --- what was redacted or pruned ----------------------------------------------

    def _tombstone(self, row: Row) -> bool:
        self._tombstones.setdefault(row["target"], []).append(row)
        return False

    def _bury(self, target: str) -> None:
        """Take over why the bytes of a new row are not those that were written."""
        for row in self._tombstones.pop(target, ()):
            insert_row(self.conn, "tombstone", {"store": self.store, **row})
            self.added["tombstone"] += 1

    # --- entities, observations, relations ----------------------------------------

    def _one(self, query: str, *values: Any) -> Any:
        row = self.conn.execute(query, (self.store, *values)).fetchone()
        return None if row is None else row[0]

    def _next(self, table: str) -> int:
        found: int = self._one(
            f"select coalesce(max(number), 0) + 1 from {table} where store = ?"
        )
        return found

    def _entity(self, row: Row) -> bool:
        self._names[row["id"]] = row["name"]
        guard = self._one(
            "select digest from entity where store = ? and id = ?", row["id"]
        )
        if guard not in (None, row["digest"]):
            raise conflict(f"the entity {row['name']!r} is another one here")
        known = self._one(
            "select number from entity where store = ? and id = ?", row["id"]
        )
        known = known or resolve_entity(self.conn, self.store, row["name"])
        self._entities[row["id"]] = known or self._next("entity")
        if known is not None:
            self._renamed[row["id"]] = entity_identity(self.conn, self.store, known)
        else:
            number = self._entities[row["id"]]
            stored = {**row, "definition": _bytes(row["definition"])}
            self._insert("entity", {"number": number, **stored})
            self._bury(row["id"])
        return known is None

    def _insert(self, table: str, row: Row) -> None:
        insert_row(self.conn, table, {"store": self.store, **row})

    def _entity_name(self, row: Row) -> bool:
        number = self._entities[row["entity"]]
        holder = resolve_entity(self.conn, self.store, row["name"])
        if holder not in (None, number):
            raise conflict(f"the name {row['name']!r} is of another entity here")
        if holder is None:
            said = {name: row[name] for name in ("name", *_STAMP)}
            said["proven"] = bool(row["proven"])
            identity = entity_identity(self.conn, self.store, number)
            guard = row_digest("entity_name", entity=identity, **said)
            place = {"key": nfc(row["name"]), "entity": number}
            stored = {**said, "proven": row["proven"], "digest": guard}
            self._insert("entity_name", {**place, **stored})
        return holder is None

    def _observation(self, row: Row) -> bool:
        known = self.conn.execute(
            "select text_hash, author, recorded_at from observation "
            "where store = ? and id = ?",
            (self.store, row["id"]),
        ).fetchone()
        if known is not None:
            if known != (row["text_hash"], row["author"], row["recorded_at"]):
                raise conflict(f"the observation {row['id']} is another one here")
            return False
        self._bury(row["id"])
        self._insert_observation(row)
        return True

    def _insert_observation(self, row: Row) -> None:
        entity = self._entities[row.pop("entity")]
        sequence = self._one(
            "select coalesce(max(sequence), 0) + 1 from observation "
            "where store = ? and entity = ?",
            entity,
        )
        older = self._older(entity, json.loads(row.pop("supersedes")))
        stored = {
            **row,
            **{name: _bytes(row[name]) for name in ("text", "evidence", "metadata")},
            "entity": entity,
            "sequence": sequence,
            "number": self._next("observation"),
            "supersedes_hash": digest_of(older),
        }
        hashed = functools.partial(recorded_hash, self.conn, self.store)
        identity = entity_identity(self.conn, self.store, entity)
        stored["digest"] = observation_digest(stored, identity, hashed)
        self._insert("observation", stored)
        self.conn.executemany(
            "insert into supersession(store, entity, older, newer) values (?, ?, ?, ?)",
            [(self.store, entity, before, sequence) for before in older],
        )

    def _older(self, entity: int, ids: list[str]) -> list[int]:
        found = [
            self._one(
                "select sequence from observation "
                "where store = ? and entity = ? and id = ?",
                entity,
                identity,
            )
            for identity in ids
        ]
        if None in found:
            raise ValueError("it supersedes what the file does not have")
        return sorted(found)

    def _relation(self, row: Row) -> bool:
        ends = self._entities[row["source"]], self._entities[row["target"]]
        known = self._one(
            "select id from relation where store = ? and (id = ? or (source = ? "
            "and type = ? and target = ? and evidence_hash = ?))",
            row["id"],
            ends[0],
            row["type"],
            ends[1],
            row["evidence_hash"],
        )
        if known is not None:
            self._renamed[row["id"]] = known
        else:
            said = {name: row[name] for name in ("id", "type", "evidence_hash")}
            said |= {name: row[name] for name in _STAMP}
            named = [entity_identity(self.conn, self.store, end) for end in ends]
            guard = row_digest(
                "relation",
                source=named[0],
                target=named[1],
                **{**said, "proven": bool(row["proven"])},
            )
            place = {"number": self._next("relation"), "source": ends[0]}
            stored = {**said, **place, "target": ends[1], "digest": guard}
            self._insert("relation", {**stored, "evidence": _bytes(row["evidence"])})
        return known is None

    def _author_key(self, row: Row) -> bool:
        known = self._one(
            "select fingerprint from author_key "
            "where store = ? and author = ? and key = ?",
            row["author"],
            row["key"],
        )
        if known not in (None, row["fingerprint"]):
            raise conflict(
                f"{row['author']} used the key {row['key']!r} otherwise here"
            )
        if known is None:
            here = self._renamed.get(row["result"], row["result"])
            if here != row["result"]:  # it was known here already, under another id
                row = {**row, "result": here}
                row["digest"] = key_digest(row)
            self._insert("author_key", row)
        return known is None

    # --- scopes -------------------------------------------------------------------

    def _scope(self, row: Row) -> bool:
        ends = [row["project"], row["task"]]
        numbers = [0 if end is None else self._entities[end] for end in ends]
        marks = (row["imported"], row["imported_pointer"])
        known = self._one(
            "select scope from scope where store = ? and project = ? and task = ?",
            *numbers,
        )
        for end, number in zip(ends, numbers, strict=True):
            if end is not None and self._names[end] != entity_name(
                self.conn, self.store, number
            ):
                raise conflict(
                    f"the scope {self._names[end]!r} is spelled otherwise here"
                )
        if known is None:
            known = self._insert_scope(row, numbers)
            self._scopes[row["scope"]] = Merging(At(self.store, known), 0, marks)
            return True
        self._scopes[row["scope"]] = self._existing(known, marks)
        return False

    def _insert_scope(self, row: Row, numbers: list[int]) -> int:
        scope: int = self._one(
            "select coalesce(max(scope), 0) + 1 from scope where store = ?"
        )
        stored = {**row, "scope": scope, "project": numbers[0], "task": numbers[1]}
        self._insert("scope", {**stored, "digest": scope_digest(**stored)})
        self._insert("standing", {"scope": scope})
        return scope

    def _existing(self, scope: int, marks: tuple[int, int]) -> Merging:
        at = At(self.store, scope)
        revisions, *own = self.conn.execute(
            "select (select count(*) from checkpoint c where c.store = s.store "
            "and c.scope = s.scope), imported, imported_pointer from scope s "
            "where store = ? and scope = ?",
            at,
        ).fetchone()
        return Merging(at, revisions, marks, agrees=tuple(own) == marks)

    def _state(self, row: Row) -> bool:
        done = self.conn.execute(
            "insert or ignore into state(store, digest, body) values (?, ?, ?)",
            (self.store, row["digest"], _bytes(row["body"])),
        )
        if done.rowcount:
            self._states.add(row["digest"])
            self._bury(row["digest"])
        return False

    def _checkpoint(self, row: Row) -> bool:
        scope = self._scopes[row["scope"]]
        if row["revision"] <= scope.revisions and not scope.changed:
            self._compare(scope.at, row)
            return False
        if row["revision"] != scope.revisions + 1 or not scope.agrees:
            raise conflict(f"revision {row['revision']} follows on no history here")
        scope.extend()
        self._used.add(row["state"])
        self._bury(row["id"])
        texts = {name: _bytes(row[name]) for name in ("new_ids", "body")}
        self._insert("checkpoint", {**row, **texts, "scope": scope.at.scope})
        return True

    def _compare(self, at: At, row: Row) -> None:
        known = self.conn.execute(
            "select id, seal from checkpoint "
            "where store = ? and scope = ? and revision = ?",
            (*at, row["revision"]),
        ).fetchone()
        if known != (row["id"], row["seal"]):
            raise conflict(
                f"revision {row['revision']} of a scope is another one here",
                scope=at.scope,
                revision=row["revision"],
            )

    def _checkpoint_key(self, row: Row) -> bool:
        at = self._scopes[row["scope"]].at
        known = self.conn.execute(
            "select fingerprint, revision from checkpoint_key "
            "where store = ? and scope = ? and key = ?",
            (*at, row["key"]),
        ).fetchone()
        said = {name: row[name] for name in ("key", "fingerprint", "revision")}
        if known is not None:
            if known != (row["fingerprint"], row["revision"]):
                raise conflict(f"the key {row['key']!r} was used otherwise here")
            return False
        guard = row_digest("checkpoint_key", scope=at.scope, **said)
        self._insert("checkpoint_key", {"scope": at.scope, **said, "digest": guard})
        return True

    def _legacy(self, row: Row) -> bool:
        at = self._scopes[row["scope"]].at
        known = self._one(
            "select 1 from legacy where store = ? and scope = ? and kind = ? and id = ?",
            at.scope,
            row["kind"],
            row["id"],
        )
        if known is None:
            ordinal = self._one(
                "select coalesce(max(ordinal), -1) + 1 from legacy "
                "where store = ? and scope = ?",
                at.scope,
            )
            stored = {**row, "scope": at.scope, "ordinal": ordinal}
            stored["body"] = _bytes(row["body"])
            values = (stored[name] for name in _LEGACY)
            self._insert("legacy", {**stored, "digest": legacy_digest(at, *values)})
        return known is None

    # --- agents -------------------------------------------------------------------

    def _agent_registration(self, row: Row) -> bool:
        known = self._one(
            "select digest from agent_registration "
            "where store = ? and agent = ? and sequence = ?",
            row["agent"],
            row["sequence"],
        )
        if known not in (None, row["digest"]):
            # What an agent said of itself here counts; it can say so again.
            self._foreign_agents.add(row["agent"])
        if known is not None or row["agent"] in self._foreign_agents:
            return False
        texts = {name: _bytes(row[name]) for name in ("capabilities", "description")}
        self._insert("agent_registration", {**row, **texts})
        self._agents.add(row["agent"])
        return True


class Merging:
    """One scope of the file, and how far its history is here."""

    def __init__(
        self, at: At, revisions: int, marks: tuple[int, int], *, agrees: bool = True
    ) -> None:
        self.at = at
        self.revisions = revisions
        self.marks = marks
        self.agrees = agrees
        self.changed = False

    def extend(self) -> None:
        """Count one more checkpoint."""
        self.revisions += 1
        self.changed = True


# What a row of the wrong shape ends in: here, or in a strict table.
_UNUSABLE = (
    KeyError,
    TypeError,
    ValueError,
    AttributeError,
    IndexError,
    OverflowError,
    sqlite3.IntegrityError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
)
_STAMP = ("author", "proven", "recorded_at")
_LEGACY = ("kind", "id", "ordinal", "body", *_STAMP)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def conflict(message: str, **details: Any) -> Fault:
    """Return the refusal of a file that disagrees with the store."""
    return Fault("IMPORT_CONFLICT", message, details=details)
