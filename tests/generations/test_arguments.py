"""What no caller should pass, to the calls that an index offers."""

from __future__ import annotations

import inspect
import json
import os
from datetime import UTC, datetime

import pytest

import hsum

HOSTILE = [
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    float("nan"),
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
    object(),
    int,
    {"a"},
    datetime.max.replace(tzinfo=UTC),
    ...,
]


def _nested():
    found = []
    for _ in range(3_000):
        found = [found]
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arguments")
    (folder / "root").mkdir()
    (folder / "root" / "a.py").write_text("def foo_bar():\n    return 1\n")
    before, home = os.getcwd(), os.environ.get("HSUM_HOME")
    os.chdir(folder)
    os.environ["HSUM_HOME"] = str(folder / "home")
    with hsum.open(folder / "index") as index:
        index.ingest(folder / "root")
        yield index
    os.chdir(before)
    os.environ.pop("HSUM_HOME")
    if home is not None:
        os.environ["HSUM_HOME"] = home


CALLS = {
    "search": {"query": "foo_bar"},
    "get": {"citation": "x"},
    "check": {"text": "see a.py:1"},
    "documents": {},
    "ingest": {"root": "root", "dry_run": True},
    "backup": {"path": "copy"},
    "projects.add": {"name": "p"},
    "projects.remove": {"name": "p"},
}
FUNCTIONS = {
    "open": {"path": "index"},
    "restore": {"backup": "copy", "path": "other"},
    "check_files": {"paths": "root/a.py"},
    "grant": {"root": "root", "confirm": True},
    "revoke": {"binding": "root"},
    "open_bound": {"binding": "x"},
    "open_managed": {"name": "x"},
    "context": {},
    "initialize": {"root": "root"},
}


def _taken_or_refused(call, good):
    for name in inspect.signature(call).parameters:
        for value in [*HOSTILE, _nested()]:
            if name in {"clock", "ids", "progress"} and value is int:
                continue
            try:
                made = call(**{**good, name: value})
            except hsum.HsumError as fault:
                fault.message.encode()
                json.dumps(fault.as_dict())
            else:
                repr(made)


@pytest.mark.parametrize("name", CALLS)
def test_a_hostile_argument_of_an_index_is_taken_or_refused(made, name):
    """Any value in any place of a method is taken, or refused as a fault."""
    holder = made
    for part in name.split("."):
        holder = getattr(holder, part)
    _taken_or_refused(holder, CALLS[name])

    assert 1 == len(made)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_hostile_argument_of_a_function_is_taken_or_refused(made, name):
    """Any value in any place of a function is taken, or refused as a fault."""
    _taken_or_refused(getattr(hsum, name), FUNCTIONS[name])

    assert 1 == len(made)
