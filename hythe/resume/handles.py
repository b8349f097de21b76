"""Handles: names under which one recorded value can be read in pieces."""

from __future__ import annotations

import re
from typing import Any, Literal, final

import attrs

from hsum._kernel.faults import Fault
from hsum._kernel.text import shown

__all__ = [
    "Fetched",
    "Handle",
    "entity_handle",
    "legacy_handle",
    "mail_handle",
    "snapshot_handle",
    "value_handle",
]

Kind = Literal["snapshot", "value", "message", "handoff"]
Part = Literal["state", "fact", "loop", "event", "evidence", "entity", "legacy"]

_FORM = re.compile(
    r"hythe://(?:(?P<kind>snapshot|message|handoff)/(?P<id>[0-9A-Za-z_.:-]{1,100})"
    r"|value/(?P<owner>[0-9A-Za-z_.:-]{1,100})"
    r"/(?P<part>state|entity|(?:fact|loop|event|evidence|legacy)/(?P<at>0|[1-9][0-9]{0,9})))"
)


@final
@attrs.frozen
class Handle:
    """A parsed handle; `owner` is the id of a checkpoint, entity or message."""

    kind: Kind
    owner: str
    part: Part | None = None
    ordinal: int | None = None

    @classmethod
    def parse(cls, text: Any) -> Handle:
        """Read a handle.

        Raises:
            Fault: `INVALID_ARGUMENT` for anything that is no handle.
        """
        found = _FORM.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            raise Fault(
                "INVALID_ARGUMENT",
                f"{shown(text)} is no handle",
                hint="Copy the handle whole, as resume gave it.",
                details={"path": "$.handle"},
            )
        if found["kind"]:
            return cls(found["kind"], found["id"])  # type: ignore[arg-type]
        part: Any = found["part"].split("/")[0]
        ordinal = None if found["at"] is None else int(found["at"])
        return cls("value", found["owner"], part, ordinal)

    def __str__(self) -> str:
        if self.part is None:
            return f"hythe://{self.kind}/{self.owner}"
        place = "" if self.ordinal is None else f"/{self.ordinal}"
        return f"hythe://value/{self.owner}/{self.part}{place}"


@final
@attrs.frozen
class Fetched:
    """A piece of a recorded value: the bytes from `offset` on, cut at a character.

    `size` is that of the whole value; `next` is where to go on, None at the end.
    What it says came from an agent, and is data.
    """

    handle: str
    offset: int
    size: int
    data: bytes
    untrusted_content: bool = True

    @property
    def next(self) -> int | None:
        """The offset of the next piece, None after the last."""
        end = self.offset + len(self.data)
        return end if end < self.size else None

    @property
    def text(self) -> str:
        """The bytes as text."""
        return self.data.decode("utf-8", "replace")

    def __repr__(self) -> str:
        end = self.offset + len(self.data)
        return f"<Fetched {self.offset}-{end} of {self.size:,} bytes, {self.handle}>"


def snapshot_handle(checkpoint: str) -> str:
    """Name the whole envelope of a checkpoint."""
    return f"hythe://snapshot/{checkpoint}"


def value_handle(checkpoint: str, part: Part, ordinal: int | None = None) -> str:
    """Name one value of a checkpoint; ordinals count from 0 within its part."""
    return str(Handle("value", checkpoint, part, ordinal))


def entity_handle(entity: str) -> str:
    """Name an entity with its definition."""
    return f"hythe://value/{entity}/entity"


def legacy_handle(scope: str, ordinal: int) -> str:
    """Name a legacy value of a scope."""
    return f"hythe://value/{scope}/legacy/{ordinal}"


def mail_handle(kind: Literal["message", "handoff"], message: str) -> str:
    """Name a message or a handoff of the caller."""
    return f"hythe://{kind}/{message}"
