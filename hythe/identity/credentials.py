"""Credentials: issued with a secret that is never stored, revoked by a further row."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from typing import TYPE_CHECKING, Any

from hsum._kernel import cursors
from hsum._kernel.canonical import canonical
from hsum._kernel.faults import Fault
from hsum._kernel.ids import is_uuid
from hythe.identity import audit
from hythe.identity.decide import Grant
from hythe.identity.model import Credential, Issued
from hythe.model import Page
from hythe.observe.rows import damaged, hash_of, insert_row, moment, row_digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from hythe.observe.stamp import Stamp

__all__ = [
    "find_grant",
    "issue",
    "list_credentials",
    "problems",
    "revoke",
    "rotate",
    "withdraw",
]

# The version, the credential's id, 256 random bits: too many to guess, so that a
# plain hash is enough to keep.
_PREFIX = "hy1"
_SECRET_BYTES = 32


def issue(
    conn: sqlite3.Connection,
    stamp: Stamp,
    agent: str,
    scopes: Sequence[str],
    *,
    not_before: int | None = None,
    expires_at: int | None = None,
) -> Issued:
    """Issue a credential; its agent is enrolled from now on.

    Raises:
        Fault: `INVALID_ARGUMENT` where it would never be valid.
    """
    return _issue(conn, stamp, agent, scopes, (not_before, expires_at))


def rotate(
    conn: sqlite3.Connection,
    stamp: Stamp,
    identity: str,
    *,
    expires_at: int | None = None,
) -> Issued:
    """Issue another credential with the same scopes; both are valid until a revoke.

    Without `expires_at` the new one expires when the old one does.

    Raises:
        Fault: `NOT_FOUND`; `CREDENTIAL_INVALID` for a revoked one.
    """
    old = _require(conn, stamp.store, identity)
    if audit.revoked_at(conn, stamp.store, identity) is not None:
        raise Fault(
            "CREDENTIAL_INVALID",
            f"the credential {identity} was revoked",
            hint="Issue a new one.",
            details={"id": identity},
        )
    ends = old["expires_at"] if expires_at is None else expires_at
    scopes = json.loads(old["scopes"])
    return _issue(
        conn, stamp, old["agent"], scopes, (None, ends), rotated_from=identity
    )


def revoke(
    conn: sqlite3.Connection, stamp: Stamp, identity: str, reason: str | None = None
) -> Credential:
    """End a credential for good; revoking it again changes nothing.

    Raises:
        Fault: `NOT_FOUND`.
    """
    row = _require(conn, stamp.store, identity)
    if audit.revoked_at(conn, stamp.store, identity) is None:
        audit.record(
            conn, stamp, "revoke", row["agent"], credential=identity, reason=reason
        )
    return _credential_of(conn, stamp.store, row)


def withdraw(
    conn: sqlite3.Connection, stamp: Stamp, agent: str, reason: str | None = None
) -> tuple[Credential, ...]:
    """End an agent's enrolment, and revoke what is left of its credentials.

    Returns those revoked. The agent may then be named without a credential again,
    where the mode allows it.

    Raises:
        Fault: `NOT_FOUND` where the agent is not enrolled.
    """
    if not audit.is_enrolled(conn, stamp.store, agent):
        raise Fault(
            "NOT_FOUND",
            f"the agent {agent} is not enrolled",
            hint="credentials.list shows who was issued one.",
            details={"agent": agent},
        )
    live = [
        row["id"]
        for row in _of_agent(conn, stamp.store, agent)
        if audit.revoked_at(conn, stamp.store, row["id"]) is None
    ]
    revoked = tuple(revoke(conn, stamp, identity, reason) for identity in live)
    audit.record(conn, stamp, "withdraw", agent, reason=reason)
    return revoked


def find_grant(conn: sqlite3.Connection, store: int, secret: str) -> Grant | None:
    """Return what the credential with this secret allows, or None."""
    prefix, _, rest = secret.partition(".")
    identity, _, _ = rest.partition(".")
    if prefix != _PREFIX or not is_uuid(identity):
        return None
    row = _find(conn, store, identity)
    if row is None or not hmac.compare_digest(row["secret_hash"], _hash(secret)):
        return None
    return Grant(
        row["agent"],
        frozenset(json.loads(row["scopes"])),
        row["not_before"],
        row["expires_at"],
        audit.revoked_at(conn, store, identity) is not None,
    )


def list_credentials(
    conn: sqlite3.Connection,
    store: int,
    *,
    agent: str | None,
    limit: int,
    cursor: str | None,
) -> Page[Credential]:
    """Return credentials without their secrets, oldest first."""
    after = (
        cursors.decode("credentials", cursor, after=int)["after"]
        if cursor is not None
        else 0
    )
    rows = conn.execute(
        f"{_SELECT} and sequence > ? and (? is null or agent = ?) "
        "order by sequence limit ?",
        (store, after, agent, agent, limit + 1),
    ).fetchall()
    page = [_named(row) for row in rows[:limit]]
    more = len(rows) > limit
    last = (
        cursors.encode("credentials", {"after": page[-1]["sequence"]}) if more else None
    )
    return Page(tuple(_credential_of(conn, store, row) for row in page), last)


# --- rows ---------------------------------------------------------------------------


def _issue(
    conn: sqlite3.Connection,
    stamp: Stamp,
    agent: str,
    scopes: Sequence[str],
    times: tuple[int | None, int | None],
    *,
    rotated_from: str | None = None,
) -> Issued:
    _check_times(*times, stamp.now)
    identity = stamp.new_id()
    secret = f"{_PREFIX}.{identity}.{secrets.token_urlsafe(_SECRET_BYTES)}"
    row: dict[str, Any] = {
        "store": stamp.store,
        "sequence": audit.next_in(conn, stamp.store, "credentials"),
        "id": identity,
        "agent": agent,
        "secret_hash": _hash(secret),
        "scopes": canonical(list(scopes)),
        "not_before": times[0],
        "expires_at": times[1],
        "rotated_from": rotated_from,
        **stamp.fields,
    }
    insert_row(conn, "credential", {**row, "digest": _guard(row)})
    action: audit.Action = "rotate" if rotated_from else "issue"
    audit.record(conn, stamp, action, agent, credential=identity)
    found = _require(conn, stamp.store, identity)
    return Issued(_credential_of(conn, stamp.store, found), secret)


def _check_times(not_before: int | None, expires_at: int | None, now: int) -> None:
    begins = max(now, now if not_before is None else not_before)
    if expires_at is not None and expires_at <= begins:
        raise Fault(
            "INVALID_ARGUMENT",
            "the credential would never be valid: it expires before it begins",
            hint="Give a later expires_at.",
            details={"path": "$.expires_at"},
        )


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


_COLUMNS = (
    "sequence", "id", "agent", "secret_hash", "scopes", "not_before", "expires_at",
    "rotated_from", "author", "proven", "recorded_at", "digest",
)  # fmt: skip
_SELECT = f"select {', '.join(_COLUMNS)} from credential where store = ?"


def _named(row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(_COLUMNS, row, strict=True))


def _guard(row: dict[str, Any]) -> str:
    return row_digest(
        "credential",
        scopes=hash_of(row["scopes"]),
        proven=bool(row["proven"]),
        **{name: row[name] for name in _COLUMNS if name not in _NOT_PLAIN},
    )


_NOT_PLAIN = ("scopes", "proven", "digest")


def _find(conn: sqlite3.Connection, store: int, identity: str) -> dict[str, Any] | None:
    found = conn.execute(f"{_SELECT} and id = ?", (store, identity)).fetchone()
    if found is None:
        return None
    row = _named(found)
    if _guard(row) != row["digest"]:
        raise damaged("credential", identity)
    return row


def _require(conn: sqlite3.Connection, store: int, identity: str) -> dict[str, Any]:
    row = _find(conn, store, identity)
    if row is None:
        raise Fault(
            "NOT_FOUND",
            f"no credential has the id {identity!r}",
            hint="credentials.list shows their ids.",
            details={"id": identity},
        )
    return row


def _of_agent(conn: sqlite3.Connection, store: int, agent: str) -> list[dict[str, Any]]:
    rows = conn.execute(f"{_SELECT} and agent = ? order by sequence", (store, agent))
    return [_named(row) for row in rows.fetchall()]


def _credential_of(
    conn: sqlite3.Connection, store: int, row: dict[str, Any]
) -> Credential:
    return Credential(
        id=row["id"],
        agent=row["agent"],
        scopes=tuple(json.loads(row["scopes"])),
        not_before=_maybe(row["not_before"]),
        expires_at=_maybe(row["expires_at"]),
        author=row["author"],
        proven=bool(row["proven"]),
        recorded_at=moment(row["recorded_at"]),
        revoked_at=_maybe(audit.revoked_at(conn, store, row["id"])),
        rotated_from=row["rotated_from"],
    )


def _maybe(micros: int | None) -> datetime | None:
    return None if micros is None else moment(micros)


def problems(conn: sqlite3.Connection, store: int) -> Iterator[str]:
    """Yield one sentence for each row that is not as it was written."""
    for found in conn.execute(_SELECT, (store,)).fetchall():
        row = _named(found)
        if _guard(row) != row["digest"]:
            yield f"credential {row['id']} is not as it was written"
