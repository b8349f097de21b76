"""The laws of entities: exact names, made once."""

from __future__ import annotations

import pytest

import hythe

NFC, NFD = "caf\u00e9", "cafe\u0301"


@pytest.fixture
def store():
    with hythe.in_memory(agent="planner") as store:
        yield store


def test_an_entity_is_returned_as_it_was_made(store):
    """Kind, aliases and definition are kept, with who wrote them and when."""
    made = store.entity(
        "billing-api", kind="service", aliases=["billing"], definition="Sends bills."
    )

    assert made == store.get_entity("billing-api")
    assert ("service", ("billing",), "Sends bills.") == (
        made.kind,
        made.aliases,
        made.definition,
    )
    assert ("planner", False, True) == (made.author, made.proven, made.created)


def test_normal_forms_are_one_name_in_the_first_spelling(store):
    """Two names are one iff their NFC forms are equal; the first spelling is kept."""
    store.entity(NFD)

    assert NFD == store.get_entity(NFC).name
    with pytest.raises(hythe.Taken) as caught:
        store.entity(NFC)

    assert "ENTITY_EXISTS" == caught.value.code


@pytest.mark.parametrize(
    "other",
    ["john_doe", "john%", "john*", "JOHN-DOE", "john", "john-doe ", "john-doe\x00"],
)
def test_nothing_but_the_exact_name_resolves(store, other):
    """No wildcard, prefix, case folding or trimming ever picks an entity."""
    store.entity("john-doe", aliases=["jd"])

    assert "john-doe" == store.get_entity("jd").name
    with pytest.raises(hythe.NotFound):
        store.get_entity(other)


@pytest.mark.parametrize("name", ["a\x00b", "%", "_", "*", "' OR 1=1 --", "日本", "🚀"])
def test_any_text_is_a_name(store, name):
    """Names are taken byte for byte, whatever they mean elsewhere."""
    store.entity(name)

    assert name == store.get_entity(name).name


def test_a_batch_reports_each_item(store):
    """A batch makes what is new; what is known, or stands twice in it, is existing."""
    store.entity("Alice")
    made = store.create_entities(
        ["Alice", "Bob", {"name": "Bob", "kind": "x"}, NFC, NFD]
    )

    assert [False, True, False, True, False] == [entity.created for entity in made]
    assert ["Alice", "Bob", "Bob", NFC, NFC] == [entity.name for entity in made]
    assert store.get_entity("Bob").kind is None


def test_an_alias_belongs_to_one_entity(store):
    """An alias that names another entity is refused, and nothing is written."""
    store.entity("a", aliases=["x"])
    before = store.entities()
    for call in (
        lambda: store.entity("b", aliases=["x"]),
        lambda: store.entity("b", aliases=["a"]),
        lambda: store.create_entities(["c", {"name": "b", "aliases": ["x"]}]),
    ):
        with pytest.raises(hythe.Taken) as caught:
            call()

        assert "ALIAS_TAKEN" == caught.value.code
    assert before == store.entities()


def test_the_name_of_an_alias_is_taken(store):
    """An entity cannot be made under another one's alias."""
    store.entity("a", aliases=["x"])

    with pytest.raises(hythe.Taken) as caught:
        store.entity("x")

    assert {"name": "a"} == caught.value.details


def test_aliases_can_be_added(store):
    """A further alias finds the entity; its own name and old aliases change nothing."""
    store.observe("billing-api", "up")
    store.add_aliases("billing-api", ["billing", "billing-api", "billing"])
    found = store.get_entity("billing")

    assert ("billing-api", ("billing",)) == (found.name, found.aliases)
    assert ["billing-api"] == [
        hit.entity.name for hit in store.search("billing") if hit.kind == "entity"
    ]
    with pytest.raises(hythe.NotFound):
        store.add_aliases("nobody", ["x"])


def test_an_unknown_name_gets_near_names(store):
    """The refusal shows names that may have been meant, and picks none."""
    store.create_entities(["billing-api", "billing-db", "search"])

    with pytest.raises(hythe.NotFound) as caught:
        store.get_entity("billing")

    assert ["billing-api", "billing-db"] == sorted(caught.value.details["near"])


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "INVALID_ARGUMENT"),
        (None, "INVALID_ARGUMENT"),
        (7, "INVALID_ARGUMENT"),
        ("x" * 201, "TOO_LARGE"),
        ("\ud800", "TEXT_INVALID"),
    ],
)
def test_what_is_no_name_is_refused(store, name, code):
    """A name is text of 1 to 200 characters that UTF-8 can carry."""
    with pytest.raises(hythe.InvalidInput) as caught:
        store.entity(name)

    assert code == caught.value.code
    assert 0 == len(store.entities())


def test_200_characters_are_a_name(store):
    """The limit counts characters of the NFC form, not bytes."""
    name = "e\u0301" * 200

    assert name == store.entity(name).name


@pytest.mark.parametrize(
    "item", [{"nme": "x"}, {"name": "x", "aliases": "yz"}, {"name": "x", "color": 1}, 3]
)
def test_a_wrong_item_names_its_place(store, item):
    """A batch with one wrong item is refused whole, with the item's path."""
    with pytest.raises(hythe.InvalidInput) as caught:
        store.create_entities(["ok", item])

    assert "$.entities[1]" in caught.value.details["path"]
    assert 0 == len(store.entities())


def test_entities_are_listed_in_the_order_they_were_made(store):
    """Pages joined are the whole listing."""
    names = [f"e{number}" for number in range(25)]
    store.create_entities(names)
    page, found = store.entities(limit=10), []
    while True:
        found += [entity.name for entity in page]
        if page.next is None:
            break
        page = store.entities(limit=10, cursor=page.next)

    assert names == found


def test_a_definition_that_looks_secret_is_flagged(store):
    """What looks like a secret is written, and the result says so."""
    made = store.entity("x", definition="password: hunter2-hunter2")

    assert ["secret_warning"] == [warning.code for warning in made.warnings]


def test_a_retry_under_a_key_gives_back_the_entity(store):
    """The same request under a key is no conflict, another one is."""
    first = store.entity("x", aliases=["a", "b"], key="k")
    again = store.entity("x", aliases=["b", "a"], key="k")

    assert (first, True, False) == (again, first.created, again.created)
    with pytest.raises(hythe.Taken) as caught:
        store.entity("x", kind="y", key="k")

    assert "KEY_REUSED" == caught.value.code
