"""The laws of relations and neighborhoods."""

from __future__ import annotations

import pytest

import hythe


@pytest.fixture
def store():
    with hythe.in_memory(agent="planner") as store:
        yield store


def _names(around):
    return [(near.entity.name, near.hops) for near in around.near]


def test_a_relation_makes_its_ends(store):
    """Naming an entity in a relation is enough for it to exist."""
    made = store.relate("api", "depends on", "db", evidence=["hsum://x"])

    assert ("api", "depends on", "db") == (made.source, made.type, made.target)
    assert ["api", "db"] == [entity.name for entity in store.entities()]
    assert [made] == list(store.relations("api")) == list(store.relations("db"))


def test_the_same_relation_is_given_back(store):
    """Equal ends, type and evidence are one relation; other evidence is another."""
    first = store.relate("api", "uses", "db")
    again = store.relate("api", "uses", "db")
    other = store.relate("api", "uses", "db", evidence=["x"])

    assert (first, True) == (again, again.replayed)
    assert first.id != other.id


def test_a_neighborhood_is_found_in_both_directions(store):
    """Relations are followed from either end, one or two hops, nearest first."""
    store.relate("api", "uses", "db")
    store.relate("web", "calls", "api")
    store.relate("db", "runs on", "linux")
    one = store.neighborhood("api")
    two = store.neighborhood("api", hops=2)

    assert {("db", 1), ("web", 1)} == set(_names(one))
    assert ("linux", 2) == _names(two)[-1]
    assert (2, 3) == (len(one.relations), len(two.relations))
    assert two.complete


def test_a_path_names_the_relations_that_lead_there(store):
    """The path to a neighbor holds the ids of relations that join end to end."""
    first = store.relate("api", "uses", "db")
    second = store.relate("db", "runs on", "linux")
    near = {n.entity.name: n.path for n in store.neighborhood("api", hops=2).near}

    assert {"db": (first.id,), "linux": (first.id, second.id)} == near


def test_a_hub_is_bounded_and_says_what_it_left_out(store):
    """At most `limit` relations are followed, the newest first."""
    for number in range(30):
        store.relate("hub", "has", f"part {number}")
    around = store.neighborhood("hub", limit=10)

    assert [(f"part {number}", 1) for number in range(29, 19, -1)] == _names(around)
    assert (20, False) == (around.left_out, around.complete)


def test_an_entity_may_relate_to_itself(store):
    """A loop is one relation and leads nowhere."""
    store.relate("x", "knows", "x")
    around = store.neighborhood("x", hops=2)

    assert ((), 1, 0) == (around.near, len(around.relations), around.left_out)
    assert 1 == len(store.relations("x"))


@pytest.mark.parametrize("options", [{"hops": 0}, {"hops": 3}, {"limit": 0}])
def test_bounds_are_held(store, options):
    """One or two hops, and a positive limit."""
    store.entity("x")

    with pytest.raises(hythe.InvalidInput):
        store.neighborhood("x", **options)


def test_the_neighborhood_of_an_unknown_entity_is_refused(store):
    """A name that was never used has no neighborhood."""
    with pytest.raises(hythe.NotFound):
        store.neighborhood("nobody")
    with pytest.raises(hythe.NotFound):
        store.relations("nobody")


def test_relations_are_paged(store):
    """Pages joined are all relations of an entity, newest first."""
    made = [store.relate("hub", "has", str(number)) for number in range(7)]
    page, found = store.relations("hub", limit=3), []
    while True:
        found += page
        if page.next is None:
            break
        page = store.relations("hub", limit=3, cursor=page.next)

    assert made[::-1] == found


def test_a_relation_needs_a_type(store):
    """The type is text of 1 to 100 characters."""
    for wrong in (None, "", "x" * 101):
        with pytest.raises(hythe.InvalidInput):
            store.relate("a", wrong, "b")


def test_a_retry_under_a_key_gives_back_the_relation(store):
    """A key belongs to one relation."""
    first = store.relate("a", "uses", "b", key="k")

    assert first == store.relate("a", "uses", "b", key="k")
    with pytest.raises(hythe.Taken):
        store.relate("a", "uses", "c", key="k")
