"""The laws of mail rows that are guarded by digests."""

from __future__ import annotations

import sqlite3

import pytest

import hythe


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "team.hythe"
    with hythe.open(path, agent="planner") as store:
        store.register_agent("critic", capabilities=["review"])
        store.register_agent("builder")
        first = store.send("critic", "one")
        store.send("critic", "two", supersedes=[first.id])
        store.send(text="all", everyone=True, key="k")
        critic = store.as_agent("critic")
        critic.read([first.id])
        critic.archive([first.id])
        issued = store.credentials.issue("critic", ["admin"])
        store.credentials.revoke(issued)
    return path


def _problems(path):
    with hythe.open(path, agent="planner") as store:
        return store.doctor().problems


def test_a_store_as_written_has_no_problems(path):
    """Nothing is reported where nothing was changed."""
    assert () == _problems(path)


@pytest.mark.parametrize(
    "change",
    [
        "update message set text = x'39' where number = 1",
        "update message set author = 'x' where number = 1",
        "update message set priority = 'low' where number = 1",
        "update message set evidence = x'5b' where number = 1",
        "delete from message where number = 1",
        "delete from message_supersession",
        "update delivery set recipient = 'zed' where message = 1",
        "update delivery set message = 2 where recipient = 'builder'",
        "delete from delivery where recipient = 'critic' and sequence = 3",
        "delete from delivery",
        "delete from delivery where recipient = 'builder'",
        "delete from delivery; delete from mailbox",
        "delete from delivery; delete from message",
        "delete from delivery; delete from mailbox; delete from inbox_tally",
        (
            "delete from delivery; delete from mailbox; delete from mark;"
            "update inbox_tally set unread = 0, pruned = latest"
        ),
        (
            "delete from delivery; delete from mailbox; delete from mark;"
            "delete from message; delete from message_supersession;"
            "delete from inbox_tally"
        ),
        "insert into message_supersession values (1, 1, 9)",
        (
            "update message set number = 9 where number = 3;"
            "update delivery set message = 9 where message = 3;"
            "update mailbox set message = 9 where message = 3"
        ),
        (
            "insert into mark select store, recipient, 9, fact, author, proven, "
            "recorded_at, digest from mark"
        ),
        "update mark set author = 'x'",
        "update mark set fact = 'acknowledged' where fact = 'read'",
        "delete from mark where fact = 'read'",
        "update mailbox set unread = 1",
        "update mailbox set archived = 0",
        "update mailbox set sender = 'x'",
        "update mailbox set thread = 'x'",
        "update mailbox set recorded_at = 0",
        "update mailbox set handoff = 1",
        "update mailbox set scope = 1",
        "update mailbox set message = 3 where message = 2",
        "delete from mailbox",
        "delete from mailbox where unread = 0",
        (
            "insert into mailbox select store, 'zed', sequence, message, sender, thread, "
            "scope, recorded_at, handoff, 0, open, archived from mailbox where recipient = 'critic'"
        ),
        "update inbox_tally set unread = 9",
        "update inbox_tally set latest = 9",
        "update inbox_tally set latest = latest + 1, pruned = pruned + 1",
        "delete from inbox_tally",
        "insert into inbox_tally values (1, 'zed', 3, 0, 3)",
        "delete from store",
        "update mark set store = 2",
        "update author_key set store = 2",
        "update author_key set result = 'x'",
        "update agent_registration set capabilities = x'5b5d'",
        "delete from agent_registration where agent = 'builder'",
        "update agent set sequence = 2",
        "insert into agent_capability values (1, 'review', 'zed')",
        "update credential set scopes = x'5b5d'",
        "update credential set expires_at = 1",
        "delete from credential",
        "update credential_audit set author = 'x'",
        "delete from credential_audit where action = 'revoke'",
    ],
)
def test_every_change_behind_our_back_is_found(path, change):
    """Editing, deleting or moving a row with raw SQL is reported."""
    conn = sqlite3.connect(path)
    conn.executescript(change)
    conn.commit()
    conn.close()

    assert () != _problems(path)


@pytest.mark.parametrize(
    "change",
    [
        "update message set text = x'39'",
        "update delivery set unregistered = 1",
        "update mark set recorded_at = 0",
    ],
)
def test_a_changed_row_is_not_served(path, change):
    """Reading verifies: what is not as it was written is refused."""
    conn = sqlite3.connect(path)
    conn.execute(change)
    conn.commit()
    conn.close()
    with (
        hythe.open(path, agent="critic") as store,
        pytest.raises(hythe.Damaged) as caught,
    ):
        store.inbox(archived=True)

    assert "INTEGRITY_FAILED" == caught.value.code
