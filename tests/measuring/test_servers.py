"""The client that times the servers reads what they say."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks.servers import _result, _session

_ANSWER = json.dumps({"jsonrpc": "2.0", "id": 2, "result": {"tools": [{"name": "a"}]}})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (_ANSWER, {"tools": [{"name": "a"}]}),
        (f"event: message\r\ndata: {_ANSWER}\r\n\r\n", {"tools": [{"name": "a"}]}),
        ("", {}),
    ],
)
def test_an_answer_over_http_is_json_or_an_event(text, expected):
    """Either form has the same result; a notification has none."""
    assert expected == _result(text)


_ECHO = """
import json, sys
for line in sys.stdin:
    frame = json.loads(line)
    print(json.dumps({"method": "notifications/progress"}), flush=True)
    if "id" in frame:
        print(json.dumps({"id": frame["id"], "result": frame}), flush=True)
"""


def test_a_session_waits_for_the_answer_to_its_own_request():
    """What the server says besides is passed over; the handshake comes first."""
    with _session([sys.executable, "-c", _ECHO]) as session:
        first = session.ask("tools/list", {"a": 1})
        second = session.ask("tools/list", {"a": 2})

    assert [(2, {"a": 1}), (3, {"a": 2})] == [
        (frame["id"], frame["params"]) for frame in (first, second)
    ]


def test_a_server_that_ends_is_no_answer():
    """A server that dies is an error, not a wait."""
    with (
        pytest.raises((ValueError, OSError)),
        _session([sys.executable, "-c", "pass"]),
    ):
        pass
