"""Check everything an index holds against itself; rebuild what is derived."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

import attrs

from hsum._kernel.catalogue import entry_of
from hsum._kernel.escape import visible_path
from hsum._kernel.faults import Fault
from hsum.index import lexical_files
from hsum.index.audit import Audit
from hsum.index.chain import GENESIS, chained
from hsum.index.damage import explained_by_damage
from hsum.index.decode import encoding_of
from hsum.index.generations import rebuild
from hsum.index.lexical import Reader
from hsum.index.schema import BLOCK_BYTES
from hsum.model import DoctorReport, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from hsum._kernel.sqlite import Database
    from hsum.index.store import Store

__all__ = ["doctor", "problems_of"]

LEXICAL = "lexical index"

_DAMAGE = frozenset(
    {"INTEGRITY_FAILED", "LEXICAL_UNAVAILABLE", "SCHEMA_TOO_NEW", "STORE_DAMAGED"}
)


def doctor(store: Store, *, repair: bool = False) -> DoctorReport:
    """Check blocks, passages, versions, the chain of generations and the lexical files.

    With `repair`, the lexical index is rebuilt if it is at fault.
    """
    report = _examined(store.database, store)
    if not (
        repair and any(item.code == "LEXICAL_UNAVAILABLE" for item in report.problems)
    ):
        return report
    with store.writer():
        rebuild(store, lambda _done, _total: None)
    return attrs.evolve(_examined(store.database, store), repaired=(LEXICAL,))


def problems_of(database: Database) -> tuple[Problem, ...]:
    """Return what is wrong with a database by itself, without a lexical index."""
    return _examined(database, None).problems


def _examined(database: Database, store: Store | None) -> DoctorReport:
    examination = Examination(store)
    try:
        if store is not None:
            store.refuse_emptied()
        with database.reading() as connection, explained_by_damage(connection):
            examination.all(Audit(connection))
    except Fault as fault:
        examination.noted(fault)
    return examination.report


class Examination:
    """One pass over all that is stored; faults are gathered, not raised."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self.report = DoctorReport()

    def all(self, audit: Audit) -> None:
        """Make every check."""
        for check in (
            self._file,
            self._facts,
            self._revisions,
            self._cuts,
            self._versions,
            self._scan,
            self._chain,
            self._totals,
            self._lexical,
        ):
            self._attempt(check, audit)

    def found(self, code: str, message: str) -> None:
        """Add one problem."""
        problem = Problem(code, message, entry_of(code).fix)
        self.report = attrs.evolve(
            self.report, problems=(*self.report.problems, problem)
        )

    def noted(self, fault: Fault) -> None:
        """Add a fault as a problem if it tells of damage; raise any other."""
        if fault.code not in _DAMAGE:
            raise fault
        self.found(fault.code, fault.message)

    def _attempt(self, check: Callable[[Audit], None], audit: Audit) -> None:
        try:
            check(audit)
        except Fault as fault:
            self.noted(fault)

    def _file(self, audit: Audit) -> None:
        for line in audit.integrity():
            self.found("STORE_DAMAGED", f"index.sqlite: {line}")

    def _facts(self, audit: Audit) -> None:
        if audit.index_id is not None and not audit.sealed():
            self.found(
                "STORE_DAMAGED",
                "root, options, projects or head are not what was written",
            )
        for why in audit.gone() - {"pruned", "forgotten"}:
            self.found("STORE_DAMAGED", f"bytes are gone for no known reason: {why!r}")

    def _revisions(self, audit: Audit) -> None:
        revisions = blocks = 0
        for revision, rev, size, encoding in audit.revisions():
            revisions += 1
            blocks += -(-size // BLOCK_BYTES)
            try:
                data = audit.body(revision, size)
            except Fault as fault:
                self.found("INTEGRITY_FAILED", f"revision {rev}: {fault.message}")
                continue
            if sha256(data).hexdigest() != rev:
                self.found("INTEGRITY_FAILED", f"revision {rev} has another hash")
            elif encoding_of(data) != encoding:
                self.found("STORE_DAMAGED", f"revision {rev} has another encoding")
        if stray := audit.stray_blocks():
            self.found("STORE_DAMAGED", f"{stray:,} blocks belong to no revision")
        self.report = attrs.evolve(self.report, revisions=revisions, blocks=blocks)

    def _cuts(self, audit: Audit) -> None:
        total = 0
        runs = audit.runs()
        for cut, size in audit.cut_sizes():
            try:
                passages = audit.cuts((cut,)).get(cut)
            except Fault:
                passages = None
            if passages is None:
                self.found("STORE_DAMAGED", f"cut {cut} is not what was written")
                continue
            total += len(passages)
            starts = [passage.start for passage in passages]
            ends = [passage.end for passage in passages]
            if [0, *ends] != [*starts, size]:
                self.found("STORE_DAMAGED", f"cut {cut} does not cover its revision")
            if not _covered(runs[cut], len(passages)):
                self.found("STORE_DAMAGED", f"documents do not cover cut {cut}")
        self.report = attrs.evolve(self.report, passages=total)

    def _versions(self, audit: Audit) -> None:
        for key in audit.broken_versions():
            self.found("STORE_DAMAGED", f"version {key} names what is not there")

    def _scan(self, audit: Audit) -> None:
        for folder in audit.unread_folders():
            shown = visible_path(os.fsdecode(folder))
            self.found("STORE_DAMAGED", f"the record of the last scan of {shown!r}")
        if audit.reasons() != audit.skipped():
            self.found("STORE_DAMAGED", "the list of what is left out has other counts")

    def _chain(self, audit: Audit) -> None:
        generations, facts = audit.generations(), audit.facts()
        begun, ended = audit.begun(), audit.ended()
        digest = GENESIS
        for generation in generations:
            number = generation.number
            steps = sorted(begun[number]), sorted(ended[number])
            digest = chained(digest, number, *steps, facts[number])
            if digest != generation.digest:
                self.found(
                    "STORE_DAMAGED", f"generation {number} is not what was committed"
                )
            digest = generation.digest
        numbers = [generation.number for generation in generations]
        head = audit.head.generation if audit.head else 0
        if numbers != list(range(1, head + 1)):
            self.found("STORE_DAMAGED", "the chain of generations has a gap")
        self.report = attrs.evolve(self.report, generations=len(generations))

    def _totals(self, audit: Audit) -> None:
        if audit.totals() != audit.counted():
            self.found(
                "STORE_DAMAGED", "the counts of the head are not those of its rows"
            )

    def _lexical(self, audit: Audit) -> None:
        if audit.head is None or self._store is None:
            return
        head, living = audit.head, audit.totals().passages
        directory = self._store.lexical_of(head)
        damaged = lexical_files.damaged_files(directory, head.files)
        if damaged:
            names = ", ".join(damaged[:3])
            self.found("LEXICAL_UNAVAILABLE", f"{len(damaged)} damaged files: {names}")
            return
        alive = Reader(directory).alive
        if alive != living:
            self.found(
                "LEXICAL_UNAVAILABLE",
                f"{alive:,} passages can be found, but {living:,} are living",
            )


def _covered(runs: Collection[tuple[int, int]], passages: int) -> bool:
    """Tell whether runs of passages follow each other from the first to the last."""
    ordered = sorted(runs)
    starts, ends = [run[0] for run in ordered], [run[1] for run in ordered]
    return not runs or [0, *ends] == [*starts, passages]
