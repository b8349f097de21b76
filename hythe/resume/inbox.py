"""The caller's handoffs and messages in a scope, in the order of its inbox."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hythe.mail import inbox
from hythe.resume.handles import mail_handle
from hythe.resume.sections import Entry, Section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hythe.mail.model import Message
    from hythe.resume.snapshot import Snapshot

__all__ = ["mail_sections"]

_PAGE = 64


def mail_sections(snapshot: Snapshot, agent: str) -> list[Section]:
    """Return what waits for an agent in a scope; they are paged by sequence."""
    place = (snapshot.conn, snapshot.at.store, agent, snapshot.at.scope)
    return [
        Section(
            "handoffs",
            inbox.count_open_handoffs(*place),
            None,
            partial(_entries, "handoffs", partial(inbox.open_handoffs, *place)),
        ),
        Section(
            "messages",
            inbox.count_unread_messages(*place),
            None,
            partial(_entries, "messages", partial(inbox.unread_messages, *place)),
        ),
    ]


def _entries(
    name: str, listing: Callable[..., tuple[Message, ...]], position: int | None
) -> Iterator[Entry]:
    after = 0 if position is None else position
    while True:
        found = listing(after=after, limit=_PAGE)
        for message in found:
            handle = mail_handle(
                "handoff" if message.handoff else "message", message.id
            )
            yield Entry(name, message.sequence, message, handle)
        if len(found) < _PAGE:
            return
        after = found[-1].sequence
