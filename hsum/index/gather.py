"""Read the files that a walk found changed, one after the other."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import attrs

from hsum._kernel.files import translating_os
from hsum.index import skips
from hsum.index.decode import encoding_of
from hsum.index.reading import Read, Reader
from hsum.index.records import broken_line
from hsum.index.scan import File, Outcome
from hsum.index.skips import Skip
from hsum.index.writing import Content

if TYPE_CHECKING:
    from collections.abc import Callable

    from hsum.index.plan import Fresh, Live
    from hsum.index.survey import Survey

__all__ = ["Gathered", "gather"]

_FAILURES = frozenset({skips.UNREADABLE, skips.UNSTABLE})


@attrs.define
class Gathered:
    """What reading gave: files that differ, paths to drop, and why others stay out.

    `failed` files could not be read; those that were indexed keep what they had.
    """

    fresh: list[Fresh] = attrs.field(factory=list)
    gone: list[bytes] = attrs.field(factory=list)
    skips: list[Skip] = attrs.field(factory=list)
    failed: list[Skip] = attrs.field(factory=list)
    outcomes: dict[bytes, Outcome] = attrs.field(factory=dict)

    def settle(self, file: File, skip: Skip, *, indexed: bool) -> None:
        """Note a file that was read and is not to be indexed."""
        self.skips.append(skip)
        self.outcomes[file.path] = Outcome(file.signature, skip)
        if indexed:
            self.gone.append(file.path)

    def fail(self, file: File, skip: Skip, *, indexed: bool) -> None:
        """Note a file that could not be read; it is tried again by the next scan."""
        self.failed.append(skip)
        kept = None if indexed else skip
        self.skips += [] if indexed else [skip]
        self.outcomes[file.path] = Outcome(file.signature, kept, settled=False)


def gather(
    survey: Survey,
    record: Callable[[Content], Fresh],
    tell: Callable[[int, int], None],
) -> Gathered:
    """Read every changed file and `record` those whose bytes are not what stood."""
    gathered = Gathered(gone=list(survey.scan.vanished))
    total = len(survey.scan.changed)
    with translating_os(survey.root):
        reader = Reader(survey.root)
    with reader:
        for done, file in enumerate(survey.scan.changed):
            tell(done, total)
            read = reader.read(file.path, survey.options.max_file_bytes)
            _take(gathered, file, read, survey.lives.get(file.path, ()), record)
    tell(total, total)
    return gathered


def _take(
    gathered: Gathered,
    file: File,
    read: Read | Skip,
    lives: tuple[Live, ...],
    record: Callable[[Content], Fresh],
) -> None:
    if isinstance(read, Skip):
        lost = read.reason in _FAILURES
        (gathered.fail if lost else gathered.settle)(file, read, indexed=bool(lives))
        return
    encoding = encoding_of(read.data)
    if lives and lives[0].record and (line := broken_line(read.data)):
        # What is half written must not end the records that the file is the list of.
        detail = f"line {line} is no record with a key of its own"
        skip = Skip(file.path, skips.UNREADABLE, detail)
        gathered.fail(file, skip, indexed=True)
        return
    answer = skips.of_bytes(read.data, encoding)
    if answer is not None:
        skip = Skip(file.path, *answer)
        gathered.settle(
            attrs.evolve(file, signature=read.signature), skip, indexed=bool(lives)
        )
        return
    if read.signature != file.signature:
        gathered.outcomes[file.path] = Outcome(read.signature)
    rev = sha256(read.data).hexdigest()
    if not lives or lives[0].rev != rev:
        gathered.fresh.append(record(Content(file.path, read.data, rev, encoding)))
