"""How much of each section an answer holds, and why not more."""

from __future__ import annotations

from typing import Literal, final

import attrs

__all__ = ["Coverage", "Reason", "covered"]

Reason = Literal[
    "none", "budget", "cursor", "not-requested", "oversize", "undesignated"
]


@final
@attrs.frozen
class Coverage:
    """What is here of one section.

    `reason` is `none` exactly when the section is complete. `cursor`: the call
    continues another section, or earlier pages hold the rest. `undesignated`: no
    pointer says which lineage is accepted.
    """

    included: int
    total: int
    reason: Reason = "none"

    @property
    def complete(self) -> bool:
        """Whether everything is here."""
        return self.included == self.total

    def __str__(self) -> str:
        counts = f"{self.included}/{self.total}"
        return counts if self.complete else f"{counts} {self.reason}"

    def __repr__(self) -> str:
        return f"<Coverage {self}>"


def covered(
    included: int,
    total: int,
    *,
    asked: Reason = "none",
    unread: bool = False,
    oversize: bool = False,
) -> Coverage:
    """Decide the coverage of a section.

    Args:
        included: entries delivered whole.
        total: entries there are.
        asked: why the section was not, or not wholly, asked for; `none` if it was.
        unread: whether entries behind the last one are left.
        oversize: whether a handle stands for one of the entries.
    """
    if included == total:
        return Coverage(included, total)
    if asked in ("not-requested", "undesignated"):
        return Coverage(included, total, asked)
    if unread:
        return Coverage(included, total, "budget")
    return Coverage(included, total, "oversize" if oversize else "cursor")
