"""Messages as their sender and their recipients see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Literal, final, get_args

import attrs

from hythe.model import ScopeName, WriteWarning
from hythe.model.work import short

__all__ = [
    "FACTS",
    "PRIORITIES",
    "Delivery",
    "InboxPage",
    "Mark",
    "Marked",
    "Message",
    "Priority",
    "Sent",
]

Priority = Literal["low", "normal", "high", "urgent"]
PRIORITIES: tuple[Priority, ...] = get_args(Priority)
FactName = Literal["read", "acknowledged", "archived"]
FACTS: tuple[FactName, ...] = get_args(FactName)


@final
@attrs.frozen
class Mark:
    """Who did something with a message, and when the store recorded it.

    It does not say that a model understood or acted.
    """

    agent: str
    proven: bool
    at: datetime

    def __repr__(self) -> str:
        return f"<Mark by {self.agent} at {self.at.isoformat()}>"


def _last(value: Message | Delivery) -> str:
    done = [fact for fact in FACTS if getattr(value, fact) is not None]
    return done[-1] if done else "queued"


@final
@attrs.frozen
class Message:
    """A message in one inbox.

    `sequence` is its place in that inbox. A handoff is bound to a scope and stays
    until its recipient acknowledges it. Read, acknowledged and archived are separate
    facts; `superseded_by` is the sender's newest message that replaces this one.
    """

    id: str
    sender: str
    recipient: str
    sequence: int
    text: str
    recorded_at: datetime
    kind: str | None = None
    priority: Priority = "normal"
    thread: str = ""
    reply_to: str | None = None
    scope: ScopeName | None = None
    handoff: bool = False
    evidence: tuple[str, ...] = ()
    proven: bool = False
    unregistered: bool = False
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = attrs.field(default=None, eq=False, kw_only=True)
    read: Mark | None = attrs.field(default=None, eq=False, kw_only=True)
    acknowledged: Mark | None = attrs.field(default=None, eq=False, kw_only=True)
    archived: Mark | None = attrs.field(default=None, eq=False, kw_only=True)

    def __repr__(self) -> str:
        what = "Handoff" if self.handoff else "Message"
        return f"<{what} {self.sequence} from {self.sender}: {short(self.text)}, {_last(self)}>"


@final
@attrs.frozen
class Delivery:
    """What became of a message at one of its recipients, for its sender."""

    recipient: str
    sequence: int
    unregistered: bool
    read: Mark | None = None
    acknowledged: Mark | None = None
    archived: Mark | None = None

    def __repr__(self) -> str:
        return f"<Delivery to {self.recipient}: {_last(self)}>"


@final
@attrs.frozen
class Sent:
    """What a send did: its id, and the recipients, fixed now.

    `unregistered` are those of them that no one has registered yet; the message
    waits for them.
    """

    id: str
    thread: str
    recorded_at: datetime
    recipients: tuple[str, ...]
    unregistered: tuple[str, ...] = ()
    handoff: bool = False
    replayed: bool = attrs.field(default=False, eq=False, kw_only=True)
    warnings: tuple[WriteWarning, ...] = attrs.field(default=(), eq=False, kw_only=True)

    def __repr__(self) -> str:
        to = ", ".join(self.recipients[:3]) + ", ..." * (len(self.recipients) > 3)
        unknown = (
            f", {len(self.unregistered)} unregistered" if self.unregistered else ""
        )
        again = ", replayed" if self.replayed else ""
        return f"<Sent {self.id} to {to}{unknown}{again}>"


@final
@attrs.frozen
class Marked:
    """What `read`, `acknowledge` or `archive` did to exactly the given ids.

    `matched` are all of them; `changed` those that had not been so marked before.
    """

    fact: FactName
    matched: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Marked {self.fact}: {len(self.changed)} of {len(self.matched)} new>"


@final
@attrs.frozen
class InboxPage(Sequence[Message]):
    """A part of an inbox, in its own order; listing it changed nothing.

    Give `next` back as `cursor` to go on; None is the end. `latest` is the sequence
    of the newest message in the whole inbox: give it back as `since` to see only
    what comes later. `unread` counts the unread ones that are not archived.
    """

    agent: str
    items: tuple[Message, ...]
    next: str | None
    latest: int
    unread: int

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Message]:
        return iter(self.items)

    def __repr__(self) -> str:
        more = ", more" if self.next else ""
        return f"<InboxPage of {self.agent}: {len(self.items)} messages, {self.unread} unread{more}>"
