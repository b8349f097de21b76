"""The laws of registered agents."""

from __future__ import annotations

import pytest

import hythe


@pytest.fixture
def store():
    with hythe.in_memory(agent="planner") as store:
        yield store


def test_an_agent_registers_with_what_it_can_do(store):
    """Capabilities and description are kept, with who registered it."""
    made = store.register_agent(
        "critic", capabilities=["review", "python", "review"], description="reads code"
    )

    assert ("critic", ("python", "review"), "reads code", "planner", False) == (
        made.id,
        made.capabilities,
        made.description,
        made.author,
        made.enrolled,
    )
    assert [made] == list(store.agents())


def test_the_newest_registration_counts(store):
    """Registering again states capabilities anew; the same again writes nothing."""
    store.register_agent("critic", capabilities=["review"])
    second = store.register_agent("critic", capabilities=["plan"])

    assert second == store.register_agent("critic", capabilities=["plan"])
    assert [] == list(store.agents(capabilities=["review"]))
    assert [second] == list(store.agents(capabilities=["plan"]))
    assert () == store.doctor().problems


def test_without_an_id_the_caller_registers(store):
    """The agent that uses the handle is the default."""
    assert "planner" == store.register_agent().id


def test_the_status_of_an_agent_tells_what_waits(store):
    """Registered or not, it shows registration, enrolment, mail; and marks nothing."""
    store.send("critic", "x")
    before = store.agent_status("critic")
    store.register_agent("critic")
    store.credentials.issue("critic", ["admin"])
    after = store.agent_status("critic")

    assert (None, False, 1, 1) == (
        before.agent,
        before.enrolled,
        before.unread,
        before.latest,
    )
    assert ("critic", True) == (after.agent.id, after.enrolled)
    assert "planner" == store.agent_status().id


def test_agents_are_paged_by_id(store):
    """Pages joined are all agents in the order of their ids."""
    for name in "cabed":
        store.register_agent(name, capabilities=["x"])
    page = store.agents(limit=3)
    rest = store.agents(limit=3, cursor=page.next)

    assert list("abcde") == [agent.id for agent in (*page, *rest)]
    assert rest.next is None
    assert 2 == len(store.agents(capabilities=["x"], limit=2))


@pytest.mark.parametrize(
    "options",
    [
        {"agent": "a b"},
        {"capabilities": "review"},
        {"capabilities": [""]},
        {"capabilities": [str(number) for number in range(101)]},
        {"description": 7},
    ],
)
def test_wrong_input_is_refused(store, options):
    """Ids and capabilities are taken in their form only."""
    with pytest.raises(hythe.InvalidInput):
        store.register_agent(**options)

    assert 0 == len(store.agents())
