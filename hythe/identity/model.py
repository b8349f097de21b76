"""Agents, credentials, and the record of what was done with them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, final, get_args

import attrs

__all__ = [
    "SCOPES",
    "Agent",
    "AgentStatus",
    "AuditEntry",
    "Credential",
    "Issued",
    "Mode",
    "Scope",
]

Mode = Literal["observe", "mixed", "required"]
Scope = Literal[
    "state:read",
    "state:write",
    "memory:read",
    "memory:write",
    "message:read",
    "message:send",
    "admin",
]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""All that a credential can carry; none contains another."""


@final
@attrs.frozen
class Agent:
    """A registered agent: an exact id, and what it says it can do.

    An id gives attribution and an inbox. It isolates neither the shared memory of a
    project nor the file system. `enrolled` means that a credential was issued to it.
    """

    id: str
    capabilities: tuple[str, ...] = ()
    description: str | None = None
    author: str | None = None
    proven: bool = False
    recorded_at: datetime | None = None
    enrolled: bool = False

    def __repr__(self) -> str:
        able = f": {', '.join(self.capabilities)}" if self.capabilities else ""
        return f"<Agent {self.id}{able}>"


@final
@attrs.frozen
class AgentStatus:
    """What the store knows of an agent id, and what waits for it.

    `agent` is None for an id that no one registered. `latest` is the sequence of
    the newest message in its inbox, `handoffs` counts those not acknowledged.
    """

    id: str
    agent: Agent | None
    enrolled: bool
    unread: int
    handoffs: int
    latest: int

    def __repr__(self) -> str:
        known = "registered" if self.agent else "unregistered"
        waiting = f"{self.unread} unread, {self.handoffs} handoffs"
        return f"<AgentStatus {self.id} {known}: {waiting}>"


@final
@attrs.frozen
class Credential:
    """What a store knows of a credential; never the secret.

    It is valid from `not_before` on (inclusive) until `expires_at` (exclusive) or
    its revocation.
    """

    id: str
    agent: str
    scopes: tuple[Scope, ...]
    not_before: datetime | None
    expires_at: datetime | None
    author: str
    proven: bool
    recorded_at: datetime
    revoked_at: datetime | None = None
    rotated_from: str | None = None

    def __repr__(self) -> str:
        state = "revoked" if self.revoked_at else ", ".join(self.scopes)
        return f"<Credential {self.id} of {self.agent}: {state}>"


@final
@attrs.frozen
class Issued:
    """A new credential with its secret, which is shown here and nowhere again."""

    credential: Credential
    secret: str = attrs.field(repr=False)

    def __repr__(self) -> str:
        return f"<Issued {self.credential.id} to {self.credential.agent}>"


@final
@attrs.frozen
class AuditEntry:
    """One thing that was done with a credential, by whom and when."""

    sequence: int
    action: Literal["issue", "rotate", "revoke", "withdraw"]
    agent: str
    credential: str | None
    reason: str | None
    author: str
    proven: bool
    recorded_at: datetime

    def __repr__(self) -> str:
        return (
            f"<AuditEntry {self.sequence} {self.action} {self.agent} by {self.author}>"
        )
