"""Resume after histories at random: everything is somewhere, and nothing twice."""

from __future__ import annotations

import random

import pytest

import hythe
from hsum._kernel.clock import SettableClock
from hsum._kernel.ids import SequentialIds
from hythe import Event, Fact, Loop, State
from hythe.resume.sections import SECTIONS
from tests.resume.stores import follow

SEEDS = range(4)


def changes(rand, known):
    """Return changes at random, some of them of values that exist."""
    fact = rand.choice(known["fact"]) if known["fact"] and rand.random() < 0.5 else None
    status = rand.choice(["asserted", "verified", "superseded"])
    loop = Loop("do it", status="closed", outcome="done")
    return {
        "facts": [
            Fact("s", "p", str(rand.random()), id=fact, status=status),
            *(Fact("new", str(n), "v" * rand.randrange(80)) for n in range(2)),
        ],
        "loops": [loop if rand.random() < 0.2 else Loop(str(rand.random()))],
        "events": [Event(rand.choice(["decision", "note"]), str(rand.random()))],
        "evidence": ["note"] * rand.randrange(3),
    }


def grow(scope, rand, steps):
    """Write, record and reconcile at random."""
    made = [scope.checkpoint(State("o", "s", "w"), parent=None)]
    known = {"fact": []}
    for _ in range(steps):
        state = State("o", str(rand.random()), "w")
        if rand.random() < 0.12:
            made.append(reconcile(scope, state))
        elif rand.random() < 0.5:
            made.append(scope.record(scope.current(), **changes(rand, {"fact": []})))
        else:
            parent = rand.choice(made)
            held = {"fact": [f.id for f in parent.facts]}
            more = changes(rand, held)
            made.append(
                scope.checkpoint(state, parent=parent, acknowledge_retired=True, **more)
            )
        known["fact"] += made[-1].changes.facts
    return made


def reconcile(scope, state):
    """Settle all that is owed, rejecting it."""
    plan = scope.plan_reconcile()
    return scope.reconcile(
        **{**plan.request, "state": state},
        reason="at random",
        resolutions=[owed.reject() for owed in plan.owed],
        acknowledge_retired=True,
    )


@pytest.fixture(scope="module", params=SEEDS)
def history(request):
    """A scope with a history at random, and its checkpoints."""
    rand = random.Random(request.param)
    with hythe.in_memory(
        agent="planner", clock=SettableClock(), ids=SequentialIds()
    ) as store:
        scope = store.scope(project="atlas")
        yield scope, grow(scope, rand, 40)


def accepted(scope, made):
    """Return the newest version of each fact and loop on the accepted lineage."""
    by_id = {one.id: one for one in made}
    found, at = {}, scope.current()
    while at is not None:
        for value in (*at.facts, *at.loops):
            found.setdefault((type(value), value.id), (value, at))
        at = by_id.get(at.parent)
    return found


def test_the_accepted_values_are_those_of_the_lineage(history):
    """Facts and loops are the newest of each id on the accepted lineage."""
    scope, made = history
    shown = {
        key: (value, at.id)
        for key, (value, at) in accepted(scope, made).items()
        if value.status not in ("superseded", "closed")
    }
    found = scope.resume(budget=10**7, verify=True)
    delivered = {
        (type(value), value.id): (value, value.provenance.checkpoint)
        for value in (*found.current_facts, *found.open_loops)
    }

    assert shown == delivered
    assert found.complete


def test_divergent_values_are_apart(history):
    """Nothing delivered as accepted is delivered as divergent, and the reverse."""
    scope, _ = history
    found = scope.resume(budget=10**7)
    accepted_places = {
        (value.id, value.provenance.checkpoint)
        for value in (*found.current_facts, *found.open_loops)
    }
    divergent = [(value.id, value.checkpoint) for value in found.divergent_values]

    assert len(divergent) == len(set(divergent)) == found.as_of.divergent_values
    assert not accepted_places & set(divergent)
    assert list(scope.divergent(limit=1_000)) == list(found.divergent_values)
    assert list(scope.heads()) == list(found.heads)
    assert found.as_of.live_heads == len(found.heads)


@pytest.mark.parametrize("budget", [512, 1_111])
def test_pages_are_the_sections(history, budget):
    """Pages of any budget, joined, are the unbudgeted sections."""
    scope, _ = history
    whole, pages = scope.resume(budget=10**7), follow(scope, budget)

    assert all(page.tokens <= budget for page in pages)
    for name in set(SECTIONS) - {"working"}:
        joined = [one for page in pages for one in getattr(page, name)]
        held = sum(one.section == name for page in pages for one in page.oversize)
        rest = iter(getattr(whole, name))
        assert all(any(one == other for other in rest) for one in joined)
        assert len(getattr(whole, name)) == len(joined) + held
        assert not held or budget == 512


def test_the_flat_view_is_the_newest_of_each_id(history):
    """Version 1 has the newest version of each id in the scope, lineages or not."""
    scope, made = history
    newest = {}
    for one in made:
        newest.update({fact.id: fact for fact in one.facts})
    found = scope.resume(budget=10**7, result_version=1)

    assert {
        fact_id: fact for fact_id, fact in newest.items() if fact.status != "superseded"
    } == {fact.id: fact for fact in found.current_facts}
    assert found.complete
    pages = follow(scope, 900, result_version=1)
    assert [fact for page in pages for fact in page.current_facts] == list(
        found.current_facts
    )
