"""Handles name one recorded value each."""

from __future__ import annotations

import pytest

from hsum._kernel.faults import Fault
from hythe.resume.fetch import piece_request
from hythe.resume.handles import (
    Fetched,
    Handle,
    entity_handle,
    legacy_handle,
    mail_handle,
    snapshot_handle,
    value_handle,
)

OWNER = "0b7a1c52-1c5e-4f0a-9b1d-000000000007"


@pytest.mark.parametrize(
    "text",
    [
        snapshot_handle(OWNER),
        value_handle(OWNER, "state"),
        value_handle(OWNER, "fact", 0),
        value_handle(OWNER, "loop", 12),
        value_handle(OWNER, "event", 9_999),
        value_handle(OWNER, "evidence", 3),
        entity_handle(OWNER),
        legacy_handle("3", 7),
        mail_handle("message", OWNER),
        mail_handle("handoff", OWNER),
    ],
)
def test_parse_and_str_are_inverses(text):
    """Reading a handle and writing it again changes nothing."""
    assert text == str(Handle.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        None,
        7,
        "hythe://",
        f"hythe://value/{OWNER}",
        f"hythe://value/{OWNER}/fact",
        f"hythe://value/{OWNER}/fact/01",
        f"hythe://value/{OWNER}/fact/-1",
        f"hythe://value/{OWNER}/state/0",
        f"hythe://value/{OWNER}/other/0",
        f"hythe://snapshot/{OWNER}/",
        f"hythe://snapshot/{OWNER}\n",
        f" hythe://snapshot/{OWNER}",
        f"hsum://snapshot/{OWNER}",
        "hythe://snapshot/../../etc",
    ],
)
def test_anything_else_is_refused(text):
    """What is not exactly a handle is refused as an argument."""
    with pytest.raises(Fault) as refused:
        Handle.parse(text)

    assert "INVALID_ARGUMENT" == refused.value.code


@pytest.mark.parametrize(
    ("offset", "max_bytes", "path"),
    [
        (-1, 10, "$.offset"),
        ("0", 10, "$.offset"),
        (0, 0, "$.max_bytes"),
        (0, 1.5, "$.max_bytes"),
    ],
)
def test_a_piece_is_named_by_whole_numbers(offset, max_bytes, path):
    """Offsets begin at 0, and a piece has at least one byte."""
    with pytest.raises(Fault) as refused:
        piece_request(snapshot_handle(OWNER), offset=offset, max_bytes=max_bytes)

    assert path == refused.value.details["path"]


def test_a_piece_says_where_to_go_on():
    """`next` is the offset behind the piece, and None at the end."""
    first = Fetched("h", 0, 5, b"abc")
    last = Fetched("h", first.next, 5, b"de")

    assert (3, None) == (first.next, last.next)
    assert "abcde" == first.text + last.text
    assert "<Fetched 0-3 of 5 bytes, h>" == repr(first)
