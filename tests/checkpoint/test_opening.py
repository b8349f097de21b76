"""Opening a store, and closing it."""

from __future__ import annotations

import time

import pytest

import hythe
import hythe.testing
from hythe._secrets import secret_warnings
from tests.checkpoint.worlds import STATE, code, dump, store


def test_reading_never_makes_a_file(tmp_path):
    """A store that nobody wrote to has no file."""
    path = tmp_path / "team.hythe"
    with store(path) as made:
        scope = made.scope(project="atlas")
        found = (scope.current(), list(scope.history()), made.doctor().problems)

    assert (None, [], ()) == found
    assert [] == list(tmp_path.iterdir())


def test_a_store_that_must_be_there(tmp_path):
    """Without `create`, or read-only, a missing file is not found."""
    path = tmp_path / "team.hythe"

    assert "NOT_FOUND" == code(hythe.open, path, agent="a", create=False)
    assert "NOT_FOUND" == code(hythe.open, path, agent="a", read_only=True)


def test_a_read_only_handle_refuses_to_write(tmp_path):
    """A read-only handle reads, and every write of it is refused."""
    path = tmp_path / "team.hythe"
    with store(path) as made:
        first = made.scope(project="atlas").checkpoint(STATE, parent=None)
    with store(path, read_only=True) as made:
        scope = made.scope(project="atlas")
        before = dump(made)

        assert scope.current() == first
        assert "PERMISSION_DENIED" == code(scope.record, first)
        assert before == dump(made)


def test_a_file_of_another_kind_is_refused(tmp_path):
    """What is no store of ours is `STORE_DAMAGED`, and is not touched."""
    path = tmp_path / "notes.txt"
    path.write_bytes(b"just some notes" * 1_000)

    assert "STORE_DAMAGED" == code(hythe.open, path, agent="a")
    assert path.read_bytes() == b"just some notes" * 1_000


def test_closing_twice_is_fine_and_later_calls_are_refused():
    """A closed store says so, whichever handle is used."""
    made = store()
    other = made.as_agent("critic")
    made.close()
    made.close()

    assert "CLOSED" == code(other.scope(project="atlas").history)
    assert "closed" in repr(other)


@pytest.mark.parametrize(
    "agent", ["", " ", "a b", "a" * 101, "caf\u00e9", "a\n", None, 5, "a/b"]
)
def test_an_agent_id_is_exact(agent):
    """An agent id is 1 to 100 of a few characters, and nothing is trimmed."""
    assert "INVALID_ARGUMENT" == code(hythe.in_memory, agent=agent)


def test_two_runs_with_one_clock_and_one_id_source_are_equal():
    """With injected clock and ids the same calls write the same rows."""
    dumps = []
    for _ in range(2):
        with store() as made:
            hythe.testing.play(made, seed=5, moves=40)
            dumps.append(dump(made))

    assert dumps[0] == dumps[1]


def test_looking_for_secrets_takes_no_longer_than_reading():
    """Hostile text of a megabyte is searched in linear time."""
    size = 1_000_000
    hostile = [
        "-eyJ" * (size // 4),
        "eyJaaaaaaaaaa." * (size // 14),
        "token" + " " * size,
        "a." * (size // 2) + "://@",
        "sk-" * (size // 3),
        "-----BEGIN " * (size // 11) + "PRIVATE KEY-----",
    ]
    start = time.process_time()
    for text in hostile:
        secret_warnings({"text": text})
    plain = time.process_time()
    secret_warnings({"text": "key: a " * (size // 7)})

    assert (plain - start) < 100 * (time.process_time() - plain + 0.05)
