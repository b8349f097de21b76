"""The laws of inboxes: listing never consumes, marks are exact."""

from __future__ import annotations

import multiprocessing
import threading
import time

import pytest

import hythe
from hythe.mail import inbox, requests

STATE = {"objective": "ship", "status": "green", "owner": "planner"}
SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def store():
    with hythe.in_memory(agent="planner") as store:
        store.scope(project="atlas").checkpoint(STATE, parent=None)
        yield store


@pytest.fixture
def critic(store):
    return store.as_agent("critic")


def _texts(page):
    return [message.text for message in page]


def _code(call):
    with pytest.raises(hythe.HytheError) as caught:
        call()
    return caught.value.code


def test_listing_never_consumes(store, critic):
    """Two lists in a row show the same, until an explicit mark."""
    for number in range(4):
        store.send("critic", str(number))

    assert list("0123") == _texts(critic.inbox(unread=True))
    assert critic.inbox(unread=True) == critic.inbox(unread=True)
    assert (4, 4) == (critic.inbox().latest, critic.inbox().unread)


def test_marks_are_separate_facts_with_who_and_when():
    """Read, acknowledged and archived say nothing of each other; the first one stays."""
    clock = iter(range(0, 10**9, 1_000_000)).__next__
    with hythe.in_memory(agent="planner", clock=clock) as store:
        sent = store.send("critic", "x")
        critic = store.as_agent("critic", proven=True)
        critic.acknowledge([sent.id])
        critic.read([sent.id])
        critic.read([sent.id])
        message = critic.message(sent.id)

        assert ("critic", True, 1) == (
            message.acknowledged.agent,
            message.acknowledged.proven,
            message.acknowledged.at.second,
        )
        assert (2, None) == (message.read.at.second, message.archived)


def test_marking_reports_what_matched(store, critic):
    """All ids are matched; only those that were new are changed."""
    ids = [store.send("critic", str(number)).id for number in range(3)]
    first = critic.read(ids[:2])
    again = critic.read(ids)

    assert (tuple(ids[:2]), tuple(ids[:2])) == (first.matched, first.changed)
    assert (tuple(ids), (ids[2],)) == (again.matched, again.changed)
    assert 0 == critic.inbox().unread


@pytest.mark.parametrize("verb", ["read", "acknowledge", "archive"])
def test_an_empty_list_does_nothing(store, critic, verb):
    """No ids mark nothing, and least of all everything."""
    store.send("critic", "x")
    done = getattr(critic, verb)([])

    assert ((), ()) == (done.matched, done.changed)
    assert 1 == critic.inbox().unread


@pytest.mark.parametrize("verb", ["read", "acknowledge", "archive"])
def test_only_the_recipient_can_mark(store, critic, verb):
    """Foreign and unknown ids are the same refusal, and nothing at all is marked."""
    sent = store.send("critic", "x")
    for agent, ids in (
        (store, [sent.id]),
        (critic, [sent.id, "nope"]),
        (critic, [sent.id + "\x00"]),
    ):
        assert "NOT_FOUND" == _code(
            lambda agent=agent, ids=ids: getattr(agent, verb)(ids)
        )
    message = critic.message(sent.id)

    assert (None, None, None) == (message.read, message.acknowledged, message.archived)
    assert "NOT_FOUND" == _code(lambda: store.message(sent.id))


def test_forty_thousand_ids_in_one_call(critic):
    """The number of ids is not bounded by SQL variables."""
    assert "NOT_FOUND" == _code(lambda: critic.read([str(n) for n in range(40_000)]))


def test_a_message_may_stand_for_its_id(store, critic):
    """Messages, or one id alone, are taken where ids are."""
    store.send("critic", "x")
    sent = store.send("critic", "y")
    critic.read(critic.inbox())
    critic.archive(sent.id)

    assert 0 == critic.inbox().unread
    assert ["x"] == _texts(critic.inbox())


def test_archived_messages_are_listed_on_request(store, critic):
    """Archiving takes a message out of the usual listing, and out of what is unread."""
    sent = store.send("critic", "x")
    critic.archive([sent.id])

    assert ([], 0) == (_texts(critic.inbox(unread=True)), critic.inbox().unread)
    assert ["x"] == _texts(critic.inbox(archived=True))


def test_filters_narrow(store, critic):
    """Unread, sender, thread, scope and since each narrow the listing."""
    scope = store.scope(project="atlas")
    one = store.send("critic", "1", thread="t")
    store.send("critic", "2", scope=scope)
    store.as_agent("builder").send("critic", "3", thread="t")
    critic.read([one.id])

    assert ["2", "3"] == _texts(critic.inbox(unread=True))
    assert ["3"] == _texts(critic.inbox(sender="builder"))
    assert ["1", "3"] == _texts(critic.inbox(thread="t"))
    assert ["3"] == _texts(critic.inbox(thread="t", unread=True))
    assert ["2"] == _texts(critic.inbox(scope=scope))
    assert ["2", "3"] == _texts(critic.inbox(since=1))
    assert [] == _texts(critic.inbox(sender="Builder"))
    assert "SCOPE_UNKNOWN" == _code(lambda: critic.inbox(scope=store.scope(task="x")))


def test_since_may_be_a_time():
    """A time is inclusive, a sequence exclusive."""
    clock = iter(range(0, 10**9, 1_000_000)).__next__
    with hythe.in_memory(agent="planner", clock=clock) as store:
        for text in "abc":
            store.send("critic", text)
        critic = store.as_agent("critic")

        assert ["b", "c"] == _texts(critic.inbox(since="1970-01-01T00:00:01Z"))
        assert "INVALID_ARGUMENT" == _code(
            lambda: critic.inbox(since="1970-01-01T00:00:01")
        )


def test_pages_joined_are_the_inbox(store, critic):
    """Paging neither loses nor repeats, while messages arrive and are marked."""
    ids = [store.send("critic", str(number)).id for number in range(12)]
    page, found = critic.inbox(limit=5), []
    while True:
        found += [message.id for message in page]
        if page.next is None:
            break
        critic.read(page)
        page = critic.inbox(limit=5, cursor=page.next)

    assert ids == found


def test_a_cursor_belongs_to_its_inbox_and_filters(store, critic):
    """A cursor of another agent or other filters is refused."""
    for agent in ("critic", "builder"):
        for number in range(2):
            store.send(agent, str(number))
    cursor = critic.inbox(limit=1).next

    assert "INVALID_ARGUMENT" == _code(
        lambda: store.as_agent("builder").inbox(cursor=cursor)
    )
    assert "INVALID_ARGUMENT" == _code(lambda: critic.inbox(unread=True, cursor=cursor))


# --- waiting ------------------------------------------------------------------------


def test_waiting_ends_empty_when_nothing_comes(critic):
    """After the given seconds the page is empty."""
    begun = time.monotonic()

    assert [] == _texts(critic.inbox(wait=0.1))
    assert 0.1 <= time.monotonic() - begun


@pytest.mark.parametrize("wait", [-1, 3_601, "1", True, float("nan")])
def test_a_wait_is_bounded(critic, wait):
    """Seconds, from 0 to an hour."""
    assert "INVALID_ARGUMENT" == _code(lambda: critic.inbox(wait=wait))


def test_what_is_there_already_is_not_waited_for(store, critic):
    """A message that came before the wait began wakes it at once."""
    store.send("critic", "x")

    assert ["x"] == _texts(critic.inbox(wait=3_600))


def _send(path, text):
    with hythe.open(path, agent="planner") as store:
        store.send("critic", text)


def test_every_waiter_wakes_for_another_process(tmp_path):
    """Two waiters both return what another process sends."""
    path = tmp_path / "team.hythe"
    _send(path, "old")
    with hythe.open(path, agent="critic") as critic:
        latest = critic.inbox().latest
        found = [None, None]

        def wait(index):
            found[index] = _texts(critic.inbox(since=latest, wait=60))

        waiters = [threading.Thread(target=wait, args=(index,)) for index in range(2)]
        for waiter in waiters:
            waiter.start()
        sender = SPAWN.Process(target=_send, args=(path, "new"))
        sender.start()
        for waiter in waiters:
            waiter.join()
        sender.join()

        assert [["new"], ["new"]] == found


def test_closing_ends_a_wait(tmp_path):
    """A wait on a closed store is refused, not endless."""
    store = hythe.open(tmp_path / "team.hythe", agent="a")
    threading.Timer(0.1, store.close).start()

    assert "CLOSED" == _code(lambda: store.inbox(wait=60))


# --- many ---------------------------------------------------------------------------


def _send_many(path, agent, count):
    with hythe.open(path, agent=agent, durability="normal") as store:
        for number in range(count):
            store.send("critic", f"{agent} {number}")


def test_simultaneous_sends_all_land(tmp_path):
    """Four processes send at once: each message once, sequences without a gap."""
    path = tmp_path / "team.hythe"
    workers = [
        SPAWN.Process(target=_send_many, args=(path, f"a{number}", 50))
        for number in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    with hythe.open(path, agent="critic") as critic:
        page = critic.inbox(limit=1_000)

        assert list(range(1, 201)) == [message.sequence for message in page]
        assert {f"a{a} {n}" for a in range(4) for n in range(50)} == set(_texts(page))
        assert () == critic.doctor().problems


@pytest.mark.parametrize(
    ("filters", "index"),
    [
        ({}, "mailbox_kept"),
        ({"unread": True}, "mailbox_unread"),
        ({"unread": True, "thread": "t"}, "mailbox_unread"),
        ({"sender": "a"}, "mailbox_by_sender"),
        ({"thread": "t"}, "mailbox_by_thread"),
        ({"scope": hythe.ScopeName("atlas")}, "mailbox_by_scope"),
        ({"unread": True, "archived": True}, None),
    ],
)
def test_a_page_walks_the_narrowest_index(store, filters, index):
    """No listing walks the whole inbox to find the few that are wanted, or sorts."""
    wanted = requests.filters(**filters)

    assert [_walk(index)] == _plans(
        store, inbox.list_inbox, wanted, limit=5, cursor=None
    )


def test_the_sections_of_resume_walk_their_own_index(store):
    """What waits in a scope is found without walking the rest of the inbox."""
    for read, index in (
        (inbox.open_handoffs, "mailbox_open_handoffs"),
        (inbox.unread_messages, "mailbox_unread_in_scope"),
    ):
        assert [_walk(index)] == _plans(store, read, 1, after=0, limit=5)
    for count, index in (
        (inbox.count_open_handoffs, "mailbox_open_handoffs"),
        (inbox.count_unread_messages, "mailbox_unread_in_scope"),
    ):
        assert [_walk(index)] == _plans(store, count, 1)


def _plans(store, read, *args, **options):
    statements = []
    with store._storage.reading() as (conn, number):
        conn.set_trace_callback(statements.append)
        read(conn, number, "critic", *args, **options)
        conn.set_trace_callback(None)
        (listing,) = [said for said in statements if "from mailbox" in said]
        plan = conn.execute(f"explain query plan {listing}").fetchall()
    return [row[3].partition(" (")[0].replace("COVERING ", "") for row in plan]


def _walk(index):
    how = "PRIMARY KEY" if index is None else f"INDEX {index}"
    return f"SEARCH mailbox USING {how}"
