"""The laws of search over entities and current observations."""

from __future__ import annotations

import pytest

import hythe


@pytest.fixture
def store():
    with hythe.in_memory(agent="planner") as store:
        yield store


def _texts(hits):
    return [
        hit.observation.text if hit.observation else hit.entity.name for hit in hits
    ]


def test_only_what_is_current_is_found(store):
    """A superseded observation is found only on request, with its replacement."""
    store.observe("billing-api", "uses PostgreSQL 14")
    new = store.observe("billing-api", "uses PostgreSQL 15", replaces=hythe.CURRENT)
    every = store.search("postgresql 14", superseded=True)

    assert ["uses PostgreSQL 15"] == _texts(store.search("PostgreSQL"))
    assert ["uses PostgreSQL 14", "uses PostgreSQL 15"] == _texts(every)
    assert (new.id, None) == (every[0].superseded_by, every[1].superseded_by)


def test_an_observation_is_found_by_its_entity_and_its_text(store):
    """The words of the name count beside those of the text."""
    store.observe("billing-api", "uses PostgreSQL 15")
    store.observe("search-api", "uses tantivy")

    assert "uses PostgreSQL 15" == _texts(store.search("billing postgresql"))[0]


def test_entities_are_found_by_name_alias_and_definition(store):
    """Everything that was said at creation finds an entity."""
    store.entity(
        "ledger", kind="service", aliases=["books"], definition="keeps accounts"
    )
    for query in ("ledger", "books", "service", "accounts"):
        assert ["ledger"] == _texts(store.search(query))


@pytest.mark.parametrize("query", ["云工开物 优惠券", "开物", "学生"])
def test_chinese_is_found_though_a_part_is_absent(store, query):
    """One absent segment does not empty the answer."""
    store.observe("rabatt", "云工开物 300 元学生券")

    assert ["云工开物 300 元学生券"] == _texts(store.search(query))


@pytest.mark.parametrize(
    "query",
    ['say "hi', "foo AND", "(python", "*", "NEAR(", "name:x", "-foo", "a^b", "\x00"],
)
def test_a_query_is_never_syntax(store, query):
    """Whatever is typed is answered, not parsed."""
    store.observe("other", "unrelated")

    assert [] == [text for text in _texts(store.search(query)) if text == "unrelated"]


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_a_blank_query_is_refused(store, query):
    """There is nothing to look for in a blank query."""
    with pytest.raises(hythe.InvalidInput):
        store.search(query)


def test_whole_compounds_rank_first(store):
    """The compound as written ranks above its parts."""
    store.observe("a", "the setaffinity call of sched")
    store.observe("b", "the sched_setaffinity call and more words than the other one")

    assert "b" == store.search("sched_setaffinity")[0].entity.name


def test_pages_joined_are_all_hits(store):
    """Paging neither loses nor repeats, and the total is exact."""
    for number in range(25):
        store.observe("x", f"needle {number}")
    page, found = store.search("needle", limit=10), []
    while True:
        found += _texts(page)
        if page.next is None:
            break
        page = store.search("needle", limit=10, cursor=page.next)

    assert {f"needle {number}" for number in range(25)} == set(found)
    assert (25, 25) == (len(found), page.total)


def test_equal_hits_are_ordered_newest_first(store):
    """Rank order does not depend on random ids."""
    for number in range(5):
        store.observe(f"e{number}", "same words")

    assert ["e4", "e3", "e2", "e1", "e0"] == [
        hit.entity.name for hit in store.search("same words")
    ]


def test_a_long_query_is_answered_or_refused(store):
    """Hundreds of words are answered; beyond 16 KiB the query is refused."""
    store.observe("x", "word7")

    assert ["word7"] == _texts(store.search(" ".join(f"word{n}" for n in range(200))))
    with pytest.raises(hythe.InvalidInput):
        store.search("x" * 20_000)


def test_a_long_token_is_found(store):
    """A token beyond every engine's limit hides nothing after it."""
    store.observe("x", "x" * 70_000 + " tail")

    assert 1 == len(store.search("tail"))
    assert 1 == len(store.search("x" * 10_000))
