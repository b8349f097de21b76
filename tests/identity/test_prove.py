"""The table of modes, cell by cell."""

from __future__ import annotations

import pytest

from hsum._kernel.faults import Fault
from hythe.identity.decide import Claim, Grant, Proof, check_agent, check_scopes, prove
from hythe.identity.model import SCOPES

NOW = 1_000
MODES = ("observe", "mixed", "required")
GOOD = Grant("planner", frozenset({"state:read"}))
INVALID = {
    "unknown": None,
    "expired": Grant("planner", GOOD.scopes, expires_at=NOW),
    "not yet valid": Grant("planner", GOOD.scopes, not_before=NOW + 1),
    "revoked": Grant("planner", GOOD.scopes, revoked=True),
}


def _outcome(mode, claim, needed="state:read"):
    try:
        return prove(mode, claim, needed=needed, now=NOW)
    except Fault as fault:
        return fault.code


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("agent", [None, "planner"])
def test_a_valid_credential_proves(mode, agent):
    """With no claim or an equal one the call is proven, in every mode."""
    claim = Claim(agent, enrolled=True, brought=True, grant=GOOD)

    assert Proof("planner", proven=True) == _outcome(mode, claim)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("agent", ["critic", "Planner"])
def test_a_valid_credential_of_another_agent_is_a_mismatch(mode, agent):
    """A claim that differs, if only in case, is refused in every mode."""
    claim = Claim(agent, brought=True, grant=GOOD)

    assert "IDENTITY_MISMATCH" == _outcome(mode, claim)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("agent", [None, "planner", "critic"])
@pytest.mark.parametrize("kind", INVALID)
def test_an_invalid_credential_never_falls_back(mode, agent, kind):
    """Wrong, expired, revoked or not yet valid: refused, whatever is claimed."""
    claim = Claim(agent, brought=True, grant=INVALID[kind])

    assert "CREDENTIAL_INVALID" == _outcome(mode, claim)


@pytest.mark.parametrize(
    ("mode", "enrolled", "expected"),
    [
        ("observe", True, Proof("planner", proven=False)),
        ("observe", False, Proof("planner", proven=False)),
        ("mixed", True, "CREDENTIAL_REQUIRED"),
        ("mixed", False, Proof("planner", proven=False)),
        ("required", True, "CREDENTIAL_REQUIRED"),
        ("required", False, "CREDENTIAL_REQUIRED"),
    ],
)
def test_without_a_credential_the_mode_decides(mode, enrolled, expected):
    """A bare claim is recorded as unproven, or refused."""
    assert expected == _outcome(mode, Claim("planner", enrolled=enrolled))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("needed", [scope for scope in SCOPES if scope != "state:read"])
def test_a_missing_scope_is_denied(mode, needed):
    """No scope contains another."""
    claim = Claim("planner", brought=True, grant=GOOD)

    assert "SCOPE_DENIED" == _outcome(mode, claim, needed)


@pytest.mark.parametrize("mode", ["observe", "mixed"])
def test_a_bare_claim_is_no_admin(mode):
    """Whoever only claims a name may not issue credentials."""
    assert "SCOPE_DENIED" == _outcome(mode, Claim("planner"), "admin")


def test_a_call_without_any_name_is_refused():
    """There is no one to record."""
    assert "INVALID_ARGUMENT" == _outcome("observe", Claim(None))
    assert "INVALID_ARGUMENT" == _outcome("lax", Claim("planner"))


def test_validity_begins_inclusive_and_ends_exclusive():
    """A credential holds from `not_before` on, and no longer at `expires_at`."""
    grant = Grant("planner", GOOD.scopes, not_before=10, expires_at=20)

    assert [False, True, True, False] == [grant.valid(now) for now in (9, 10, 19, 20)]


@pytest.mark.parametrize("agent", ["a", "A-b_c.d:e", "x" * 100, "0"])
def test_an_agent_id_is_taken_exactly(agent):
    """Nothing is trimmed, folded or aliased."""
    assert agent == check_agent(agent)


@pytest.mark.parametrize(
    "agent", ["", "x" * 101, "a b", " a", "a\n", "é", "a/b", "a\x00", None, 7, b"a"]
)
def test_what_is_no_agent_id_is_refused(agent):
    """1 to 100 of the allowed characters, and nothing else."""
    with pytest.raises(Fault) as caught:
        check_agent(agent)

    assert "INVALID_ARGUMENT" == caught.value.code


@pytest.mark.parametrize("scopes", [(), "admin", ["admin", "root"], [7], None, [[]]])
def test_wrong_scopes_are_refused(scopes):
    """Scopes are a list of one or more of the known ones."""
    with pytest.raises(Fault):
        check_scopes(scopes)


def test_scopes_are_put_in_order():
    """Repeats are dropped, and the order is always the same."""
    assert ("state:read", "admin") == check_scopes(["admin", "state:read", "admin"])
