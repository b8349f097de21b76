"""Bind a page's cursor to the question and to the state that it pages through."""

from __future__ import annotations

from typing import Any

import attrs

from hsum._kernel import cursors
from hsum._kernel.canonical import digest_of
from hsum.errors import fault

__all__ = ["Binding", "position_of", "token_at"]

_KIND = "search"


@attrs.frozen
class Binding:
    """What the pages of one answer have in common."""

    index_id: str
    project_id: str
    query: str
    paths: tuple[str, ...]
    generation: int
    build: int

    @property
    def question(self) -> str:
        """A digest of what is asked, whatever the state."""
        # A glob may hold bytes that are no text, as file names do.
        globs = [glob.encode("utf-8", "surrogateescape").hex() for glob in self.paths]
        return digest_of([self.index_id, self.project_id, self.query, globs])


def token_at(binding: Binding, position: int) -> str:
    """Return the cursor of the page that starts at `position`, from 0."""
    return cursors.encode(_KIND, {**_state(binding), "position": position})


def position_of(token: str | None, binding: Binding) -> int:
    """Return where the page of a cursor starts; 0 without one.

    Raises:
        Fault: `STALE_CURSOR` when it is of another question or another state;
            `INVALID_ARGUMENT` when it is no cursor of a search.
    """
    if token is None:
        return 0
    held = cursors.decode(
        _KIND, token, question=str, generation=int, build=int, position=int
    )
    state = _state(binding)
    stale = [name for name in state if held[name] != state[name]]
    if stale:
        raise fault(
            "STALE_CURSOR",
            f"the cursor is of another {', '.join(stale)}",
            changed=stale,
        )
    return int(held["position"])


def _state(binding: Binding) -> dict[str, Any]:
    return {
        "question": binding.question,
        "generation": binding.generation,
        "build": binding.build,
    }
