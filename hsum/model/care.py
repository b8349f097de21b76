"""What looking after an index reports: space given back, copies made."""

from __future__ import annotations

import attrs


@attrs.frozen(repr=False)
class PruneReport:
    """Report what pruning removes, or would remove with `dry_run`.

    Evidence that stood only before generation `kept_from` is `EVIDENCE_PRUNED`;
    `bytes` are its raw bytes.
    """

    kept_from: int
    revisions: int
    bytes: int
    dry_run: bool = False

    def __repr__(self) -> str:
        what = "would remove" if self.dry_run else "removed"
        return (
            f"<PruneReport {what} {self.revisions:,} revisions, {self.bytes:,} bytes; "
            f"kept from generation {self.kept_from}>"
        )


@attrs.frozen(repr=False)
class ForgetReport:
    """Report what was removed for good, or would be with `dry_run`.

    `paths` are all that the forgotten sources ever had; `held` are other paths that
    had the same bytes, which therefore stay.
    """

    paths: tuple[str, ...]
    revisions: int
    bytes: int
    held: tuple[str, ...] = ()
    generation: int | None = None
    dry_run: bool = False

    def __repr__(self) -> str:
        what = "would remove" if self.dry_run else "removed"
        held = (
            f", {len(self.held)} other paths hold the same bytes" if self.held else ""
        )
        return (
            f"<ForgetReport {what} {self.revisions:,} revisions of "
            f"{len(self.paths)} paths{held}>"
        )


@attrs.frozen(repr=False)
class BackupReport:
    """Report a copy that was made and read from end to end."""

    path: str
    index_id: str | None
    generation: int | None
    revisions: int
    bytes: int

    def __repr__(self) -> str:
        return f"<BackupReport {self.path}: generation {self.generation}, verified>"
