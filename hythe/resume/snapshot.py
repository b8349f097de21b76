"""One scope as one read transaction sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from hythe.checkpoint.scopes import At, require_scope, spelled, standing_of
from hythe.checkpoint.store import Row, load_row
from hythe.resume.bundle import AsOf, Selection

if TYPE_CHECKING:
    import sqlite3

    from hythe.model import ScopeName

__all__ = ["Snapshot"]

_KEPT_ROWS = 16


@final
class Snapshot:
    """A scope, where it stands, and its checkpoints, each verified when it is read."""

    def __init__(self, conn: sqlite3.Connection, store: int, name: ScopeName) -> None:
        self.conn = conn
        self.at: At = require_scope(conn, store, name)
        self.name = spelled(conn, self.at)
        self.standing = standing_of(conn, self.at)
        self._rows: dict[int, Row] = {}

    def row(self, revision: int) -> Row:
        """Return a checkpoint whose bytes match its hash and seal.

        Raises:
            Fault: `INTEGRITY_FAILED`.
        """
        if revision not in self._rows:
            if len(self._rows) >= _KEPT_ROWS:
                self._rows.pop(next(iter(self._rows)))
            self._rows[revision] = load_row(self.conn, self.at, revision)
        return self._rows[revision]

    @property
    def designated(self) -> bool:
        """Whether a pointer tells the accepted lineage, or nothing is there to tell."""
        return bool(self.standing.pointer) or not self.standing.revisions

    @property
    def shown(self) -> Row | None:
        """The checkpoint whose state is shown: the pointed one, else the newest."""
        revision = self.standing.pointer or self.standing.revisions
        return self.row(revision) if revision else None

    def as_of(self, now: int) -> AsOf:
        """Say what an answer from here stands on."""
        standing, row = self.standing, self.shown
        counts = AsOf(
            live_heads=standing.live,
            divergent_heads=standing.live - bool(standing.pointer),
            retired_heads=standing.retired,
            divergent_values=standing.unresolved,
            resolved_values=standing.resolved,
        )
        if row is None:
            return counts
        return AsOf(
            checkpoint=row.id,
            revision=row.revision,
            age=max(0, now - row.recorded_at) // 1_000_000,
            selection=self._selection(),
            pointer_reason=row.outcome if standing.pointer else None,
            live_heads=counts.live_heads,
            divergent_heads=counts.divergent_heads,
            retired_heads=counts.retired_heads,
            divergent_values=counts.divergent_values,
            resolved_values=counts.resolved_values,
        )

    def _selection(self) -> Selection:
        return "pointer" if self.standing.pointer else "max-revision"
