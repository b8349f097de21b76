"""What a sender wants to send, and what a recipient wants to see: checked first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import attrs

from hsum._kernel.canonical import MAX_SAFE_INTEGER
from hsum._kernel.clock import micros
from hsum._kernel.faults import Fault
from hsum._kernel.text import check_flag, check_text
from hythe.identity.decide import check_agent
from hythe.mail.model import PRIORITIES, Priority
from hythe.observe import checks

if TYPE_CHECKING:
    from hythe.model import ScopeName

__all__ = ["Address", "Filters", "NewMessage", "address", "filters", "new_message"]

_MOST_CAPABILITIES = 100


@final
@attrs.frozen
class Address:
    """Exactly one of: an agent, the agents with all capabilities, everyone."""

    agent: str | None = None
    capabilities: tuple[str, ...] = ()
    everyone: bool = False

    def as_data(self) -> dict[str, Any]:
        """Return the address as plain data."""
        return {
            "agent": self.agent,
            "capabilities": sorted(self.capabilities),
            "everyone": self.everyone,
        }


def address(to: Any, capabilities: Any, everyone: Any) -> Address:
    """Check whom a message goes to.

    Raises:
        Fault: `INVALID_ARGUMENT` unless exactly one kind of address is given.
    """
    wanted = check_capabilities(capabilities)
    agent = getattr(to, "id", to)
    if [agent is not None, bool(wanted), bool(everyone)].count(True) != 1:
        raise Fault(
            "INVALID_ARGUMENT",
            "a message goes to one agent, to agents with capabilities, or to everyone",
            hint="Give exactly one of to, capabilities and everyone.",
            details={"path": "$.to"},
        )
    if agent is not None:
        check_agent(agent, "$.to")
    return Address(agent, wanted, bool(everyone))


def check_capabilities(value: Any, path: str = "$.capabilities") -> tuple[str, ...]:
    """Return capabilities: short texts, each once, in order."""
    found = checks.check_references(value, path)
    for index, capability in enumerate(found):
        checks.check_label(capability, f"{path}[{index}]", required=True)
    if len(found) > _MOST_CAPABILITIES:
        raise Fault(
            "TOO_LARGE",
            f"{path} has {len(found):,} items; at most {_MOST_CAPABILITIES} are taken",
            details={"path": path},
        )
    return tuple(dict.fromkeys(found))


@final
@attrs.frozen
class NewMessage:
    """A message as it is asked for, checked."""

    address: Address
    text: str
    handoff: bool = False
    kind: str | None = None
    priority: Priority = "normal"
    thread: str | None = None
    reply_to: str | None = None
    scope: ScopeName | None = None
    supersedes: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    key: str | None = None

    @property
    def operation(self) -> str:
        """The verb that sends it."""
        return "hand_off" if self.handoff else "send"

    def request(self, scope: ScopeName | None) -> dict[str, Any]:
        """Return what the idempotency key binds; `supersedes` is a set in it.

        `scope` is spelled as in the store, so that a key means the same in another.
        """
        return {
            "address": self.address.as_data(),
            "text": self.text,
            "kind": self.kind,
            "priority": self.priority,
            "thread": self.thread,
            "reply_to": self.reply_to,
            "scope": scope and [scope.project, scope.task],
            "supersedes": sorted(self.supersedes),
            "evidence": self.evidence,
        }


def new_message(
    where: Address,
    text: Any,
    *,
    handoff: bool = False,
    kind: Any = None,
    priority: Any = "normal",
    thread: Any = None,
    reply_to: Any = None,
    scope: ScopeName | None = None,
    supersedes: Any = (),
    evidence: Any = (),
    key: Any = None,
) -> NewMessage:
    """Check what a sender wants to send.

    Raises:
        Fault: `SCOPE_INVALID` for a handoff without a scope, and as for any input.
    """
    if handoff and scope is None:
        raise Fault("SCOPE_INVALID", "a handoff is bound to a scope")
    if priority not in PRIORITIES:
        raise Fault(
            "INVALID_ARGUMENT",
            f"$.priority is one of {', '.join(PRIORITIES)}",
            details={"path": "$.priority"},
        )
    if text == "":
        raise Fault(
            "INVALID_ARGUMENT", "$.text must not be empty", details={"path": "$.text"}
        )
    replied = checks.check_ids(() if reply_to is None else reply_to, "$.reply_to")
    new = NewMessage(
        where,
        check_text(text, "$.text"),
        handoff,
        checks.check_label(kind, "$.kind"),
        priority,
        checks.check_label(thread, "$.thread", limit=checks.NAME_LIMIT),
        replied[0] if replied else None,
        scope,
        checks.check_ids(supersedes, "$.supersedes"),
        checks.check_references(evidence, "$.evidence"),
        checks.check_key(key),
    )
    checks.check_call(new.text, *new.evidence)
    return new


@final
@attrs.frozen
class Filters:
    """Which messages of an inbox to list; what is None or False does not narrow.

    Attributes:
        after: only sequences above it.
        since: only messages recorded at or after it, in UTC microseconds.
        archived: whether archived ones are listed too.
    """

    unread: bool = False
    sender: str | None = None
    thread: str | None = None
    scope: ScopeName | None = None
    after: int = 0
    since: int | None = None
    archived: bool = False

    @property
    def key(self) -> str:
        """What a cursor is bound to."""
        scope = (self.scope.project, self.scope.task) if self.scope else None
        parts = (
            self.unread,
            self.sender,
            self.thread,
            scope,
            self.since,
            self.archived,
        )
        return repr(parts)


def _sequence(since: int) -> int:
    return checks.check_bound(since, "$.since", least=0, most=MAX_SAFE_INTEGER)


def filters(
    *,
    unread: Any = False,
    sender: Any = None,
    thread: Any = None,
    scope: ScopeName | None = None,
    since: Any = None,
    archived: Any = False,
) -> Filters:
    """Check what a recipient wants to see.

    `since` is a sequence of the inbox (exclusive) or a time (inclusive).
    """
    sequence = isinstance(since, int) and not isinstance(since, bool)
    agent = getattr(sender, "id", sender)
    return Filters(
        unread=check_flag(unread, "$.unread"),
        sender=None if agent is None else check_agent(agent, "$.sender"),
        thread=checks.check_label(thread, "$.thread", limit=checks.NAME_LIMIT),
        scope=scope,
        after=_sequence(since) if sequence else 0,
        since=None if since is None or sequence else micros(since, "$.since"),
        archived=check_flag(archived, "$.archived"),
    )
