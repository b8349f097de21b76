"""Pages made of values in memory, for laws that need no store."""

from __future__ import annotations

from datetime import UTC, datetime

from hythe.model import Fact, Head, Loop, Provenance, ScopeName, State
from hythe.resume import tokens
from hythe.resume.budget import Price, choose, fit
from hythe.resume.bundle import AsOf, Definition
from hythe.resume.cursors import binding, read_cursor
from hythe.resume.page import Page
from hythe.resume.sections import SECTIONS, Entry, listed

AT = datetime(2026, 1, 1, tzinfo=UTC)
BOUND = binding("test")


def uuid_of(number):
    """Return a UUID that looks like any other."""
    return f"{number * 2654435761 % 2**32:08x}-1c5e-4f0a-9b1d-{number:012d}"


def fact(number, words="40 ms"):
    """Return an accepted fact."""
    return Fact(
        "search",
        f"p{number}",
        words,
        id=uuid_of(number),
        provenance=Provenance(uuid_of(number + 9_000), number + 1, "planner", 0),
    )


def loop(number, words="write tests"):
    """Return an accepted loop."""
    return Loop(
        words,
        id=uuid_of(number),
        provenance=Provenance(uuid_of(number + 9_000), number + 1, "critic", 0),
    )


def page(*, project="atlas", facts=(), loops=(), state=None, heads=2, mark=7, **more):
    """Return a page of a scope that holds these values."""
    values = {
        "definition": [Definition(project, None)],
        "working": [state or State("ship search", "green", "planner")],
        "heads": [
            Head(uuid_of(n), 50 - n, "planner", AT, current=not n) for n in range(heads)
        ],
        "open_loops": list(loops),
        "current_facts": list(facts),
        **more,
    }
    sections = {
        name: listed(name, mark, _entries(name, values.get(name, ())))
        for name in SECTIONS
    }
    as_of = AsOf(uuid_of(0), 50, 61, "pointer", "advanced", heads, heads - 1, 3)
    return Page(ScopeName(project), "planner", as_of, sections, SECTIONS, BOUND)


def _entries(name, values):
    return [
        Entry(name, place, value, f"hythe://value/{uuid_of(place)}/fact/{place}")
        for place, value in enumerate(values)
    ]


def answer(asked, budget, count=tokens.count, states=None):
    """Return what a page answers under a budget."""
    price = Price(count, checked=bool(states))
    return fit(asked, choose(asked, budget, price), budget, price, states or {})


def follow(asked, budget, count=tokens.count, limit=10_000):
    """Return all answers from the first on, as `next` leads."""
    import attrs

    answers = [answer(asked, budget, count)]
    while answers[-1].next is not None:
        assert len(answers) < limit

        places = read_cursor(BOUND, answers[-1].next)
        answers.append(answer(attrs.evolve(asked, places=places), budget, count))
    return answers
