"""Laws that every index keeps, to be run against one's own way of making them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from hsum.model import Citation
from hsum.testing._corpora import plant

if TYPE_CHECKING:
    from hsum._api import Index
    from hsum.model import Document

__all__ = ["LAWS", "Law", "check_index", "sentence"]

Law = Callable[["Index", Path], bool]


def check_index(make: Callable[[], Index]) -> tuple[str, ...]:
    """Check every law against a fresh index and a fresh tree each; return the laws.

    Args:
        make: returns an empty index, which is closed afterwards.

    Raises:
        AssertionError: with the sentence of the first law that does not hold.
    """
    for law in LAWS:
        with (
            tempfile.TemporaryDirectory(prefix="hsum-laws-") as folder,
            make() as index,
        ):
            plant(_TREE, Path(folder))
            if not law(index, Path(folder)):
                raise AssertionError(sentence(law))
    return tuple(map(sentence, LAWS))


def sentence(law: Law) -> str:
    """Return the sentence that states a law."""
    return (law.__doc__ or "").strip()


_TREE = {
    "src/scope.py": b"class CancelScope:\n    def shield(self):\n        return True\n",
    "docs/guide.md": b"# Guide\n\nA shielded cancel scope survives.\n",
    "windows.txt": b"\xef\xbb\xbffirst line\r\nsecond line\r\n",
    "latin.txt": b"caf\xe9 au lait\n",
    "empty.txt": b"",
    "data.bin": bytes(range(256)) * 8,
}


def _document(index: Index, path: str) -> Document:
    return next(found for found in index.documents() if found.path == path)


def _bytes_are_exact(index: Index, root: Path) -> bool:
    """What is cited comes back byte for byte."""
    index.ingest(root)
    return all(
        index.get(found.citation).content == (root / found.path).read_bytes()
        for found in index.documents()
    )


def _every_file_is_accounted_for(index: Index, root: Path) -> bool:
    """Every file of the root is indexed or skipped with a reason."""
    report = index.ingest(root)
    known = {found.path for found in index.documents()}
    known |= {skip.path for skip in index.skipped() if skip.reason}
    return known == set(_TREE) and report.discovered == len(_TREE)


def _citations_round_trip(index: Index, root: Path) -> bool:
    """A citation and its string are inverses, and both resolve."""
    index.ingest(root)
    cited = [found.citation for found in index.documents()]
    return all(
        Citation.parse(str(each)) == each and str(each) in index for each in cited
    )


def _same_tree_same_generation(index: Index, root: Path) -> bool:
    """An ingest that finds the same tree commits no generation."""
    first = index.ingest(root)
    os.utime(root / "latin.txt")
    again = index.ingest()
    return again.unchanged and again.generation == first.generation == 1


def _edits_keep_the_past(index: Index, root: Path) -> bool:
    """What was cited before an edit comes back after it."""
    index.ingest(root)
    before = _document(index, "docs/guide.md").citation
    (root / "docs/guide.md").write_bytes(b"# Another\n")
    index.ingest()
    return index.get(before).content == _TREE["docs/guide.md"]


def _deletion_keeps_the_past(index: Index, root: Path) -> bool:
    """What was cited before a deletion comes back after it, and ids return."""
    index.ingest(root)
    before = _document(index, "latin.txt")
    (root / "latin.txt").unlink()
    dropped = index.ingest().dropped
    kept = index.get(before.citation).content == _TREE["latin.txt"]
    (root / "latin.txt").write_bytes(b"back\n")
    index.ingest()
    after = _document(index, "latin.txt")
    return dropped == 1 and kept and after.document_id == before.document_id


def _renames_keep_ids(index: Index, root: Path) -> bool:
    """A file that moves keeps its source and document ids."""
    index.ingest(root)
    before = _document(index, "src/scope.py")
    (root / "src/scope.py").rename(root / "src/moved.py")
    report = index.ingest()
    after = _document(index, "src/moved.py")
    return (report.renamed, after.source_id, after.document_id) == (
        1,
        before.source_id,
        before.document_id,
    )


def _generations_can_be_listed(index: Index, root: Path) -> bool:
    """Each generation still lists the documents it had."""
    index.ingest(root)
    (root / "new.txt").write_bytes(b"new\n")
    index.ingest()
    first, second = (
        {found.path for found in index.documents(number)} for number in (1, 2)
    )
    return second - first == {"new.txt"} and first < second


def _dry_runs_write_nothing(index: Index, root: Path) -> bool:
    """A dry run says what would change and changes nothing."""
    report = index.ingest(root, dry_run=True)
    indexed = len(_TREE) - len(report.skipped)
    return report.added == indexed and not index.generations()


def _doctor_finds_nothing(index: Index, root: Path) -> bool:
    """After any of this the doctor finds nothing wrong."""
    index.ingest(root)
    (root / "windows.txt").unlink()
    (root / "latin.txt").rename(root / "cafe.txt")
    index.ingest()
    return index.doctor().healthy


LAWS: tuple[Law, ...] = (
    _bytes_are_exact,
    _every_file_is_accounted_for,
    _citations_round_trip,
    _same_tree_same_generation,
    _edits_keep_the_past,
    _deletion_keeps_the_past,
    _renames_keep_ids,
    _generations_can_be_listed,
    _dry_runs_write_nothing,
    _doctor_finds_nothing,
)
