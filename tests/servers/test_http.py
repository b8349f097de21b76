"""Over HTTP each call proves itself, cell by cell, and nothing of a secret leaks."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

import hythe
from tests.servers.sessions import PROGRAM, answer, fault, run, web_client, web_server

SCOPE = {"project": "atlas"}
STATE = {"objective": "ship", "status": "green", "owner": "planner"}
ALL = tuple(scope for scope in hythe.SCOPES if scope != "admin")


@pytest.fixture
def store(tmp_path):
    """A store where `planner` is enrolled, with credentials of every kind."""
    path = tmp_path / "team.hythe"
    day = timedelta(days=1)
    then = datetime.now(UTC) - 2 * day
    with hythe.open(path, agent="admin", clock=lambda: then) as opened:
        expired = opened.credentials.issue("planner", ALL, expires_at=then + day)
    with hythe.open(path, agent="admin") as opened:
        issue = opened.credentials.issue
        issued = {
            "good": issue("planner", ALL),
            "narrow": issue("planner", ["state:read"]),
            "expired": expired,
            "early": issue("planner", ALL, not_before=datetime.now(UTC) + day),
            "other": issue("critic", ALL),
            "old": issue("planner", ALL),
        }
        revoked = issue("planner", ALL)
        opened.credentials.revoke(revoked)
        issued["rotated"] = opened.credentials.rotate(issued["old"])
        opened.credentials.revoke(issued["old"])
        secrets = {name: one.secret for name, one in issued.items()}
    return path, secrets | {
        "revoked": revoked.secret,
        "wrong": "hythe_nonsense",
        None: None,
    }


def write(number, **claim):
    return {**SCOPE, "state": STATE, "key": f"k{number}", "createScope": True, **claim}


# What a write answers: the code, or the author and whether it was proven.
TABLE = {
    "observe": {
        ("good", None): ("planner", True),
        ("good", "planner"): ("planner", True),
        ("good", "critic"): "IDENTITY_MISMATCH",
        ("wrong", "planner"): "CREDENTIAL_INVALID",
        ("revoked", "planner"): "CREDENTIAL_INVALID",
        (None, "planner"): ("planner", False),
        (None, "stranger"): ("stranger", False),
        ("narrow", None): "SCOPE_DENIED",
    },
    "mixed": {
        ("good", None): ("planner", True),
        ("other", "planner"): "IDENTITY_MISMATCH",
        ("expired", "planner"): "CREDENTIAL_INVALID",
        (None, "planner"): "CREDENTIAL_REQUIRED",
        (None, "stranger"): ("stranger", False),
        ("narrow", "planner"): "SCOPE_DENIED",
    },
    "required": {
        ("good", None): ("planner", True),
        ("rotated", None): ("planner", True),
        ("other", "planner"): "IDENTITY_MISMATCH",
        ("wrong", None): "CREDENTIAL_INVALID",
        ("expired", None): "CREDENTIAL_INVALID",
        ("early", None): "CREDENTIAL_INVALID",
        ("revoked", None): "CREDENTIAL_INVALID",
        ("old", None): "CREDENTIAL_INVALID",
        (None, "planner"): "CREDENTIAL_REQUIRED",
        (None, "stranger"): "CREDENTIAL_REQUIRED",
        ("narrow", None): "SCOPE_DENIED",
    },
}


@pytest.mark.parametrize("mode", TABLE)
def test_the_table_cell_by_cell(store, mode):
    """Each cell gives its code or its author; what is refused writes nothing."""
    path, secrets = store
    seen = {}

    async def work(url):
        for number, (credential, claim) in enumerate(TABLE[mode]):
            asked = write(number, **({"author": claim} if claim else {}))
            async with web_client(url, secrets[credential]) as session:
                result = await session.call_tool("checkpoint", asked)
            if result.is_error:
                seen[credential, claim] = fault(result)["code"]
            else:
                outcome = answer(result)
                author = outcome.get(
                    "checkpoint", {"author": "conflict", "proven": None}
                )
                seen[credential, claim] = (author["author"], author["proven"])

    with web_server(path, mode) as (url, process):
        run(lambda: work(url))
    logged = process.stderr.read() if not process.stderr.closed else b""
    expected = TABLE[mode]
    accepted = [cell for cell in expected.values() if not isinstance(cell, str)]

    # The first accepted write makes the scope; the others are conflicts by then.
    for cell, wanted in expected.items():
        if isinstance(wanted, str):
            assert seen[cell] == wanted, cell
    written = [
        cell
        for cell in seen.values()
        if cell[0] != "conflict" and isinstance(cell, tuple)
    ]
    assert written == accepted[:1]
    assert not any(secret.encode() in logged for secret in secrets.values() if secret)
    with hythe.open(path, agent="reader") as opened:
        assert len(opened.scope(project="atlas").history()) == 1


def test_a_secret_is_in_no_answer(store):
    """No refusal and no answer repeats what the caller brought."""
    path, secrets = store

    async def work(url):
        texts = []
        for credential in ("good", "wrong", "revoked"):
            async with web_client(url, secrets[credential]) as session:
                for tool, arguments in (
                    ("checkpoint", write(0)),
                    ("get_agent_status", {"agent": "planner"}),
                    ("resume", SCOPE),
                ):
                    result = await session.call_tool(tool, arguments)
                    texts.append(result.model_dump_json())
        return texts

    with web_server(path, "required") as (url, _):
        texts = run(lambda: work(url))

    for secret in filter(None, secrets.values()):
        assert not any(secret in text for text in texts)


def served(store, where):
    """Run `hythe serve` where it must refuse to, and return what it left."""
    return subprocess.run(
        [*PROGRAM, "hythe", "serve", "--store", str(store), "--http", where],
        capture_output=True, text=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "where",
    ["nonsense", "127.0.0.1", ":80", "[]:80", "127.0.0.1:99999", "h:" + 5_000 * "9"],
)
def test_a_bad_address_is_refused(store, where):
    """A typed error with the next step, before anything is opened."""
    done = served(store[0], where)

    assert done.returncode == 2
    assert done.stderr.startswith("INVALID_ARGUMENT: --http ")
    assert not done.stdout


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ("192.0.2.1:8080", "Cannot assign requested address"),
        ("no-such-host.invalid:8080", "the host has no address"),
        (f"{80 * 'a'}.example:8080", "the host has no address"),
    ],
)
def test_an_address_that_cannot_be_bound_is_refused(tmp_path, where, reason):
    """The fault says why and what to do; nothing is said to be served, none is made."""
    store = tmp_path / "new.hythe"
    done = served(store, where)

    assert done.returncode == 2
    first, second = done.stderr.splitlines()
    assert first == f"INVALID_ARGUMENT: cannot listen on {where}: {reason}"
    assert second.startswith("  next: Name ")
    assert not store.exists()


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_port_in_use_is_refused(store, family):
    """The next step is another port, also where the address is one of IPv6."""
    host = "127.0.0.1" if family == socket.AF_INET else "::1"
    with socket.socket(family) as taken:
        try:
            taken.bind((host, 0))
        except OSError:
            pytest.skip("this machine has no such address")
        taken.listen()
        shown = f"[{host}]" if ":" in host else host
        where = f"{shown}:{taken.getsockname()[1]}"
        done = served(store[0], where)

    assert done.returncode == 2
    assert done.stderr.startswith(
        f"INVALID_ARGUMENT: cannot listen on {where}: Address already in use\n"
        "  next: End what listens there, or name another port"
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_port_0_is_a_free_one_that_is_told(store, host):
    """What is said to be served can be connected to at once, and SIGINT ends it."""
    process = subprocess.Popen(
        [*PROGRAM, "hythe", "serve", "--store", str(store[0]), "--http", f"{host}:0"],
        stderr=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    with process:
        port = re.search(rf"http://{host}:(\d+)/mcp", process.stderr.readline())[1]
        with socket.create_connection((host, int(port)), 10) as caller:
            caller.sendall(b"GET /nothing HTTP/1.0\r\n\r\n")
            answered = caller.recv(100)
        process.send_signal(signal.SIGINT)

        assert process.stderr.read() == ""
    assert answered.startswith(b"HTTP/1.1 404")
    assert process.returncode == 0
