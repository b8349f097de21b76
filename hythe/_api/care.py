"""Looking after a store: copies, exchange, redaction, pruning; none runs by itself."""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault, boundary, guarded
from hsum._kernel.files import as_file
from hsum._kernel.text import check_flag, check_text
from hythe._api.handle import Handle
from hythe.errors import family

if TYPE_CHECKING:
    from hythe.care.model import Backup, Exported, Imported, Pruned, Redacted
    from hythe.mail.model import Message
    from hythe.model import Checkpoint, Entity, Observation

__all__ = ["Care", "restore"]


@boundary(family)
class Care(Handle):
    """What an operator does with a store; agents need none of it."""

    def backup(self, path: str | os.PathLike[str]) -> Backup:
        """Write one consistent, verified copy to a new file, while others write.

        Raises:
            InvalidInput: the file exists.
            Damaged: the store is damaged; no copy is left.
        """
        from hythe.care.backup import backup

        return backup(self._storage.database, as_file(path))

    def export(self, path: str | os.PathLike[str]) -> Exported:
        """Write everything but credentials to a new file, as JSON lines.

        The last line is the manifest: how many rows of each kind, and the SHA-256 of
        all lines before it. The same content gives the same bytes.

        Raises:
            InvalidInput: the file exists.
            Damaged: the store is damaged; no file is left.
        """
        from hythe.care.export import export

        return self._read(export, as_file(path))

    def import_(
        self, path: str | os.PathLike[str], *, dry_run: bool = False
    ) -> Imported:
        """Add what a file of `export`, or a store of HYTHE 0.1.x, has and this has not.

        What is known already stays as it is. A scope on both sides must be equal, or
        one an extension of the other. All is added, or nothing.

        Args:
            path: the file.
            dry_run: check and count, and change nothing.

        Raises:
            InvalidInput: a line that cannot be read; the details name it.
            Taken: `IMPORT_CONFLICT`: the two disagree on a history.
            Damaged: the file is not as it was written.
        """
        from hythe.care.exchange import import_file

        return import_file(
            self._storage,
            self.agent,
            as_file(path),
            proven=self._proven,
            dry_run=check_flag(dry_run, "$.dry_run"),
        )

    def redact(
        self,
        id: str | Checkpoint | Observation | Message | Entity,  # noqa: A002 - its name
        path: str | None = None,
        *,
        reason: str,
        dry_run: bool = False,
    ) -> Redacted:
        """Replace one recorded text by a tombstone, for good.

        Ids, hashes and seals stay and still verify; who did it, when and why is
        recorded. Exports and backups made before keep the value.

        Args:
            id: a checkpoint, observation, message or entity, or its id.
            path: the text, as a `secret_warning` names it: `$.facts[0].object`,
                `$.state.objective`, `$.metadata.token`; by default `$.text`.
            reason: why, for the record.
            dry_run: check, and change nothing.

        Raises:
            NotFound: nothing is recorded there.
            InvalidInput: what is there is no free text, or is redacted already.
        """
        from hythe.care.redact import redact

        identity = check_text(getattr(id, "id", id), "$.id")
        why = _reason(reason)
        place = None if path is None else check_text(path, "$.path")
        is_dry = check_flag(dry_run, "$.dry_run")
        done = self._write(redact, identity, place, reason=why, dry_run=is_dry)
        if not dry_run:
            self._storage.database.give_back_space()
        return done

    def prune(
        self, *, archived_before: datetime | str | None = None, dry_run: bool = False
    ) -> Pruned:
        """Remove payloads of retired lineages whose values are all settled.

        Rows, ids, hashes, seals and keys stay; reading a payload says `PRUNED`. The
        space goes back to the disk.

        Args:
            archived_before: remove instead the messages that all their recipients
                archived before this time.
            dry_run: count, and change nothing.
        """
        from hythe.care.prune import prune

        return prune(
            self._storage,
            self.agent,
            proven=self._proven,
            archived_before=archived_before,
            dry_run=check_flag(dry_run, "$.dry_run"),
        )


def _reason(reason: str) -> str:
    if not check_text(reason, "$.reason").strip():
        raise Fault(
            "INVALID_ARGUMENT",
            "$.reason must say why",
            details={"path": "$.reason"},
        )
    return reason


def restore(backup: str | os.PathLike[str], path: str | os.PathLike[str]) -> Backup:
    """Make a store at a path that has none from a verified backup.

    Raises:
        NotFound: there is no backup.
        InvalidInput: the path has a store.
        Damaged: the backup is damaged.
    """
    from hythe.care import backup as copies

    return copies.restore(as_file(backup, "$.backup"), as_file(path))


restore = guarded(family, restore)
