"""The laws of credentials: shown once, hashed, scoped, revocable, audited."""

from __future__ import annotations

import pickle

import pytest

import hythe
from hsum._kernel.clock import SettableClock

DAY = 86_400


@pytest.fixture
def clock():
    return SettableClock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "team.hythe"


@pytest.fixture
def store(path, clock):
    with hythe.open(path, agent="root", clock=clock) as store:
        yield store


def _code(call):
    with pytest.raises(hythe.HytheError) as caught:
        call()
    return caught.value.code


def _prove(store, mode="required", needed="state:read", **brought):
    return store.credentials.prove(mode, needed=needed, **brought)


def test_an_issued_credential_proves_its_agent(store):
    """The secret of a result proves the agent it was issued to."""
    issued = store.credentials.issue("planner", ["state:read"])
    proof = _prove(store, secret=issued.secret)

    assert ("planner", True) == (proof.agent, proof.proven)
    assert store.as_agent(proof.agent, proven=proof.proven).observe("x", "y").proven


def test_the_secret_is_shown_once_and_never_stored(store, path):
    """Neither the file, nor a repr, nor a listing has the secret."""
    issued = store.credentials.issue("planner", ["admin"])
    random_part = issued.secret.rsplit(".", 1)[1]
    shown = repr(
        (issued, list(store.credentials.list()), list(store.credentials.audit()))
    )
    store.close()
    stored = b"".join(file.read_bytes() for file in path.parent.iterdir())

    assert random_part not in shown
    assert random_part.encode() not in stored


def test_refusals_never_show_a_secret(store):
    """A wrong credential is not repeated in the error."""
    issued = store.credentials.issue("planner", ["state:read"])
    for secret in (issued.secret + "x", "hy1.x.hunter2", "hunter2", "hunter2\ud800"):
        with pytest.raises(hythe.NotAllowed) as caught:
            _prove(store, secret=secret)

        assert "CREDENTIAL_INVALID" == caught.value.code
        assert "hunter2" not in str(caught.value.as_dict())
        assert issued.secret not in str(caught.value.as_dict())


@pytest.mark.parametrize(
    "secret", ["", "x", "hy1", "hy1..", "hy2.a.b", b"x", 7, "\x00"]
)
def test_what_is_no_credential_is_invalid(store, secret):
    """Any text and any other thing is answered with the same code."""
    assert "CREDENTIAL_INVALID" == _code(lambda: _prove(store, secret=secret))


def test_the_secret_of_one_does_not_fit_another(store):
    """An id with another one's secret is invalid."""
    one = store.credentials.issue("planner", ["admin"])
    two = store.credentials.issue("critic", ["admin"])
    mixed = one.secret.rsplit(".", 1)[0] + "." + two.secret.rsplit(".", 1)[1]

    assert "CREDENTIAL_INVALID" == _code(lambda: _prove(store, secret=mixed))


def test_a_credential_holds_within_its_times(store, clock):
    """From not_before on, and before expires_at."""
    issued = store.credentials.issue(
        "planner",
        ["state:read"],
        not_before="2026-01-02T00:00:00Z",
        expires_at="2026-01-03T00:00:00Z",
    )
    outcomes = []
    for _ in range(3):
        try:
            outcomes.append(_prove(store, secret=issued.secret).agent)
        except hythe.NotAllowed as refused:
            outcomes.append(refused.code)
        clock.advance(DAY)

    assert ["CREDENTIAL_INVALID", "planner", "CREDENTIAL_INVALID"] == outcomes


@pytest.mark.parametrize(
    "times",
    [
        {"expires_at": "2026-01-01T00:00:00Z"},
        {"expires_at": "2025-01-01T00:00:00Z"},
        {"not_before": "2026-02-01T00:00:00Z", "expires_at": "2026-01-15T00:00:00Z"},
        {"expires_at": "2026-02-01T00:00:00"},
        {"expires_at": "soon"},
    ],
)
def test_a_credential_that_would_never_hold_is_not_issued(store, times):
    """Times must leave a moment at which it is valid, and have an offset."""
    assert "INVALID_ARGUMENT" == _code(
        lambda: store.credentials.issue("planner", ["admin"], **times)
    )
    assert 0 == len(store.credentials.list())


def test_rotation_leaves_both_valid_until_the_old_one_is_revoked(store):
    """The new one has the same agent and scopes."""
    old = store.credentials.issue("planner", ["state:read", "admin"])
    new = store.credentials.rotate(old)
    both = [_prove(store, secret=one.secret).agent for one in (old, new)]
    store.credentials.revoke(old, reason="rotated")

    assert ["planner", "planner"] == both
    assert (old.credential.scopes, old.credential.id) == (
        new.credential.scopes,
        new.credential.rotated_from,
    )
    assert "CREDENTIAL_INVALID" == _code(lambda: _prove(store, secret=old.secret))
    assert "planner" == _prove(store, secret=new.secret).agent
    assert "CREDENTIAL_INVALID" == _code(lambda: store.credentials.rotate(old))


def test_a_rotated_credential_expires_with_the_old_one(store, clock):
    """Unless it is given its own end."""
    end = "2026-01-02T00:00:00Z"
    old = store.credentials.issue("planner", ["admin"], expires_at=end)
    later = store.credentials.rotate(old, expires_at="2026-03-01T00:00:00Z")

    assert (
        old.credential.expires_at == store.credentials.rotate(old).credential.expires_at
    )
    assert 3 == later.credential.expires_at.month
    clock.advance(2 * DAY)

    assert "INVALID_ARGUMENT" == _code(lambda: store.credentials.rotate(old))


def test_a_revocation_is_final_and_repeatable(store):
    """The first revocation stays."""
    issued = store.credentials.issue("planner", ["admin"])
    first = store.credentials.revoke(issued.credential.id)

    assert first == store.credentials.revoke(issued.credential)
    assert first.revoked_at is not None
    assert 2 == len(store.credentials.audit())


def test_an_agent_is_enrolled_until_that_is_withdrawn(store):
    """Revoking leaves it enrolled; withdrawing revokes what is left."""
    store.register_agent("planner")
    issued = store.credentials.issue("planner", ["state:read"])
    store.credentials.revoke(issued)
    other = store.credentials.issue("planner", ["state:read"])

    assert store.agents()[0].enrolled
    assert "CREDENTIAL_REQUIRED" == _code(
        lambda: _prove(store, "mixed", claim="planner")
    )
    revoked = store.credentials.withdraw("planner", reason="left")

    assert [other.credential.id] == [one.id for one in revoked]
    assert not store.agents()[0].enrolled
    assert not _prove(store, "mixed", claim="planner").proven
    assert "NOT_FOUND" == _code(lambda: store.credentials.withdraw("planner"))


def test_every_change_is_in_the_audit(store):
    """Issue, rotate, revoke, withdraw: who did it, to whom, why."""
    critic = store.as_agent("critic")
    one = store.credentials.issue("planner", ["admin"])
    critic.credentials.rotate(one)
    store.credentials.revoke(one, reason="old")
    store.credentials.withdraw("planner")
    entries = store.credentials.audit()

    assert ["issue", "rotate", "revoke", "revoke", "withdraw"] == [
        entry.action for entry in entries
    ]
    assert ["root", "critic", "root", "root", "root"] == [e.author for e in entries]
    assert "old" == entries[2].reason


def test_unknown_credentials_are_not_found(store):
    """A credential is named by its id."""
    assert "NOT_FOUND" == _code(lambda: store.credentials.revoke("nope"))
    assert "NOT_FOUND" == _code(lambda: store.credentials.rotate("nope"))


def test_listings_are_paged(store):
    """Pages joined are the whole list, and can be narrowed to an agent."""
    for number in range(5):
        store.credentials.issue(f"a{number % 2}", ["admin"])
    page = store.credentials.list(limit=3)
    rest = store.credentials.list(limit=3, cursor=page.next)
    entries = store.credentials.audit(limit=4)

    assert (3, 2, None) == (len(page), len(rest), rest.next)
    assert 3 == len(store.credentials.list(agent="a0"))
    assert 1 == len(store.credentials.audit(cursor=entries.next))


def test_faults_of_identity_cross_process_borders(store):
    """A refusal pickles whole."""
    with pytest.raises(hythe.NotAllowed) as caught:
        _prove(store, secret="x")
    copy = pickle.loads(pickle.dumps(caught.value))

    assert caught.value.as_dict() == copy.as_dict()
