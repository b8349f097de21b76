"""What no caller should pass, to every call that a store offers."""

from __future__ import annotations

import inspect
import itertools
import json
import os
from datetime import UTC, datetime

import pytest

import hythe
from hythe.testing import SettableClock
from tests.checkpoint.worlds import dump, store

STATE = {"objective": "o", "status": "s", "owner": "w"}


class Unspeakable:
    """Has neither a str nor a repr."""

    def __str__(self):
        raise RuntimeError

    __repr__ = __str__


def _nested(wrap, inner, levels=3_000):
    for _ in range(levels):
        inner = wrap(inner)
    return inner


HOSTILE = [
    None,
    True,
    0,
    -1,
    2**53,
    2**70,
    -(2**70),
    1.5,
    float("nan"),
    float("inf"),
    "",
    "  ",
    "a\0b",
    "a\ud800b",
    "x" * 300,
    b"bytes",
    [],
    [None],
    ["\udfff"],
    {},
    {"\ud800": 1},
    {1: 2},
    {"objective": float("nan")},
    {"objective": 2**60},
    _nested(lambda inner: [inner], "x"),
    _nested(lambda inner: {"a": inner}, "x"),
    object(),
    int,
    Unspeakable(),
    {"a"},
    datetime(2020, 1, 1),  # noqa: DTZ001 - naive on purpose
    datetime.max.replace(tzinfo=UTC),
    range(3),
    ...,
]

CALLS = {
    "scope": {
        "checkpoint": {"state": STATE, "parent": 1},
        "record": {"parent": 1},
        "patch": {"parent": 1, "merge_patch": {"status": "x"}},
        "reconcile": {
            "heads": [1],
            "pointer": 1,
            "survivor": 1,
            "state": STATE,
            "reason": "r",
        },
        "get": {"checkpoint": 1},
        "heads": {},
        "history": {},
        "divergent": {},
        "plan_reconcile": {},
        "resume": {},
    },
    "store": {
        "entity": {"name": "n"},
        "create_entities": {"entities": ["q"]},
        "add_aliases": {"entity": "e", "aliases": ["al"]},
        "get_entity": {"entity": "e"},
        "entities": {},
        "observe": {"entity": "e", "text": "t"},
        "add_observations": {"observations": [{"entity": "e", "text": "t"}]},
        "current_observation": {"entity": "e"},
        "observations": {"entity": "e"},
        "observation": {"id": "x"},
        "detail": {"entity": "e"},
        "relations": {"entity": "e"},
        "relate": {"source": "e", "type": "t", "target": "f"},
        "create_relations": {"relations": [{"from": "e", "type": "t", "to": "f"}]},
        "neighborhood": {"entity": "e"},
        "search": {"query": "text"},
        "register_agent": {},
        "agent_status": {},
        "agents": {},
        "send": {"to": "b", "text": "t"},
        "hand_off": {"to": "b", "text": "t", "scope": hythe.ScopeName("p")},
        "related": {"scope": hythe.ScopeName("p"), "intent": "t"},
        "inbox": {},
        "message": {"id": "x"},
        "deliveries": {"message": "x"},
        "read": {"ids": ["x"]},
        "acknowledge": {"ids": ["x"]},
        "archive": {"ids": ["x"]},
        "fetch": {"handle": "hythe://snapshot/x"},
        "as_agent": {"agent": "x"},
        "scope": {"project": "p"},
        "doctor": {},
        "redact": {"id": "x", "reason": "r"},
        "prune": {},
        "backup": {"path": "x"},
        "export": {"path": "x"},
        "import_": {"path": "x"},
    },
    "credentials": {
        "issue": {"agent": "b", "scopes": ["state:read"]},
        "rotate": {"credential": "x"},
        "revoke": {"credential": "x"},
        "withdraw": {"agent": "b"},
        "list": {},
        "audit": {},
        "prove": {"mode": "mixed", "needed": "state:read", "claim": "b"},
    },
}
CASES = [(part, name) for part, calls in CALLS.items() for name in calls]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arguments")
    before = os.getcwd()
    os.chdir(folder)
    with store(folder / "s.hythe") as opened:
        opened.scope("p").checkpoint(STATE, parent=None)
        opened.entity("e")
        yield opened
    os.chdir(before)


def _method(made, part, name):
    holder = {
        "scope": made.scope("p"),
        "store": made,
        "credentials": made.credentials,
    }[part]
    return getattr(holder, name)


ENDLESS = [
    ("scope", "record", "facts"),
    ("scope", "record", "evidence"),
    ("scope", "reconcile", "heads"),
    ("scope", "resume", "sections"),
    ("store", "entity", "aliases"),
    ("store", "create_entities", "entities"),
    ("store", "observe", "supersedes"),
    ("store", "send", "capabilities"),
    ("store", "send", "evidence"),
    ("store", "read", "ids"),
    ("credentials", "issue", "scopes"),
]


@pytest.mark.parametrize(("part", "name", "parameter"), ENDLESS)
def test_a_list_without_an_end_is_too_large(made, part, name, parameter):
    """What goes on giving items is refused before it fills the memory."""
    given = {**CALLS[part][name], parameter: itertools.repeat("x")}
    before = dump(made)
    with pytest.raises(hythe.InvalidInput) as refused:
        _method(made, part, name)(**given)

    assert "TOO_LARGE" == refused.value.code
    assert before == dump(made)


def test_a_value_made_of_a_list_without_an_end_is_refused(made):
    """A converter never refuses; the call that gets the value does."""
    fact = hythe.Fact("s", "p", "o", evidence=itertools.repeat("x"))
    with pytest.raises(hythe.InvalidInput) as refused:
        made.scope("p").record(1, facts=[fact])

    assert "TOO_LARGE" == refused.value.code


def test_what_is_yes_or_no_is_nothing_else(tmp_path):
    """No text, number or None stands for True or False."""
    for wrong in (None, 1, "no"):
        with pytest.raises(hythe.InvalidInput):
            hythe.open(tmp_path / "s", agent="a", create=wrong)
        with hythe.in_memory(agent="a") as made, pytest.raises(hythe.InvalidInput):
            made.as_agent("b", proven=wrong)


@pytest.mark.parametrize("wrong", ["1", True, float("nan"), None, -1, 3_601])
def test_a_wait_is_a_number_of_seconds(wrong):
    """History and inbox take the same, and no cursor or wait is skipped for being empty."""
    with hythe.in_memory(agent="a") as made:
        scope = made.scope("p")
        scope.checkpoint(STATE, parent=None)
        for call in (
            lambda: scope.history(after=1, wait=wrong),
            lambda: scope.history(after="x", wait=1),
            lambda: made.inbox(wait=wrong),
            lambda: made.inbox(cursor=""),
            lambda: scope.heads(cursor=0),
            lambda: made.entities(cursor=[]),
        ):
            with pytest.raises(hythe.InvalidInput):
                call()


def _is_asked_to_wait(name, value):
    return name == "wait" and isinstance(value, (int, float)) and value > 0


@pytest.mark.parametrize(("part", "name"), CASES)
def test_a_hostile_argument_is_taken_or_refused_by_name(made, part, name):
    """Any value in any place is taken, or refused with code and path, unwritten."""
    method = _method(made, part, name)
    for parameter in inspect.signature(method).parameters:
        for value in HOSTILE:
            if _is_asked_to_wait(parameter, value) or (
                parameter == "count_tokens" and value is int
            ):
                continue
            before = dump(made)
            try:
                repr(method(**{**CALLS[part][name], parameter: value}))
            except hythe.HytheError as fault:
                json.dumps(fault.as_dict(), ensure_ascii=False)
                fault.message.encode()

                assert before == dump(made)
                assert fault.code != "INVALID_ARGUMENT" or "path" in fault.details


@pytest.mark.parametrize(
    "path", [None, "", 1, True, [], object(), "a\0b", "a\ud800", "d" * 300]
)
def test_a_store_opens_at_a_path_alone(tmp_path, monkeypatch, path):
    """What can name no file is refused, whether it opens, copies or restores."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(hythe.InvalidInput) as refused:
        hythe.open(path, agent="a").scope("p").checkpoint(STATE, parent=None)

    assert "path" in refused.value.details
    with pytest.raises((hythe.InvalidInput, hythe.NotFound)):
        hythe.restore(path, "copy.hythe")
    assert [] == os.listdir()


def test_the_root_of_all_is_no_file():
    """What has no name is refused where a file is written or read."""
    with hythe.in_memory(agent="a") as made:
        for call in (
            lambda: made.backup("/"),
            lambda: made.export("/"),
            lambda: made.import_("/"),
            lambda: hythe.restore("/", "copy"),
            lambda: hythe.restore("copy", "/"),
        ):
            with pytest.raises(hythe.InvalidInput) as refused:
                call()
            assert "path" in refused.value.details


def test_a_directory_is_no_store(tmp_path):
    """A directory as path is refused by what it is."""
    with pytest.raises(hythe.InvalidInput, match="is a directory"):
        hythe.open(tmp_path, agent="a")


def test_a_relative_path_stays_where_it_was_opened(tmp_path, monkeypatch):
    """A process that changes its directory goes on with the same store."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "below").mkdir()
    with hythe.open("s.hythe", agent="a") as opened:
        first = opened.scope("p").checkpoint(STATE, parent=None)
        monkeypatch.chdir(tmp_path / "below")
        second = opened.scope("p").record(first)

    assert 2 == second.revision
    assert [] == os.listdir(tmp_path / "below")


def test_an_id_source_that_repeats_itself_is_a_fault(tmp_path):
    """Two rows never share an id, and what sqlite3 says of it does not leak."""
    same = "00000000-0000-0000-0000-000000000000"
    with hythe.open(tmp_path / "s", agent="a", ids=lambda: same) as opened:
        first = opened.scope("p").checkpoint(STATE, parent=None)
        with pytest.raises(hythe.HytheError):
            opened.scope("p").record(first)

        assert first == opened.scope("p").current()


def test_sections_may_come_from_a_generator():
    """A list of names is anything that gives names."""
    with store(clock=SettableClock()) as made:
        made.scope("p").checkpoint(STATE, parent=None)
        listed = made.scope("p").resume(sections=["working", "heads"])
        drawn = made.scope("p").resume(sections=iter(["working", "heads"]))

    assert listed == drawn
