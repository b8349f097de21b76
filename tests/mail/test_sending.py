"""The laws of sending: recipients are fixed, nothing is sent twice."""

from __future__ import annotations

import pytest

import hythe

STATE = {"objective": "ship", "status": "green", "owner": "planner"}


@pytest.fixture
def store():
    with hythe.in_memory(agent="planner") as store:
        store.scope(project="atlas").checkpoint(STATE, parent=None)
        store.register_agent(capabilities=["plan"])
        store.register_agent("critic", capabilities=["review", "python"])
        store.register_agent("builder", capabilities=["python"])
        yield store


def _refused(call, code):
    with pytest.raises(hythe.HytheError) as caught:
        call()

    assert code == caught.value.code
    return caught.value


def _texts(store, agent, **options):
    return [message.text for message in store.as_agent(agent).inbox(**options)]


def test_a_message_reaches_an_exact_agent(store):
    """The recipient sees what was sent, and no one else does."""
    sent = store.send("critic", "look\x00 ✓", kind="ask", evidence=["hsum://x"])
    (message,) = store.as_agent("critic").inbox()

    assert sent.id == message.id
    assert ("planner", "critic", 1) == (
        message.sender,
        message.recipient,
        message.sequence,
    )
    assert ("look\x00 ✓", "ask", ("hsum://x",), "normal") == (
        message.text,
        message.kind,
        message.evidence,
        message.priority,
    )
    assert [] == _texts(store, "builder") == _texts(store, "planner")


def test_an_unregistered_recipient_is_flagged_and_not_created(store):
    """A message waits for an agent that no one has registered yet."""
    sent = store.send("zed", "hello")

    assert ("zed",) == sent.unregistered
    assert "zed" not in [agent.id for agent in store.agents()]
    assert ["hello"] == _texts(store, "zed")
    assert store.as_agent("zed").inbox()[0].unregistered


def test_capabilities_address_all_agents_that_have_them_all(store):
    """A capability address means every listed capability, and not the sender."""
    store.send(text="both", capabilities=["python", "review"])
    sent = store.as_agent("critic").send(text="python", capabilities=["python"])

    assert ("builder",) == sent.recipients
    assert ["both"] == _texts(store, "critic")
    assert ["python"] == _texts(store, "builder")


def test_everyone_means_those_registered_at_sending(store):
    """Recipients are fixed at sending, without the sender."""
    sent = store.send(text="all", everyone=True)
    store.register_agent("late")

    assert ("builder", "critic") == sent.recipients
    assert [] == _texts(store, "late") == _texts(store, "planner")


def test_no_one_addressed_is_refused(store):
    """A message that no one would get is not sent."""
    _refused(lambda: store.send(text="x", capabilities=["cobol"]), "NOT_FOUND")
    _refused(lambda: store.send(text="x", capabilities=["plan"]), "NOT_FOUND")


@pytest.mark.parametrize(
    "options",
    [
        {"text": "x"},
        {"to": "critic", "text": "x", "everyone": True},
        {"to": "critic", "text": "x", "capabilities": ["python"]},
        {"to": " critic", "text": "x"},
        {"to": "critic\n", "text": "x"},
        {"to": "", "text": "x"},
        {"to": "critic"},
        {"to": "critic", "text": "x", "priority": "later"},
        {"to": "critic", "text": "x", "capabilities": "python"},
        {"to": "critic", "text": "x", "thread": ""},
        {"to": "critic", "text": "x", "scope": "atlas"},
        {"to": "critic", "text": "x", "key": 7},
        {"to": "critic", "text": "\ud800"},
    ],
)
def test_wrong_input_is_refused(store, options):
    """Exactly one address, and every option in its form."""
    with pytest.raises(hythe.InvalidInput):
        store.send(**options)

    assert [] == _texts(store, "critic")


def test_a_message_to_oneself_is_delivered(store):
    """An agent may leave itself a note."""
    store.send("planner", "note")

    assert ["note"] == _texts(store, "planner")


# --- idempotency --------------------------------------------------------------------


def test_the_same_send_under_a_key_is_one_message(store):
    """A retry sends nothing, though agents were registered since."""
    first = store.send(text="all", everyone=True, key="k")
    store.register_agent("late")
    again = store.send(text="all", everyone=True, key="k")

    assert (first, False, True) == (again, first.replayed, again.replayed)
    assert ["all"] == _texts(store, "critic")


def test_another_send_under_a_key_is_refused(store):
    """A key belongs to one request, whatever the verb."""
    store.send("critic", "one", key="k")
    scope = store.scope(project="atlas")
    for call in (
        lambda: store.send("critic", "two", key="k"),
        lambda: store.send("builder", "one", key="k"),
        lambda: store.send("critic", "one", priority="high", key="k"),
        lambda: store.hand_off("critic", "one", scope=scope, key="k"),
        lambda: store.observe("x", "one", key="k"),
    ):
        _refused(call, "KEY_REUSED")

    assert ["one"] == _texts(store, "critic")
    assert not store.as_agent("critic").send("planner", "one", key="k").replayed


# --- threads, replies, corrections --------------------------------------------------


def test_a_reply_joins_the_thread_of_what_it_answers(store):
    """A message begins its own thread, a reply continues it."""
    first = store.send("critic", "question")
    reply = store.as_agent("critic").send("planner", "answer", reply_to=first.id)
    named = store.send("critic", "elsewhere", thread="t", reply_to=reply.id)

    assert first.id == first.thread == reply.thread
    assert "t" == named.thread
    assert ["question"] == _texts(store, "critic", thread=first.thread)
    assert first.id == store.as_agent("planner").inbox()[0].reply_to


def test_only_what_you_sent_or_received_can_be_answered(store):
    """A foreign message is the same as an unknown one."""
    foreign = store.send("critic", "private")
    builder = store.as_agent("builder")
    one = _refused(
        lambda: builder.send("critic", "x", reply_to=foreign.id), "NOT_FOUND"
    )
    two = _refused(lambda: builder.send("critic", "x", reply_to="nope"), "NOT_FOUND")

    assert one.message.replace(foreign.id, "nope") == two.message
    assert "private" not in str(one.as_dict())


def test_a_correction_marks_the_message_it_supersedes(store):
    """Own earlier messages to the same recipient can be superseded; both stay."""
    first = store.send("critic", "deploy at 5")
    second = store.send("critic", "do not deploy", supersedes=[first.id])
    old, new = store.as_agent("critic").inbox()

    assert (second.id, None) == (old.superseded_by, new.superseded_by)
    assert (first.id,) == new.supersedes


def test_only_own_messages_to_the_same_recipient_can_be_superseded(store):
    """Foreign, unknown, and other recipients' messages are refused, nothing is sent."""
    mine = store.send("critic", "x")
    for agent, to, wrong in (
        ("builder", "critic", mine.id),
        ("planner", "builder", mine.id),
        ("planner", "critic", "nope"),
    ):
        _refused(
            lambda agent=agent, to=to, wrong=wrong: store.as_agent(agent).send(
                to, "y", supersedes=[wrong]
            ),
            "NOT_FOUND",
        )

    assert ["x"] == _texts(store, "critic")
    assert [] == _texts(store, "builder")


def test_a_correction_reaches_only_those_it_is_sent_to(store):
    """Whoever did not get the correction still sees the first message as it was."""
    first = store.send(text="all", everyone=True)
    store.send("critic", "but not you", supersedes=[first.id])

    assert store.as_agent("critic").inbox()[0].superseded_by is not None
    assert store.as_agent("builder").inbox()[0].superseded_by is None


# --- handoffs -----------------------------------------------------------------------


def test_a_handoff_is_bound_to_a_known_scope(store):
    """A handoff needs a scope, which must exist."""
    _refused(lambda: store.hand_off("critic", "x"), "SCOPE_INVALID")
    unknown = store.scope(project="atlsa")
    fault = _refused(
        lambda: store.hand_off("critic", "x", scope=unknown), "SCOPE_UNKNOWN"
    )

    assert ["atlas"] == fault.details["near"]
    assert [] == _texts(store, "critic")


def test_a_handoff_is_in_the_inbox_with_its_scope(store):
    """It says that it is one, and where the work is."""
    sent = store.hand_off("critic", "yours", scope=store.scope(project="atlas"))
    (message,) = store.as_agent("critic").inbox(scope=store.scope(project="atlas"))

    assert (True, True) == (sent.handoff, message.handoff)
    assert hythe.ScopeName("atlas") == message.scope


def test_what_looks_secret_is_flagged(store):
    """The message is sent, and the result says so."""
    sent = store.send("critic", "password: hunter2-hunter2")

    assert ["secret_warning"] == [warning.code for warning in sent.warnings]


def test_the_sender_sees_what_became_of_it(store):
    """Deliveries show each recipient's marks, to the sender alone."""
    sent = store.send(text="all", everyone=True)
    store.as_agent("critic").read([sent.id])
    one, two = store.deliveries(sent)

    assert ("builder", None) == (one.recipient, one.read)
    assert ("critic", "critic") == (two.recipient, two.read.agent)
    _refused(lambda: store.as_agent("critic").deliveries(sent.id), "NOT_FOUND")
    _refused(lambda: store.deliveries("nope"), "NOT_FOUND")


def test_a_message_that_says_nothing_is_refused(store):
    """No empty message or handoff is kept, and its key stays free."""
    _refused(lambda: store.send("critic", "", key="k"), "INVALID_ARGUMENT")
    scope = store.scope(project="atlas")
    _refused(lambda: store.hand_off("critic", "", scope=scope), "INVALID_ARGUMENT")
    store.send("critic", "now", key="k")

    assert ["now"] == _texts(store, "critic")
