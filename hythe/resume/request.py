"""What a call of resume asks for, checked before anything is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import attrs

from hsum._kernel.faults import Fault
from hsum._kernel.text import shown
from hythe.resume.budget import check_budget
from hythe.resume.counter import check_counter
from hythe.resume.sections import requested

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Request", "resume_request"]

FLAT, LINEAGE = 1, 3
_LONGEST_CHECK_MS = 600_000


@final
@attrs.frozen
class Request:
    """One checked call; `cursor` is read when the scope is known."""

    budget: int
    sections: tuple[str, ...]
    cursor: Any
    result_version: int
    count: Callable[[str], int]
    evidence_timeout_ms: int
    verify: bool

    @property
    def is_flat(self) -> bool:
        """Whether the older flat view is asked for."""
        return self.result_version == FLAT


def resume_request(
    *,
    budget: Any = 4_000,
    sections: Any = None,
    cursor: Any = None,
    result_version: Any = 3,
    count_tokens: Any = None,
    evidence_timeout_ms: Any = 500,
    verify: Any = False,
) -> Request:
    """Check the options of a call.

    Raises:
        Fault: `INVALID_ARGUMENT`, `BUDGET_TOO_SMALL`.
    """
    version = _version(result_version)
    names = requested(sections)
    _check(
        type(evidence_timeout_ms) is int
        and 0 <= evidence_timeout_ms <= _LONGEST_CHECK_MS,
        "evidence_timeout_ms",
        f"must be a whole number from 0 to {_LONGEST_CHECK_MS:,}",
    )
    _check(isinstance(verify, bool), "verify", "must be true or false")
    return Request(
        check_budget(budget),
        names,
        cursor,
        version,
        check_counter(count_tokens),
        evidence_timeout_ms,
        verify,
    )


def _version(version: Any) -> int:
    if type(version) is int and version in (FLAT, LINEAGE):
        return version
    raise Fault(
        "INVALID_ARGUMENT",
        f"result_version {shown(version)} is not served",
        hint="Use 3, or 1 for the older flat view.",
        details={"path": "$.result_version"},
    )


def _check(holds: bool, name: str, message: str) -> None:  # noqa: FBT001 - the test
    if not holds:
        raise Fault(
            "INVALID_ARGUMENT", f"{name} {message}", details={"path": f"$.{name}"}
        )
