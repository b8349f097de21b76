"""What the care of a store reports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import final

import attrs

__all__ = ["Backup", "Exported", "Imported", "Pruned", "Redacted"]


def _sum(counts: Mapping[str, int]) -> str:
    found = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    return found or "nothing"


@final
@attrs.frozen
class Backup:
    """One verified copy of a store; `bytes` is its size."""

    path: Path
    bytes: int
    scopes: int = 0
    checkpoints: int = 0

    def __repr__(self) -> str:
        counts = f"{self.scopes} scopes, {self.checkpoints} checkpoints"
        return f"<Backup {self.path}: {counts}, {self.bytes:,} bytes>"


@final
@attrs.frozen
class Exported:
    """What an export wrote; `counts` by kind of row, `sha256` as in its manifest."""

    path: Path
    rows: int
    counts: Mapping[str, int]
    sha256: str

    def __repr__(self) -> str:
        return f"<Exported {self.path}: {_sum(self.counts)}>"


@final
@attrs.frozen
class Imported:
    """What an import added, by kind of row; what was known already is not counted.

    `skipped` are rows of a HYTHE 0.1.x store that have no place here, by what they are.
    """

    rows: int
    added: Mapping[str, int]
    skipped: Mapping[str, int] = attrs.field(factory=dict)
    dry_run: bool = False

    def __repr__(self) -> str:
        done = "would add" if self.dry_run else "added"
        left = f", skipped {_sum(self.skipped)}" if self.skipped else ""
        return f"<Imported {self.rows:,} rows, {done} {_sum(self.added)}{left}>"


@final
@attrs.frozen
class Redacted:
    """One value that became a tombstone.

    `tombstone` stands in its place; `original` and `replacement` are the hashes of
    the stored bytes it is part of, before and after.
    """

    id: str
    path: str
    tombstone: str
    original: str
    replacement: str
    dry_run: bool = False

    def __repr__(self) -> str:
        done = "would redact" if self.dry_run else "redacted"
        return f"<Redacted {done} {self.path} of {self.id}>"


@final
@attrs.frozen
class Pruned:
    """What a prune took away; `bytes` are those of payloads, `freed` of the file."""

    checkpoints: int = 0
    states: int = 0
    messages: int = 0
    bytes: int = 0
    freed: int = 0
    dry_run: bool = False

    def __repr__(self) -> str:
        done = "would prune" if self.dry_run else "pruned"
        counts = {
            "checkpoints": self.checkpoints,
            "states": self.states,
            "messages": self.messages,
        }
        return f"<Pruned {done} {_sum(counts)}, {self.bytes:,} bytes>"
