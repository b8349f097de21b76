"""Messages, handoffs and agents, as a store offers them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hsum._kernel.cancellation import pause
from hsum._kernel.faults import boundary
from hsum._kernel.text import check_text
from hythe._api.handle import Handle, scope_of
from hythe._api.scope import Scope
from hythe.errors import family
from hythe.identity import agents, audit
from hythe.identity.decide import check_agent
from hythe.identity.model import AgentStatus
from hythe.mail import inbox, requests, rows, sending
from hythe.mail.model import Marked, Priority
from hythe.model import ScopeName
from hythe.observe import checks

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from hythe.identity.model import Agent
    from hythe.mail.model import (
        Delivery,
        FactName,
        InboxPage,
        Message,
        Sent,
    )
    from hythe.model import Page

Ids = Iterable["str | Message"]

_POLL_SECONDS = 0.02
_MOST = 1_000


@boundary(family)
class Post(Handle):
    """Who is registered, and what agents tell each other.

    An agent id gives attribution and an inbox; it isolates neither the shared memory
    of a project nor the file system.
    """

    # --- agents -------------------------------------------------------------------

    def register_agent(
        self,
        agent: str | None = None,
        *,
        capabilities: Iterable[str] = (),
        description: str | None = None,
    ) -> Agent:
        """Register an agent, or state anew what it can do.

        Args:
            agent: the exact id; None is the one that uses this handle.
            capabilities: what it can do, each a short text.
            description: a sentence for people.
        """
        return self._write(
            agents.register,
            self.agent if agent is None else check_agent(agent),
            requests.check_capabilities(capabilities),
            checks.check_optional(description, "$.description"),
        )

    def agent_status(self, agent: str | Agent | None = None) -> AgentStatus:
        """Return what is known of an agent and what waits for it; marks nothing.

        Args:
            agent: the exact id; None is the one that uses this handle.
        """
        identity = self.agent if agent is None else getattr(agent, "id", agent)
        return self._read(_status, check_agent(identity))

    def agents(
        self,
        *,
        capabilities: Iterable[str] = (),
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Agent]:
        """Return registered agents by id; with `capabilities` those that have all."""
        return self._read(
            agents.list_agents,
            capabilities=requests.check_capabilities(capabilities),
            limit=_limit(limit),
            cursor=cursor,
        )

    # --- sending ------------------------------------------------------------------

    def send(
        self,
        to: str | Agent | None = None,
        text: str | None = None,
        *,
        capabilities: Iterable[str] = (),
        everyone: bool = False,
        kind: str | None = None,
        priority: Priority = "normal",
        thread: str | None = None,
        reply_to: str | Message | None = None,
        scope: Scope | ScopeName | None = None,
        supersedes: Ids | str = (),
        evidence: Iterable[Any] = (),
        key: str | None = None,
    ) -> Sent:
        """Send a message to one agent, to agents with capabilities, or to everyone.

        Recipients are fixed now, without the sender where they are not named. A
        named recipient need not be registered: it is then listed as `unregistered`.

        Args:
            to: an exact agent id.
            text: the message.
            capabilities: instead of `to`, all registered agents that have all these.
            everyone: instead of `to`, all registered agents.
            kind: what sort of message it is.
            priority: low, normal, high or urgent.
            thread: a name shared by messages; a reply takes that of what it answers.
            reply_to: a message that you sent or received.
            scope: what it is about.
            supersedes: earlier messages of yours to the same recipient.
            evidence: texts, or values whose `str` is one, such as citations.
            key: with the same key, the same request gives the first result.

        Raises:
            NotFound: no one is addressed; `reply_to` or `supersedes` names a message
                that is not yours; `SCOPE_UNKNOWN`.
            Taken: `KEY_REUSED`.
        """
        return self._send(
            requests.address(to, capabilities, everyone),
            text,
            kind=kind,
            priority=priority,
            thread=thread,
            reply_to=reply_to,
            scope=_maybe_scope(scope),
            supersedes=supersedes,
            evidence=evidence,
            key=key,
        )

    def hand_off(
        self,
        to: str | Agent | None = None,
        text: str | None = None,
        *,
        scope: Scope | ScopeName | None = None,
        capabilities: Iterable[str] = (),
        everyone: bool = False,
        kind: str | None = None,
        priority: Priority = "normal",
        thread: str | None = None,
        reply_to: str | Message | None = None,
        supersedes: Ids | str = (),
        evidence: Iterable[Any] = (),
        key: str | None = None,
    ) -> Sent:
        """Hand work in a scope over; it stays until each recipient acknowledges it.

        Takes what `send` takes; `scope` is required.

        Raises:
            InvalidInput: `SCOPE_INVALID` without a scope.
            NotFound, Taken: as for `send`.
        """
        return self._send(
            requests.address(to, capabilities, everyone),
            text,
            handoff=True,
            kind=kind,
            priority=priority,
            thread=thread,
            reply_to=reply_to,
            scope=_maybe_scope(scope),
            supersedes=supersedes,
            evidence=evidence,
            key=key,
        )

    def _send(self, where: requests.Address, text: Any, **options: Any) -> Sent:
        new = requests.new_message(where, text, **options)
        sent: Sent = self._warned(
            self._write(sending.send, new), {"text": new.text, "evidence": new.evidence}
        )
        return sent

    # --- receiving ----------------------------------------------------------------

    def inbox(
        self,
        *,
        unread: bool = False,
        sender: str | Agent | None = None,
        thread: str | None = None,
        scope: Scope | ScopeName | None = None,
        since: int | str | datetime | None = None,
        archived: bool = False,
        limit: int = 50,
        cursor: str | None = None,
        wait: float = 0,
    ) -> InboxPage:
        """Return messages to this agent in the order of its inbox, oldest first.

        Listing changes nothing: a message is unread until `read` is called with its
        id. A superseded message stays listed, and names its replacement.

        Args:
            unread: only unread ones.
            sender: only those of one agent.
            thread: only those of one thread.
            scope: only those bound to exactly this scope.
            since: a sequence of the inbox (exclusive), or a time (inclusive).
            archived: archived ones too.
            limit: how many at most, 1 to 1,000.
            cursor: `next` of the page before.
            wait: seconds to block until there is something to list, whichever
                process sends it; with `since=page.latest` something newer.

        Raises:
            NotFound: `SCOPE_UNKNOWN`.
        """
        wanted = requests.filters(
            unread=unread,
            sender=sender,
            thread=thread,
            scope=_maybe_scope(scope),
            since=since,
            archived=archived,
        )
        deadline = time.monotonic() + checks.check_wait(wait)
        while True:
            page = self._read(
                inbox.list_inbox,
                self.agent,
                wanted,
                limit=_limit(limit),
                cursor=cursor,
            )
            left = deadline - time.monotonic()
            if page or left <= 0:
                return page
            pause(min(_POLL_SECONDS, left))

    def message(self, id: str) -> Message:  # noqa: A002 - its name everywhere
        """Return one message of this agent's inbox.

        Raises:
            NotFound: there is none; a foreign one is the same as an unknown one.
        """
        return self._read(rows.find_message, self.agent, check_text(id, "$.id"))

    def deliveries(self, message: str | Sent) -> tuple[Delivery, ...]:
        """Return what became of a message that this agent sent, at each recipient.

        Raises:
            NotFound: this agent sent no such message.
        """
        identity = check_text(getattr(message, "id", message), "$.message")
        return self._read(rows.deliveries, self.agent, identity)

    def read(self, ids: Ids | str) -> Marked:
        """Mark exactly these messages as read; no ids do nothing.

        Raises:
            NotFound: one is not in this agent's inbox; none is then marked.
        """
        return self._mark("read", ids)

    def acknowledge(self, ids: Ids | str) -> Marked:
        """Acknowledge exactly these messages; a handoff is then done with.

        Raises:
            NotFound: one is not in this agent's inbox; none is then marked.
        """
        return self._mark("acknowledged", ids)

    def archive(self, ids: Ids | str) -> Marked:
        """Archive exactly these messages; `inbox(archived=True)` lists them still.

        Raises:
            NotFound: one is not in this agent's inbox; none is then marked.
        """
        return self._mark("archived", ids)

    def _mark(self, fact: FactName, ids: Ids | str) -> Marked:
        wanted = checks.check_ids(ids, "$.ids")
        if not wanted:
            return Marked(fact)
        return self._write(inbox.mark, fact, wanted)


def _maybe_scope(scope: Any) -> ScopeName | None:
    return None if scope is None else scope_of(scope)


def _limit(limit: int) -> int:
    return checks.check_bound(limit, "$.limit", least=1, most=_MOST)


def _status(conn: sqlite3.Connection, store: int, agent: str) -> AgentStatus:
    latest, unread, handoffs = inbox.waiting(conn, store, agent)
    known = agents.get_agent(conn, store, agent)
    enrolled = audit.is_enrolled(conn, store, agent)
    return AgentStatus(agent, known, enrolled, unread, handoffs, latest)
