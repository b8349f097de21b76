"""The laws of the values that memory answers with."""

from __future__ import annotations

import pickle

import pytest

import hythe
from hythe.observe.model import Late


@pytest.fixture
def store():
    with hythe.in_memory(agent="planner") as store:
        for number in range(3):
            store.observe("db", f"value {number}")
        store.relate("api", "uses", "db")
        yield store


def test_a_repr_is_one_line_that_tells_the_state(store):
    """Every value says what it is and how it stands."""
    store.scope(project="db").checkpoint(
        {"objective": "o", "status": "s", "owner": "w"}, parent=None
    )
    related = store.related(store.scope(project="db"), "value")
    values = {
        "<Entity 'db'>": store.get_entity("db"),
        "<Current of 'db': 'value 2', 2 more live>": store.current_observation("db"),
        "<Relation 'api' uses 'db'>": store.relations("db")[0],
        "<Neighborhood of 'api': 1 entities, 1 relations, 0 left out>": (
            store.neighborhood("api")
        ),
        "<Near 'db', 1 hops>": store.neighborhood("api").near[0],
        "<Hits 1 of 1 for 'uses api'>": store.search("uses api"),
        "<Page 1 items, more>": store.entities(limit=1),
        f"<Related {len(related)} of {related.total}, {related.tokens} tokens>": related,
    }

    assert list(values) == [repr(value) for value in values.values()]
    assert repr(related[0]).startswith("<RelatedItem ")
    assert repr(store.search("api")[0]).startswith("<Hit ")


def test_answers_are_sequences(store):
    """Hits and related items have a length, an order and slices."""
    hits = store.search("value")

    assert list(hits) == [hits[0], hits[1], hits[2]] == list(hits[:])
    assert hits[0] in hits


def test_late_observations_are_a_tuple_to_whoever_looks(store):
    """They compare, hash, show and pickle as the tuple that they stand for."""
    for number in range(20):
        store.observe("db", f"more {number}")
    late = store.current_observation("db").also_live
    plain = tuple(late)

    assert isinstance(late, Late)
    assert late == plain
    assert late == store.current_observation("db").also_live
    assert late != plain[1:]
    assert late != list(plain)
    assert (hash(plain), repr(plain)) == (hash(late), repr(late))
    assert plain == pickle.loads(pickle.dumps(late))
    assert 20 == len(late)
