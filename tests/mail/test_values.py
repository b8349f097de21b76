"""The laws of the values that mail answers with, and of mail in resume."""

from __future__ import annotations

import pytest

import hythe

STATE = {"objective": "ship", "status": "green", "owner": "planner"}


@pytest.fixture
def store():
    with hythe.in_memory(agent="planner", ids=hythe_ids()) as store:
        store.scope(project="atlas").checkpoint(STATE, parent=None)
        yield store


def hythe_ids():
    from hsum._kernel.ids import SequentialIds

    return SequentialIds("mail")


def test_a_repr_is_one_line_that_tells_the_state(store):
    """Every value says what it is and how it stands."""
    store.register_agent("builder", capabilities=["python"])
    sent = store.send("critic", "look", key="k")
    scope = store.scope(project="atlas")
    store.hand_off("critic", "yours", scope=scope)
    critic = store.as_agent("critic")
    marked = critic.read([sent.id])
    inbox = critic.inbox()
    issued = store.credentials.issue("critic", ["admin", "state:read"])
    named = issued.credential.id

    assert f"<Sent {sent.id} to critic, 1 unregistered>" == repr(sent)
    assert repr(store.send("critic", "look", key="k")).endswith(", replayed>")
    assert "<Marked read: 1 of 1 new>" == repr(marked)
    assert "<InboxPage of critic: 2 messages, 1 unread>" == repr(inbox)
    assert "<Message 1 from planner: 'look', read>" == repr(inbox[0])
    assert "<Handoff 2 from planner: 'yours', queued>" == repr(inbox[1])
    assert "<Delivery to critic: read>" == repr(store.deliveries(sent)[0])
    assert repr(inbox[0].read).startswith("<Mark by critic at ")
    assert "<Agent builder: python>" == repr(store.agents()[0])
    assert f"<Issued {named} to critic>" == repr(issued)
    assert f"<Credential {named} of critic: state:read, admin>" == repr(
        issued.credential
    )
    assert "<AuditEntry 1 issue critic by planner>" == repr(
        store.credentials.audit()[0]
    )
    assert [inbox[0], inbox[1]] == list(inbox)


def test_resume_shows_what_waits_in_the_scope(store):
    """Handoffs stay until acknowledged, messages until read; others' are not shown."""
    scope = store.scope(project="atlas")
    handoff = store.hand_off("critic", "yours", scope=scope)
    message = store.send("critic", "look", scope=scope)
    store.send("critic", "elsewhere")
    critic = store.as_agent("critic")
    seen = critic.scope(project="atlas")
    before = seen.resume()
    critic.read([handoff.id, message.id])
    critic.archive([handoff.id])
    between = seen.resume()
    critic.acknowledge([handoff.id])
    after = seen.resume()

    assert ([handoff.id], [message.id]) == tuple(
        [mail.id for mail in part] for part in (before.handoffs, before.messages)
    )
    assert ([handoff.id], 0) == (
        [mail.id for mail in between.handoffs],
        len(between.messages),
    )
    assert (0, 0) == (len(after.handoffs), len(after.messages))
    assert 0 == len(scope.resume().handoffs)
