"""What the doctor asks of an index: all its rows, held against each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from hsum._kernel.sqlite_log import log_problems
from hsum._kernel.sqlite_schema import schema_problems
from hsum.index import seal, seen
from hsum.index.catalogue import Snapshot, Totals
from hsum.index.schema import BLOCK_BITS, SCHEMA

__all__ = ["Audit"]

Steps = dict[int, list[tuple[str, str]]]


class Audit(Snapshot):
    """A snapshot that is read from end to end."""

    def integrity(self) -> list[str]:
        """Return what SQLite itself finds wrong with the file, and what of its log."""
        rows = self._connection.execute("PRAGMA integrity_check(20)")
        found = [line for (line,) in rows if line != "ok"]
        return [
            *found,
            *log_problems(self._connection),
            *schema_problems(self._connection, SCHEMA),
        ]

    def sealed(self) -> bool:
        """Tell whether root, options, projects and head are as last written."""
        return seal.intact(self._connection)

    def revisions(self) -> Iterator[tuple[int, str, int, str]]:
        """Yield row, SHA-256 in hex, size and encoding of each revision that is kept."""
        return self._connection.execute(
            "SELECT id, lower(hex(sha256)), size, encoding FROM revision"
            " WHERE gone IS NULL"
        )

    def gone(self) -> set[str]:
        """Return the reasons why revisions and sources are gone."""
        rows = self._connection.execute(
            "SELECT gone FROM revision UNION SELECT gone FROM source"
        )
        return {why for (why,) in rows if why is not None}

    def body(self, revision: int, size: int) -> bytes:
        """Return all bytes of a revision by its row, each block checked by hash."""
        return self._body(revision, 0, size)

    def stray_blocks(self) -> int:
        """Count the blocks that belong to no revision whose bytes are kept."""
        (count,) = self._connection.execute(
            "SELECT count(*) FROM block LEFT JOIN revision"
            f" ON revision.id = block.id >> {BLOCK_BITS} AND gone IS NULL"
            " WHERE revision.id IS NULL"
        ).fetchone()
        return int(count)

    def cut_sizes(self) -> Iterator[tuple[int, int]]:
        """Yield each cut with the size of its revision."""
        return self._connection.execute(
            "SELECT cut.id, size FROM cut JOIN revision ON revision.id = cut.revision"
        )

    def broken_versions(self) -> list[int]:
        """Return the versions that name rows which are not there."""
        rows = self._connection.execute(
            "SELECT version.id FROM version"
            " LEFT JOIN document ON document.id = version.document"
            " LEFT JOIN source ON source.id = document.source"
            " LEFT JOIN revision ON revision.id = version.revision"
            " LEFT JOIN cut ON cut.id = version.cut"
            " AND cut.revision = version.revision"
            " WHERE source.id IS NULL OR revision.id IS NULL"
            " OR (cut.id IS NULL AND source.gone IS NULL)"
        )
        return [key for (key,) in rows]

    def runs(self) -> dict[int, set[tuple[int, int]]]:
        """Return the runs of passages that versions have of each cut that is kept."""
        runs: dict[int, set[tuple[int, int]]] = defaultdict(set)
        rows = self._connection.execute(
            "SELECT cut, first, passages FROM version JOIN cut ON cut.id = version.cut"
        )
        for cut, first, passages in rows:
            runs[cut].add((first, first + passages))
        return runs

    def unread_folders(self) -> list[bytes]:
        """Return the folders whose record of the last scan is damaged."""
        return [
            folder
            for folder, stored in self._connection.execute("SELECT * FROM seen")
            if seen.unsealed(stored) is None
        ]

    def reasons(self) -> dict[str, int]:
        """Count the paths left out by reason, row by row."""
        return dict(
            self._connection.execute(
                "SELECT reason, count(*) FROM skip GROUP BY reason"
            )
        )

    def facts(self) -> dict[int, tuple[int, ...]]:
        """Return when each generation was committed, and its counts."""
        rows = self._connection.execute(
            "SELECT number, committed_at, added, changed, renamed, dropped, documents,"
            " passages, bytes FROM generation"
        )
        return {row[0]: row[1:] for row in rows}

    def begun(self) -> Steps:
        """Return document id and `rev` of what each generation begins."""
        return self._steps("from_generation")

    def ended(self) -> Steps:
        """Return document id and `rev` of what each generation ends."""
        return self._steps("to_generation")

    def _steps(self, column: str) -> Steps:
        steps: Steps = defaultdict(list)
        rows = self._connection.execute(
            f"SELECT version.{column}, document.uuid, lower(hex(revision.sha256))"
            " FROM version"
            " JOIN document ON document.id = version.document"
            " JOIN revision ON revision.id = version.revision"
            f" WHERE version.{column} NOT NULL"
        )
        for generation, document, rev in rows:
            steps[generation].append((document, rev))
        return steps

    def counted(self) -> Totals:
        """Count what is live, row by row."""
        documents, passages = self._connection.execute(
            "SELECT count(*), coalesce(sum(passages), 0) FROM version"
            " WHERE to_generation IS NULL"
        ).fetchone()
        (size,) = self._connection.execute(
            "SELECT coalesce(sum(size), 0) FROM (SELECT DISTINCT version.path, size"
            " FROM version JOIN revision ON revision.id = version.revision"
            " WHERE to_generation IS NULL)"
        ).fetchone()
        return Totals(documents, passages, size)
