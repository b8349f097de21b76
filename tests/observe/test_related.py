"""The laws of what bears on an intent within a scope."""

from __future__ import annotations

import json

import pytest

import hythe
from hythe._api.memory import text_of
from hythe.observe.neighbors import Edge, Step, Walk
from hythe.observe.ranking import rank

STATE = {"objective": "ship", "status": "green", "owner": "planner"}


@pytest.fixture
def store():
    with hythe.in_memory(agent="planner") as store:
        store.scope(project="atlas").checkpoint(STATE, parent=None)
        store.observe("billing-db", "uses PostgreSQL 14")
        store.observe("billing-db", "uses PostgreSQL 15", replaces=hythe.CURRENT)
        store.observe("other-db", "uses PostgreSQL 9")
        store.relate("atlas", "contains", "billing-api")
        store.relate("billing-api", "uses", "billing-db")
        store.observe("billing-api", "port 8080")
        yield store


@pytest.fixture
def scope(store):
    return store.scope(project="atlas")


def test_what_is_near_the_scope_comes_first(store, scope):
    """Equal finds are ranked by how near they lie to the scope."""
    found = store.related(scope, "postgresql")

    assert ["billing-db", "other-db"] == [
        item.entity.name
        for item in found
        if item.observation and "PostgreSQL" in item.observation.text
    ]


def test_only_what_is_current_comes_up(store, scope):
    """Superseded observations stay out; what is shown says that it is current."""
    texts = {
        item.observation.text: item.is_current
        for item in store.related(scope, "postgresql 14")
        if item.observation
    }

    assert "uses PostgreSQL 14" not in texts
    assert texts["uses PostgreSQL 15"]


def test_neighbors_come_with_their_path(store, scope):
    """What no word matches comes up over relations, with their ids."""
    items = {item.entity.name: item for item in store.related(scope, "postgresql")}
    path = {relation.id for relation in store.relations("billing-api")}
    api = items["billing-api"]

    assert 1 == api.hops
    assert path >= set(api.path)
    assert "port 8080" == api.observation.text


def test_the_scope_alone_answers_an_intent_without_words(store, scope):
    """Without a match the surroundings of the scope come up."""
    found = store.related(scope, "???")

    assert ["atlas", "billing-api", "billing-db"] == [i.entity.name for i in found]


@pytest.mark.parametrize("budget", [200, 400, 1_000, 4_000])
def test_the_budget_holds_for_the_whole_answer(store, scope, budget):
    """The compact JSON measures no more than the budget, and says what is left out."""
    found = store.related(scope, "postgresql", budget=budget, count_tokens=len)

    assert len(text_of(found)) <= budget
    assert found.total == len(found) + found.left_out
    assert json.loads(text_of(found))["untrustedContent"]


def test_a_budget_without_room_is_refused(store, scope):
    """The refusal names the minimum, which is then enough."""
    with pytest.raises(hythe.InvalidInput) as caught:
        store.related(scope, "postgresql", budget=10)

    assert "BUDGET_TOO_SMALL" == caught.value.code
    minimum = caught.value.details["minimum"]

    assert 0 == len(store.related(scope, "postgresql", budget=minimum))


def test_an_unknown_scope_is_refused(store):
    """The scope must exist, exactly."""
    with pytest.raises(hythe.NotFound) as caught:
        store.related(store.scope(project="atlsa"), "x")

    assert "SCOPE_UNKNOWN" == caught.value.code
    with pytest.raises(hythe.InvalidInput):
        store.related("atlas", "x")


def test_a_find_is_worth_more_than_what_it_leads_to():
    """Each relation halves the worth; nearness to the scope raises a find."""
    edge = Edge(7, 1, 2)
    walk = Walk({1: Step(0), 2: Step(1, (7,))}, {7: edge})
    ranked = rank({1: 4.0}, [3], walk, Walk({3: Step(0)}))

    assert [(1, 4.0, ()), (2, 2.0, (7,)), (3, 2.0, ())] == [
        (one.entity, one.score, one.path) for one in ranked
    ]
    near = rank({1: 4.0}, [2], walk, Walk({2: Step(0), 1: Step(1, (7,))}, {7: edge}))

    assert 6.0 == near[0].score


@pytest.mark.parametrize("intent", ["", " \n"])
def test_a_blank_intent_is_refused(intent):
    """What is to be done must be said, as a query must ask for something."""
    with hythe.in_memory(agent="planner") as store:
        scope = store.scope(project="atlas")
        scope.checkpoint(
            {"objective": "o", "status": "s", "owner": "planner"}, parent=None
        )
        with pytest.raises(hythe.InvalidInput) as caught:
            store.related(scope, intent)

    assert "INVALID_ARGUMENT" == caught.value.code
