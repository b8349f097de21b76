"""Credentials of agents, as `Store.credentials` offers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from hsum._kernel.clock import micros
from hsum._kernel.faults import Fault, boundary
from hsum._kernel.text import check_text
from hythe._api.handle import Handle
from hythe.errors import family
from hythe.identity import audit, credentials
from hythe.identity.decide import Claim, Proof, check_agent, check_scopes, prove
from hythe.observe import checks

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from hythe.identity.model import AuditEntry, Credential, Issued, Mode, Scope
    from hythe.model import Page

_MOST = 1_000


@final
@boundary(family)
class Credentials(Handle):
    """Issue, rotate, revoke and list what proves an agent.

    The in-process library trusts its caller; a server asks `prove` at each call.
    Every change leaves a row in `audit`.
    """

    def issue(
        self,
        agent: str,
        scopes: Iterable[Scope],
        *,
        not_before: datetime | str | None = None,
        expires_at: datetime | str | None = None,
    ) -> Issued:
        """Issue a credential to an agent, which is enrolled from now on.

        The secret is in the result and nowhere else; only its hash is stored.

        Args:
            agent: the exact id that it will prove.
            scopes: what it allows; see `hythe.SCOPES`.
            not_before: when it begins to hold (inclusive).
            expires_at: when it ends (exclusive); None is never.

        Raises:
            InvalidInput: an argument, or times at which it would never hold.
        """
        return self._write(
            credentials.issue,
            check_agent(getattr(agent, "id", agent)),
            check_scopes(scopes),
            not_before=_time(not_before, "$.not_before"),
            expires_at=_time(expires_at, "$.expires_at"),
        )

    def rotate(
        self,
        credential: str | Credential | Issued,
        *,
        expires_at: datetime | str | None = None,
    ) -> Issued:
        """Issue another one with the same scopes; both hold until the old is revoked.

        Without `expires_at` the new one ends when the old one does.

        Raises:
            NotFound: there is no such credential.
            NotAllowed: `CREDENTIAL_INVALID`, it was revoked.
        """
        ends = _time(expires_at, "$.expires_at")
        return self._write(credentials.rotate, _id(credential), expires_at=ends)

    def revoke(
        self, credential: str | Credential | Issued, *, reason: str | None = None
    ) -> Credential:
        """End a credential for good; revoking it again changes nothing.

        Raises:
            NotFound: there is no such credential.
        """
        said = checks.check_optional(reason, "$.reason")
        return self._write(credentials.revoke, _id(credential), said)

    def withdraw(
        self, agent: str, *, reason: str | None = None
    ) -> tuple[Credential, ...]:
        """End an agent's enrolment, and revoke its credentials; return those revoked.

        Raises:
            NotFound: the agent is not enrolled.
        """
        said = checks.check_optional(reason, "$.reason")
        wanted = check_agent(getattr(agent, "id", agent))
        return self._write(credentials.withdraw, wanted, said)

    def list(
        self, *, agent: str | None = None, limit: int = 100, cursor: str | None = None
    ) -> Page[Credential]:
        """Return credentials without their secrets, oldest first."""
        return self._read(
            credentials.list_credentials,
            agent=None if agent is None else check_agent(getattr(agent, "id", agent)),
            limit=_limit(limit),
            cursor=cursor,
        )

    def audit(self, *, limit: int = 100, cursor: str | None = None) -> Page[AuditEntry]:
        """Return what was done with credentials, by whom and when, oldest first."""
        return self._read(audit.list_audit, limit=_limit(limit), cursor=cursor)

    def prove(
        self,
        mode: Mode,
        *,
        needed: Scope,
        secret: str | None = None,
        claim: str | None = None,
    ) -> Proof:
        """Decide whose call it is; `Store.as_agent` then takes the answer.

        Args:
            mode: `observe`, `mixed` or `required`.
            needed: the scope that the call uses.
            secret: the credential that the call brings.
            claim: the agent id that the call claims.

        Raises:
            NotAllowed: `CREDENTIAL_INVALID`, `IDENTITY_MISMATCH`, `SCOPE_DENIED`,
                `CREDENTIAL_REQUIRED`.
        """
        found = self._read(_claim, secret, claim)
        return prove(mode, found, needed=needed, now=self._storage.clock())


def _claim(conn: Any, store: int, secret: Any, agent: Any) -> Claim:
    if secret is not None and not isinstance(secret, str):
        raise Fault("CREDENTIAL_INVALID", "the credential is not valid")
    return Claim(
        None if agent is None else check_agent(agent),
        agent is not None and audit.is_enrolled(conn, store, agent),
        secret is not None,
        None if secret is None else credentials.find_grant(conn, store, secret),
    )


def _id(credential: Any) -> str:
    known = getattr(credential, "credential", credential)
    return check_text(getattr(known, "id", known), "$.credential")


def _time(moment: Any, path: str) -> int | None:
    return None if moment is None else micros(moment, path)


def _limit(limit: int) -> int:
    return checks.check_bound(limit, "$.limit", least=1, most=_MOST)
