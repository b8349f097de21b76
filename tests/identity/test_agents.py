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


def test_one_agent_is_found_by_its_exact_id(store):
    """Another case or an unregistered id is not found."""
    store.register_agent("critic")

    assert "critic" == store.get_agent("critic").id
    for unknown in ("Critic", None):
        with pytest.raises(hythe.NotFound):
            store.get_agent(unknown)


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
