"""Messages of another store, in inboxes of this one."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import digest_of
from hsum._kernel.faults import Fault
from hythe.mail import rows
from hythe.mail.derive import rebuild
from hythe.observe.rows import insert_row
from hythe.observe.tombstones import recorded_hash

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

__all__ = ["MailMerge"]

Row = dict[str, Any]


class MailMerge:
    """The part of an import that is mail; `bury` takes tombstones over."""

    kinds = frozenset({"message", "inbox", "delivery", "mark"})

    def __init__(
        self, conn: sqlite3.Connection, store: int, bury: Callable[[str], None]
    ) -> None:
        self.conn = conn
        self.store = store
        self._bury = bury
        self._new: dict[str, int] = {}
        self._fresh: set[str] = set()
        self._touched: set[str] = set()
        self._places: dict[tuple[str, int], int] = {}

    def add(self, kind: str, row: Row) -> bool:
        """Add one row, where it is new."""
        made: bool = getattr(self, f"_{kind}")(row)
        return made

    def finish(self) -> None:
        """Derive the inboxes that changed."""
        rebuild(self.conn, self.store, self._touched)

    def _one(self, query: str, *values: Any) -> Any:
        row = self.conn.execute(query, (self.store, *values)).fetchone()
        return None if row is None else row[0]

    def _message(self, row: Row) -> bool:
        known = self._one(
            "select text_hash from message where store = ? and id = ?", row["id"]
        )
        if known is not None:
            if known != row["text_hash"]:
                raise Fault(
                    "IMPORT_CONFLICT", f"the message {row['id']} is another one here"
                )
            return False
        self._bury(row["id"])
        self._insert_message(row)
        return True

    def _insert_message(self, row: Row) -> None:
        number = rows.next_number(self.conn, self.store)
        older = self._older(json.loads(row.pop("supersedes")))
        texts = {name: row[name].encode() for name in ("text", "evidence", "address")}
        stored = {**row, **texts, "number": number, "supersedes_hash": digest_of(older)}
        hashed = functools.partial(recorded_hash, self.conn, self.store)
        stored["digest"] = rows.message_digest(stored, hashed)
        insert_row(self.conn, "message", {"store": self.store, **stored})
        self.conn.executemany(
            "insert into message_supersession(store, older, newer) values (?, ?, ?)",
            [(self.store, before, number) for before in older],
        )
        self._new[row["id"]] = number

    def _older(self, ids: list[str]) -> list[int]:
        found = [
            self._one("select number from message where store = ? and id = ?", identity)
            for identity in ids
        ]
        if None in found:
            raise ValueError("it supersedes what the file does not have")
        return sorted(found)

    def _inbox(self, row: Row) -> bool:
        """Keep the sequences of an inbox that is new here."""
        done = self.conn.execute(
            "insert or ignore into inbox_tally(store, recipient, latest, unread, pruned) "
            "values (?, ?, ?, 0, ?)",
            (self.store, row["recipient"], row["latest"], row["pruned"]),
        )
        if done.rowcount:
            self._fresh.add(row["recipient"])
        return bool(done.rowcount)

    def _delivery(self, row: Row) -> bool:
        recipient, number = row["recipient"], self._new.get(row["message"])
        if number is None:
            self._known_delivery(row)
            return False
        sequence = row["sequence"]
        if recipient not in self._fresh:
            sequence = self._one(
                "insert into inbox_tally(store, recipient, latest, unread, pruned) "
                "values (?, ?, 1, 0, 0) on conflict(store, recipient) do update "
                "set latest = latest + 1 returning latest",
                recipient,
            )
        stored = {**row, "message": number, "sequence": sequence}
        stored["digest"] = rows.delivery_digest(stored, row["message"])
        insert_row(self.conn, "delivery", {"store": self.store, **stored})
        self._places[recipient, row["sequence"]] = sequence
        self._touched.add(recipient)
        return True

    def _known_delivery(self, row: Row) -> None:
        """Find the place of a delivery of a message that is known here."""
        sequence = self._one(
            "select d.sequence from message m join delivery d on d.store = m.store "
            "and d.message = m.number where m.store = ? and m.id = ? "
            "and d.recipient = ?",
            row["message"],
            row["recipient"],
        )
        if sequence is not None:
            self._places[row["recipient"], row["sequence"]] = sequence

    def _mark(self, row: Row) -> bool:
        sequence = self._places.get((row["recipient"], row["sequence"]))
        if sequence is None:  # the message was pruned here
            return False
        stored = {**row, "sequence": sequence}
        stored["digest"] = rows.mark_digest(stored)
        known = self._one(
            "select 1 from mark where store = ? and recipient = ? and sequence = ? "
            "and fact = ?",
            row["recipient"],
            sequence,
            row["fact"],
        )
        if known is None:
            insert_row(self.conn, "mark", {"store": self.store, **stored})
            self._touched.add(row["recipient"])
        return known is None
