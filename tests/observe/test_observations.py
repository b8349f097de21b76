"""The laws of observations: immutable, corrected only by further ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hythe


@pytest.fixture
def store():
    with hythe.in_memory(agent="planner") as store:
        yield store


def _refused(call, code):
    with pytest.raises(hythe.HytheError) as caught:
        call()

    assert code == caught.value.code
    return caught.value


def test_nothing_recorded_has_no_current_observation(store):
    """An entity without observations, known or not, has none."""
    store.entity("known")

    assert store.current_observation("known").observation is None
    assert store.current_observation("unknown").observation is None
    assert not store.current_observation("known")
    store.observe("known", "is up")
    assert store.current_observation("known")
    assert () == store.observations("unknown").items


def test_one_observation_is_the_current_one(store):
    """What is observed comes back whole."""
    made = store.observe(
        "db",
        "PostgreSQL 15\x00 ✓",
        kind="config",
        evidence=["hsum://x"],
        metadata={"n": 1, "deep": {"a": [None, 1.5]}},
    )
    current = store.current_observation("db")

    assert made == current.observation
    assert ("PostgreSQL 15\x00 ✓", "config") == (made.text, made.kind)
    assert {"n": 1, "deep": {"a": [None, 1.5]}} == made.metadata
    assert (0, ()) == (current.also_live_count, tuple(current.also_live))


def test_replacing_current_supersedes_it_alone(store):
    """CURRENT is what is current when the write happens; named ids are added."""
    first = store.observe("db", "14")
    second = store.observe("db", "15")
    third = store.observe("db", "16", replaces=hythe.CURRENT)
    current = store.current_observation("db")

    assert (third, (first,)) == (current.observation, tuple(current.also_live))
    assert (second.id,) == third.supersedes
    fourth = store.observe(
        "db", "17", replaces="replace-current", supersedes=[first.id]
    )

    assert {first.id, third.id} == set(fourth.supersedes)
    assert 0 == store.current_observation("db").also_live_count


def test_replacing_the_current_of_nothing_appends(store):
    """The first observation may replace current: there is nothing to supersede."""
    made = store.observe("db", "15", replaces=hythe.CURRENT)

    assert () == made.supersedes


def test_a_superseded_observation_is_kept_and_names_its_correction(store):
    """A correction changes no row; the old one says what replaced it."""
    first = store.observe("db", "14")
    second = store.observe("db", "15", supersedes=first)
    kept = store.observation(first.id)

    assert first == kept
    assert (second.id, None) == (kept.superseded_by, second.superseded_by)
    assert [second, first] == list(store.observations("db"))
    assert [second] == list(store.observations("db", live=True))


def test_disagreement_is_seen_not_settled(store):
    """Several live observations: the newest is current, the others are shown."""
    made = [store.observe("db", str(number)) for number in range(30)]
    current = store.current_observation("db")

    assert (made[-1], 29) == (current.observation, current.also_live_count)
    assert made[-2:-22:-1] == list(current.also_live)


def test_an_old_observation_can_be_superseded_twice(store):
    """Two corrections of one observation both stay, and disagree."""
    first = store.observe("db", "14")
    one = store.observe("db", "15", supersedes=[first.id])
    two = store.observe("db", "16", supersedes=[first.id, first.id])
    current = store.current_observation("db")

    assert (two, [one]) == (current.observation, list(current.also_live))
    assert two.id == store.observation(first.id).superseded_by


def test_unknown_and_foreign_ids_are_refused_before_anything_is_written(store):
    """`supersedes` takes only observations of the same entity."""
    foreign = store.observe("other", "x")
    for wrong in ("nope", foreign.id, "\x00", foreign.id + "\x00"):
        fault = _refused(
            lambda wrong=wrong: store.observe("db", "15", supersedes=[wrong]),
            "NOT_FOUND",
        )

        assert [wrong] == fault.details["ids"]
    assert ["other"] == [entity.name for entity in store.entities()]


def test_forty_thousand_ids_in_one_call(store):
    """The number of ids in a call is not bounded by SQL variables."""
    ids = [str(number) for number in range(40_000)]
    fault = _refused(lambda: store.observe("db", "x", supersedes=ids), "NOT_FOUND")

    assert 40_000 == fault.details["count"]


def _nested(levels):
    data = {}
    for _ in range(levels):
        data = {"a": data}
    return data


def test_a_call_is_bounded_as_a_whole(store):
    """Texts of 16 MiB each are taken until the call has 64 MiB."""
    large = "x" * (16 * 2**20)
    fault = _refused(
        lambda: store.observe("db", "x", evidence=[large] * 4), "TOO_LARGE"
    )

    assert 64 * 2**20 == fault.details["limit"]
    fault = _refused(
        lambda: store.observe("db", "x", evidence=["e"] * 10_001), "TOO_LARGE"
    )

    assert "$.evidence" == fault.details["path"]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"text": None}, "INVALID_ARGUMENT"),
        ({"text": "\udc80"}, "TEXT_INVALID"),
        ({"text": "x" * (16 * 2**20 + 1)}, "TOO_LARGE"),
        ({"replaces": True}, "INVALID_ARGUMENT"),
        ({"kind": ""}, "INVALID_ARGUMENT"),
        ({"kind": "x" * 101}, "TOO_LARGE"),
        ({"evidence": "abc"}, "INVALID_ARGUMENT"),
        ({"evidence": [1]}, "INVALID_ARGUMENT"),
        ({"metadata": [1]}, "INVALID_ARGUMENT"),
        ({"metadata": {"a": float("nan")}}, "INVALID_ARGUMENT"),
        ({"metadata": {"a": {"b": "\ud800"}}}, "TEXT_INVALID"),
        ({"metadata": _nested(101)}, "TOO_LARGE"),
        ({"metadata": _nested(100_000)}, "TOO_LARGE"),
        ({"supersedes": 7}, "INVALID_ARGUMENT"),
        ({"key": ""}, "INVALID_ARGUMENT"),
    ],
)
def test_wrong_input_is_refused_with_its_path(store, options, code):
    """Every argument is checked before anything is read or written."""
    fault = _refused(lambda: store.observe("db", **{"text": "x"} | options), code)

    assert fault.details["path"].startswith("$.")
    assert 0 == len(store.entities())


def test_evidence_may_be_anything_whose_text_is_it(store):
    """A value such as a citation is recorded as its text."""

    class Citation:
        def __str__(self):
            return "hsum://v1/a"

    made = store.observe("db", "x", evidence=[Citation()])

    assert ("hsum://v1/a",) == made.evidence


# --- idempotency --------------------------------------------------------------------


def test_the_same_request_under_a_key_gives_the_first_result(store):
    """A retry adds nothing, at any later time."""
    first = store.observe("db", "15", replaces=hythe.CURRENT, key="k")
    store.observe("db", "16", replaces=hythe.CURRENT)
    again = store.observe("db", "15", replaces=hythe.CURRENT, key="k")

    assert first == again
    assert (False, True) == (first.replayed, again.replayed)
    assert 2 == len(store.observations("db"))


@pytest.mark.parametrize(
    "other",
    [
        {"text": "16"},
        {"entity": "cache"},
        {"kind": "config"},
        {"metadata": {"a": 1}},
        {"evidence": ["x"]},
        {"replaces": hythe.CURRENT},
    ],
)
def test_another_request_under_a_key_is_refused(store, other):
    """A key belongs to one request; the refusal shows nothing of it."""
    store.observe("db", "secret words", key="k")
    request = {"entity": "db", "text": "secret words", "key": "k"} | other
    fault = _refused(lambda: store.observe(**request), "KEY_REUSED")

    assert "secret" not in str(fault.as_dict())
    assert 1 == len(store.observations("db"))


def test_a_key_belongs_to_its_author(store):
    """Two agents may use the same key."""
    one = store.observe("db", "15", key="k")
    two = store.as_agent("critic").observe("db", "16", key="k")

    assert one.id != two.id


def test_supersedes_is_a_set_in_the_request(store):
    """The order of the ids is no part of the request."""
    ids = [store.observe("db", str(number)).id for number in range(3)]
    first = store.observe("db", "x", supersedes=ids, key="k")
    again = store.observe("db", "x", supersedes=ids[::-1], key="k")

    assert first == again


def test_a_refused_call_reserves_no_key(store):
    """A key can be used after a call under it was refused."""
    _refused(lambda: store.observe("db", "x", supersedes=["no"], key="k"), "NOT_FOUND")

    assert not store.observe("db", "x", key="k").replayed


def test_an_alias_asks_for_the_same_entity(store):
    """A retry by alias or by another normal form is the same request."""
    store.entity("caf\u00e9", aliases=["k"])
    first = store.observe("caf\u00e9", "open", key="1")

    assert first == store.observe("cafe\u0301", "open", key="1")
    assert first == store.observe("k", "open", key="1")


# --- order and time -----------------------------------------------------------------


def test_client_time_never_picks_the_current_one():
    """A clock that runs ahead or backwards changes no order."""
    clock = iter([4_000_000_000_000_000, 1, 2]).__next__
    with hythe.in_memory(agent="a", clock=clock) as store:
        made = [store.observe("db", text, metadata={"at": "2099"}) for text in "abc"]

        assert made[-1] == store.current_observation("db").observation
        assert [3, 2, 1] == [found.sequence for found in store.observations("db")]


def test_pages_joined_are_the_whole_history(store):
    """Paging neither loses nor repeats, while new ones are appended."""
    made = [store.observe("db", str(number)) for number in range(25)]
    page, found = store.observations("db", limit=10), []
    while True:
        found += page
        store.observe("db", "more")
        if page.next is None:
            break
        page = store.observations("db", limit=10, cursor=page.next)

    assert made[::-1] == found


def test_a_cursor_belongs_to_its_listing(store):
    """A cursor of another entity or call is refused."""
    for name in ("a", "b"):
        for number in range(3):
            store.observe(name, str(number))
    cursor = store.observations("a", limit=1).next
    for call in (
        lambda: store.observations("b", limit=1, cursor=cursor),
        lambda: store.observations("a", live=True, cursor=cursor),
        lambda: store.observations("a", cursor="x"),
        lambda: store.observations("a", limit=0),
        lambda: store.observations("a", limit=1_001),
    ):
        _refused(call, "INVALID_ARGUMENT")


# --- against a plain model ----------------------------------------------------------

STEPS = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.booleans(),
        st.lists(st.integers(0, 12), max_size=3),
    ),
    max_size=12,
)


@given(STEPS)
def test_liveness_is_what_the_supersession_graph_says(steps):
    """Live is exactly what no other observation of the entity supersedes."""
    made = {"a": [], "b": []}
    gone = set()
    with hythe.in_memory(agent="a") as store:
        for name, replaces, picks in steps:
            known = made[name]
            live = [one.id for one in known if one.id not in gone]
            named = {known[pick].id for pick in picks if pick < len(known)}
            mode = hythe.CURRENT if replaces else None
            new = store.observe(name, "x", supersedes=named, replaces=mode)
            gone |= named | set(live[-1:] if replaces else [])
            known.append(new)
        for name, known in made.items():
            live = [one for one in known if one.id not in gone][::-1]
            current = store.current_observation(name)

            assert live[:1] == [one for one in [current.observation] if one]
            assert live[1:] == list(current.also_live)
            assert max(0, len(live) - 1) == current.also_live_count
            assert live == list(store.observations(name, live=True))
