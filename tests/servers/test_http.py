"""Over HTTP each call proves itself, cell by cell, and nothing of a secret leaks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import hythe
from tests.servers.sessions import answer, fault, run, web_client, web_server

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


@pytest.mark.parametrize("where", ["nonsense", "127.0.0.1", ":80", "127.0.0.1:99999"])
def test_a_bad_address_is_refused(store, where):
    """A typed error with the next step, before anything is opened."""
    import subprocess

    from tests.servers.sessions import PROGRAM

    done = subprocess.run(
        [*PROGRAM, "hythe", "serve", "--store", str(store[0]), "--http", where],
        capture_output=True, text=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip

    assert done.returncode == 2
    assert "INVALID_ARGUMENT" in done.stderr
    assert not done.stdout
