"""Scopes to resume."""

from __future__ import annotations

import random

import attrs
import pytest

import hythe
from hythe import Event, Fact, Loop, Resolution
from tests.resume.corpora import citation, texts
from tests.resume.stores import STATE, store_in_memory

RAND = random.Random(11)


@pytest.fixture
def store():
    """An empty store."""
    with store_in_memory() as opened:
        yield opened


@pytest.fixture
def traced(store):
    """The scope of a trace: two live heads, one divergent, one ever retired."""
    scope = store.scope(project="atlas")
    critic = store.as_agent("critic").scope(project="atlas")
    first = scope.checkpoint(STATE, parent=None, facts=[Fact("search", "p95", "40 ms")])
    (fact,) = first.changes
    second = scope.record(
        first,
        loops=[Loop("measure cold")],
        events=[Event("decision", "use tantivy"), Event("note", "lunch")],
    )
    other = critic.checkpoint(
        attrs.evolve(STATE, status="red"),
        parent=first,
        facts=[Fact("search", "p95", "90 ms", id=fact)],
    )
    merged = scope.reconcile(
        heads=[second, other],
        pointer=second,
        survivor=second,
        state=STATE,
        reason="measured again",
        resolutions=[Resolution("fact", fact, other, "accept")],
    )
    late = critic.checkpoint(STATE, parent=second, facts=[Fact("disk", "size", "2 GB")])
    return scope, first, second, other, merged, late


@pytest.fixture(scope="module")
def filled():
    """A scope with much in every section, of every kind of text."""
    with store_in_memory() as store:
        scope = store.scope(project="atlas", task="index")
        last = root = scope.checkpoint(STATE, parent=None)
        for seed, (kind, words) in enumerate(texts(5, 400).items()):
            last = scope.record(
                last,
                facts=[Fact(kind, "says", words), Fact(kind, "cites", kind)],
                loops=[Loop(words[:90])],
                events=[Event("decision", words[:200])],
                evidence=[citation(RAND) for _ in range(seed % 4)],
            )
            store.as_agent("critic").send("planner", words, scope=scope)
            store.as_agent("critic").hand_off("planner", words[:50], scope=scope)
        last = scope.record(last, facts=[Fact("long", "text", "é" * 100_000)])
        for number in range(12):
            scope.checkpoint(
                attrs.evolve(STATE, status="red"),
                parent=root,
                facts=[Fact("branch", str(number), "v" * number)],
            )
        yield scope


@pytest.fixture
def paged(store):
    """A scope whose facts and messages need several pages, and its first page."""
    scope = store.scope(project="atlas")
    last = scope.checkpoint(
        STATE, parent=None, facts=[Fact("s", f"p{n}", "v" * 50) for n in range(60)]
    )
    for number in range(30):
        store.as_agent("critic").send("planner", f"m{number} " + "w " * 40, scope=scope)
    return store, scope, last


@pytest.fixture
def on_disk(tmp_path):
    """A scope in a file, and the file."""
    path = tmp_path / "team.hythe"
    with hythe.open(path, agent="planner") as store:
        scope = store.scope(project="atlas")
        first = scope.checkpoint(
            STATE,
            parent=None,
            facts=[Fact("a", "b", "true"), Fact("c", "d", "e")],
            loops=[Loop("l")],
            events=[Event("decision", "use it")],
        )
        scope.record(first, facts=[Fact("f", "g", "h")])
        scope.checkpoint(STATE, parent=first, facts=[Fact("i", "j", "k")])
        yield scope, path
