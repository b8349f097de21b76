"""What every new row says about its writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Stamp"]


@final
@attrs.frozen
class Stamp:
    """Who writes, into which store, and when; made once per writing call.

    Attributes:
        store: the small integer that every key begins with.
        author: the exact id of the agent.
        proven: whether a credential proved it.
        now: UTC microseconds, read inside the writing transaction.
        new_id: gives a fresh UUID at each call.
    """

    store: int
    author: str
    proven: bool
    now: int
    new_id: Callable[[], str]

    @property
    def fields(self) -> dict[str, Any]:
        """The columns that say so, all covered by the row's digest."""
        return {
            "author": self.author,
            "proven": self.proven,
            "recorded_at": self.now,
        }
