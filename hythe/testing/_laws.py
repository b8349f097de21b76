"""Laws that need no game: one small story each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hythe.errors import HytheError
from hythe.model import CURRENT, Fact, Loop, State

if TYPE_CHECKING:
    from hythe._api import Scope, Store

__all__ = ["LAWS", "Law", "sentence"]

Law = Callable[["Store"], bool]

_STATE = State("ship search", "green", "tester", ["write tests"])


def sentence(law: Law) -> str:
    """Return the sentence that states a law."""
    return (law.__doc__ or "").strip()


def _refused(call: Callable[[], Any]) -> str | None:
    try:
        call()
    except HytheError as error:
        return error.code
    return None


def _started(store: Store) -> tuple[Scope, Any]:
    scope = store.scope(project="atlas", task="search")
    return scope, scope.checkpoint(_STATE, parent=None, facts=[Fact("a", "is", "b")])


def _revisions_count(store: Store) -> bool:
    """Revisions of a scope are 1, 2, 3 and so on, and history keeps every one."""
    scope, first = _started(store)
    second = scope.record(first)
    third = scope.patch(second, {"status": "red"})
    return [found.revision for found in scope.history()] == [3, 2, 1] and (
        scope.get(first.id) == first and scope.current() == third
    )


def _second_writer_branches(store: Store) -> bool:
    """Of two writes on one parent the first advances, and the second branches."""
    scope, first = _started(store)
    outcomes = [scope.checkpoint(_STATE, parent=first).outcome for _ in range(2)]
    pointed = scope.current()
    return (
        outcomes == ["advanced", "branched"]
        and pointed is not None
        and (pointed.revision == 2)
    )


def _second_record_conflicts(store: Store) -> bool:
    """Of two records on one parent the first advances, and the second writes nothing."""
    scope, first = _started(store)
    scope.record(first)
    return _refused(lambda: scope.record(first)) == "CONFLICT" and (
        len(scope.history()) == 2
    )


def _branches_change_nothing_accepted(store: Store) -> bool:
    """A change on a branch is divergent, and alters no accepted value."""
    scope, first = _started(store)
    scope.record(first)
    scope.checkpoint(_STATE, parent=first, facts=[first.facts[0].but(object="c")])
    (fact,) = scope.resume().current_facts
    (other,) = scope.divergent()
    return fact.object == "b" and other.value == first.facts[0].but(object="c")


def _records_keep_the_state(store: Store) -> bool:
    """A record keeps its parent's state byte for byte."""
    scope, first = _started(store)
    said = scope.record(first, loops=[Loop("look")])
    return said.state == first.state and said.loops[0].owner == store.agent


def _keys_replay(store: Store) -> bool:
    """The same request under the same key gives the first result, and adds nothing."""
    scope, first = _started(store)
    once = scope.record(first, facts=[Fact("x", "is", "y")], key="k")
    scope.record(once)
    again = scope.record(first, facts=[Fact("x", "is", "y")], key="k")
    reused = _refused(lambda: scope.record(first, key="k"))
    return (
        again == once
        and again.replayed
        and reused == "KEY_REUSED"
        and (len(scope.history()) == 3)
    )


def _scopes_are_apart(store: Store) -> bool:
    """A project, a task, and the two together are three scopes."""
    names = ({"project": "p"}, {"task": "p"}, {"project": "p", "task": "p"})
    scopes = [store.scope(**name) for name in names]
    for scope in scopes:
        scope.checkpoint(_STATE, parent=None)
    return [len(scope.history()) for scope in scopes] == [1, 1, 1]


def _text_survives(store: Store) -> bool:
    """Text comes back as it was: NUL, emoji, both normal forms."""
    text = "nul \x00, \U0001f409, caf\u00e9, cafe\u0301, \u2028 line"
    scope = store.scope(project="text")
    made = scope.checkpoint(State(text, text, text, [text]), parent=None)
    return scope.get(made.id).state == State(text, text, text, [text])


def _observations_supersede(store: Store) -> bool:
    """An observation is corrected by another that names it; both are kept."""
    store.observe("api", "uses PostgreSQL 14")
    store.observe("api", "uses PostgreSQL 15", replaces=CURRENT)
    current = store.current_observation("api")
    found = current.observation
    return (
        found is not None
        and found.text == "uses PostgreSQL 15"
        and (current.also_live_count == 0 and len(store.observations("api")) == 2)
    )


def _reading_changes_nothing(store: Store) -> bool:
    """Reading a store that has nothing makes nothing."""
    scope = store.scope(project="nowhere")
    unknown = _refused(scope.resume)
    return (
        scope.current() is None
        and not scope.heads()
        and not scope.history()
        and (unknown == "SCOPE_UNKNOWN")
    )


LAWS: tuple[Law, ...] = (
    _revisions_count,
    _second_writer_branches,
    _second_record_conflicts,
    _branches_change_nothing_accepted,
    _records_keep_the_state,
    _keys_replay,
    _scopes_are_apart,
    _text_survives,
    _observations_supersede,
    _reading_changes_nothing,
)
