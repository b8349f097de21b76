"""Whose call it is: what is claimed, what is proven, what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, final, get_args

import attrs

from hsum._kernel.faults import Fault
from hythe.identity.model import SCOPES, Mode, Scope
from hythe.observe.checks import bounded

__all__ = ["Claim", "Grant", "Proof", "check_agent", "check_scopes", "prove"]

_AGENT = re.compile(r"[A-Za-z0-9_.:\-]{1,100}")
_MODES = get_args(Mode)


def check_agent(value: Any, path: str = "$.agent") -> str:
    """Return an agent id: 1 to 100 of `A-Z a-z 0-9 _ . : -`, taken exactly as it is."""
    if isinstance(value, str) and _AGENT.fullmatch(value):
        return value
    raise Fault(
        "INVALID_ARGUMENT",
        f"{path} is no agent id",
        hint="An agent id has 1 to 100 of A-Z a-z 0-9 _ . : - and nothing else.",
        details={"path": path},
    )


def check_scopes(value: Any, path: str = "$.scopes") -> tuple[Scope, ...]:
    """Return scopes without repeats, in the order of `SCOPES`; at least one."""
    wanted = _scope_set(value)
    if not wanted or not wanted <= set(SCOPES):
        raise Fault(
            "INVALID_ARGUMENT",
            f"{path} must be a list of one or more scopes",
            hint=f"The scopes are {', '.join(SCOPES)}.",
            details={"path": path, "scopes": list(SCOPES)},
        )
    return tuple(scope for scope in SCOPES if scope in wanted)


def _scope_set(value: Any) -> set[Any]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        return set()
    listed = bounded(value, "$.scopes")
    return set(listed) if all(isinstance(item, str) for item in listed) else set()


@final
@attrs.frozen
class Grant:
    """What a stored credential allows; times in UTC microseconds."""

    agent: str
    scopes: frozenset[str]
    not_before: int | None = None
    expires_at: int | None = None
    revoked: bool = False

    def valid(self, now: int) -> bool:
        """Tell whether it holds: from `not_before` on, and before `expires_at`."""
        begun = self.not_before is None or self.not_before <= now
        ended = self.expires_at is not None and self.expires_at <= now
        return begun and not ended and not self.revoked


@final
@attrs.frozen
class Claim:
    """What a call brings.

    Attributes:
        agent: the id it claims, or None.
        enrolled: whether that agent must bring a credential in mode `mixed`.
        brought: whether it brought a credential, of whatever kind.
        grant: what the store found for it, or None.
    """

    agent: str | None
    enrolled: bool = False
    brought: bool = False
    grant: Grant | None = None


@final
@attrs.frozen
class Proof:
    """Whose call it is, and whether a credential proved it."""

    agent: str
    proven: bool


def prove(mode: Mode, claim: Claim, *, needed: Scope, now: int) -> Proof:
    """Decide whose call it is.

    Args:
        mode: how strict the server is.
        claim: what the call brings.
        needed: the scope that the call uses.
        now: UTC microseconds.

    Raises:
        Fault: `CREDENTIAL_INVALID`, `IDENTITY_MISMATCH`, `SCOPE_DENIED`,
            `CREDENTIAL_REQUIRED`; `INVALID_ARGUMENT` where no one is named.
    """
    if mode not in _MODES:
        raise Fault(
            "INVALID_ARGUMENT",
            f"$.mode is one of {', '.join(_MODES)}",
            details={"path": "$.mode"},
        )
    if claim.brought:
        return _proven(claim, needed, now)
    if mode == "required" or (mode == "mixed" and claim.enrolled):
        raise Fault("CREDENTIAL_REQUIRED", "this call must bring a credential")
    if claim.agent is None:
        raise Fault(
            "INVALID_ARGUMENT",
            "the call names no agent and proves none",
            details={"path": "$.claim"},
        )
    if needed == "admin":
        # A bare name would let anyone issue credentials to anyone.
        raise _denied(needed)
    return Proof(check_agent(claim.agent), proven=False)


def _proven(claim: Claim, needed: Scope, now: int) -> Proof:
    grant = claim.grant
    if grant is None or not grant.valid(now):
        raise Fault("CREDENTIAL_INVALID", "the credential is not valid")
    if claim.agent not in (None, grant.agent):
        raise Fault(
            "IDENTITY_MISMATCH", "the credential belongs to another agent than claimed"
        )
    if needed not in grant.scopes:
        raise _denied(needed)
    return Proof(grant.agent, proven=True)


def _denied(needed: Scope) -> Fault:
    return Fault(
        "SCOPE_DENIED",
        f"the call needs the scope {needed}",
        details={"needed": needed},
    )
