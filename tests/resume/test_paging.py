"""Budgets, pages, handles and cursors on real stores."""

from __future__ import annotations

import json

import pytest

import hythe
from hythe import Event, Fact, Loop, State
from hythe.resume.sections import SECTIONS
from hythe.resume.wire import compact, wire
from tests.resume.corpora import texts
from tests.resume.o200k import o200k
from tests.resume.stores import STATE, follow, store_in_memory


@pytest.mark.parametrize("budget", [512, 513, 1_000, 4_000, 32_000])
def test_no_page_is_over_budget(filled, budget):
    """Every page fits, in both forms, by the default counter and by o200k."""
    for found in follow(filled, budget):
        forms = str(found), compact(wire(found))

        assert max(map(o200k, forms)) <= found.tokens <= budget


@pytest.mark.parametrize("budget", [1_000, 4_000, 32_000])
@pytest.mark.parametrize("kind", ["prose", "latin", "code", "json"])
def test_the_default_counter_is_close(store, kind, budget):
    """Bundles of prose and code cost at most 1.4 times what o200k counts."""
    scope = store.scope(project="atlas")
    scope.checkpoint(
        STATE,
        parent=None,
        facts=[Fact("s", f"p{n}", texts(n, 600)[kind]) for n in range(60)],
    )
    found = scope.resume(budget=budget)
    exact = max(o200k(str(found)), o200k(compact(found.as_dict())))

    assert exact <= found.tokens <= 1.4 * exact


@pytest.mark.parametrize("budget", [512, 700, 1_500, 6_000])
def test_pages_joined_equal_the_sections(filled, budget):
    """All pages joined are the unbudgeted sections, but for what became a handle."""
    whole, pages = filled.resume(budget=10**7), follow(filled, budget)

    assert whole.complete
    for name in set(SECTIONS) - {"working"}:
        joined = [one for found in pages for one in getattr(found, name)]
        held = sum(o.section == name for found in pages for o in found.oversize)
        kept = iter(getattr(whole, name))
        assert all(any(one == other for other in kept) for one in joined)
        assert len(getattr(whole, name)) == len(joined) + held


def test_a_section_asked_for_alone_is_paged_alone(filled):
    """With `sections` the cursor goes through these only."""
    pages = follow(filled, 800, sections=["current_facts"])
    whole = filled.resume(budget=10**7)

    assert len(whole.current_facts) == sum(
        len(found.current_facts) + len(found.oversize) for found in pages
    )
    assert all(not found.heads for found in pages)


def test_every_handle_reads_its_value(filled):
    """What became a handle is read whole, piece by piece, at its stated size."""
    store = store_of(filled)
    oversize = [one for found in follow(filled, 512) for one in found.oversize]

    assert any(one.section == "current_facts" for one in oversize)
    for one in oversize:
        data, offset = b"", 0
        while offset is not None:
            piece = store.fetch(one.handle, offset=offset, max_bytes=30_001)
            data, offset = data + piece.data, piece.next
        assert one.bytes == len(data)
        assert json.loads(data)


def store_of(scope):
    """Return a store on the same file as a scope, as the same agent."""
    return hythe.Store(scope._storage, scope.agent)


def test_pieces_smaller_than_a_character_still_move_on(filled):
    """A piece of one byte is given as such, so that a reader reaches the end."""
    store = store_of(filled)
    (one,) = list(filled.resume(budget=4_000).oversize)[:1] or [None]
    whole = store.fetch(one.handle, max_bytes=10**6).data
    data, offset = b"", 0
    while offset is not None and offset < 200:
        piece = store.fetch(one.handle, offset=offset, max_bytes=1)
        data, offset = data + piece.data, piece.next

    assert whole.startswith(data)
    assert b"" == store.fetch(one.handle, offset=10**6).data


def test_each_kind_of_value_has_a_handle_of_its_own(store):
    """State, fact, loop, decision, evidence and definition are read by their handles."""
    long = "x" * 5_000
    store.entity("atlas", definition=long)
    scope = store.scope(project="atlas")
    scope.checkpoint(
        State(long, "green", "planner"),
        parent=None,
        facts=[Fact("a", "b", long)],
        loops=[Loop(long, due_at="2026-02-01T00:00:00Z")],
        events=[Event("decision", long, at="2026-01-01T00:00:00Z")],
        evidence=[long],
    )
    found = scope.resume(budget=2_000)
    sections = "definition working open_loops current_facts decisions evidence"

    assert sections.split() == [one.section for one in found.oversize]
    for one in found.oversize:
        assert one.bytes == len(store.fetch(one.handle).data)
        assert long in store.fetch(one.handle).text
    assert 'due_at "2026' not in str(scope.resume(budget=10**5))
    assert "due_at 2026-02-01T00:00:00Z" in str(scope.resume(budget=10**5))


@pytest.mark.parametrize(
    "part", ["fact/9", "loop/0", "event/0", "evidence/0", "legacy/0"]
)
def test_a_place_without_a_value_is_not_found(store, part):
    """A handle of a place where nothing was recorded is refused."""
    first = store.scope(project="atlas").checkpoint(STATE, parent=None)
    for owner in (first.id, "7", "nobody"):
        with pytest.raises(hythe.NotFound) as refused:
            store.fetch(f"hythe://value/{owner}/{part}")
        assert "NOT_FOUND" == refused.value.code
    for handle in ("hythe://value/nobody/entity", "hythe://snapshot/nobody"):
        with pytest.raises(hythe.NotFound):
            store.fetch(handle)


def test_only_a_change_to_the_section_makes_its_cursor_stale(paged):
    """Loops, branches and mail leave the facts' cursor; a fact does not."""
    store, scope, last = paged
    token = scope.resume(budget=900, sections=["current_facts"]).next
    last = scope.record(last, loops=[Loop("l")], events=[Event("decision", "d")])
    last = scope.patch(last, {"status": "red"})
    scope.checkpoint(STATE, parent=1, facts=[Fact("a", "b", "c")])
    store.as_agent("critic").send("planner", "new", scope=scope)

    assert scope.resume(budget=900, cursor=token).current_facts
    scope.record(last, facts=[Fact("a", "b", "c")])
    with pytest.raises(hythe.Stale) as refused:
        scope.resume(budget=900, cursor=token)
    assert "STALE_CURSOR" == refused.value.code


def test_a_cursor_goes_with_its_own_section_alone(paged):
    """`sections` may repeat the section of the cursor, and name no other alone."""
    _, scope, _ = paged
    token = scope.resume(budget=900, sections=["current_facts"]).next
    again = scope.resume(budget=900, cursor=token, sections=["heads", "current_facts"])

    assert again.current_facts
    with pytest.raises(hythe.InvalidInput):
        scope.resume(budget=900, cursor=token, sections=["heads"])


def test_messages_never_go_stale(paged):
    """Messages are paged by sequence: reading and sending between pages is fine."""
    store, scope, _ = paged
    first = scope.resume(budget=900, sections=["messages"])
    store.read([message.id for message in first.messages])
    store.as_agent("critic").send("planner", "the last", scope=scope)
    seen = [message.text for message in first.messages]
    page = first
    while page.next:
        page = scope.resume(budget=900, cursor=page.next)
        seen += [message.text for message in page.messages]

    assert [f"m{n}" for n in range(30)] + ["the"] == [text.split()[0] for text in seen]


def test_a_cursor_belongs_to_its_caller_scope_and_version(paged):
    """Another agent, scope, version or store cannot use a cursor."""
    store, scope, _ = paged
    token = scope.resume(budget=900, sections=["current_facts"]).next
    other = store.scope(project="other")
    other.checkpoint(STATE, parent=None)
    with store_in_memory() as another:
        foreign = another.scope(project="atlas")
        foreign.checkpoint(STATE, parent=None)
        wrong = [
            lambda: (
                store.as_agent("critic").scope(project="atlas").resume(cursor=token)
            ),
            lambda: other.resume(cursor=token),
            lambda: scope.resume(cursor=token, result_version=1),
        ]
        for call in wrong:
            with pytest.raises(hythe.InvalidInput):
                call()
        assert scope.resume(cursor=token).current_facts
