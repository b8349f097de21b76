"""What the care of a store reports, as pages for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from adapters.cli.columns import aligned
from adapters.cli.terminal import Line, say, styled
from adapters.cli.words import count, size
from hsum import visible_path

if TYPE_CHECKING:
    from hythe import Backup, Diagnosis, Exported, Imported, Pruned, Redacted

__all__ = ["copied", "doctor", "exported", "imported", "pruned", "redacted"]


def doctor(report: Diagnosis) -> Iterator[Line]:
    """Show what was verified, and all that is wrong."""
    yield styled(
        f"checked {count(report.scopes, 'scope')}, "
        f"{count(report.checkpoints, 'checkpoint')}"
    )
    for problem in report.problems:
        yield styled(problem, "red")
    if report.problems:
        say("  next: Restore it from a backup.")
    else:
        yield styled("healthy", "green")


def copied(made: Backup) -> Iterator[Line]:
    """Show a copy, or a store that was made from one."""
    yield styled(
        f"{visible_path(str(made.path))}: {count(made.scopes, 'scope')}, "
        f"{count(made.checkpoints, 'checkpoint')}, {size(made.bytes)}, verified",
        "bold",
    )


def exported(made: Exported) -> Iterator[Line]:
    """Show what a file has, by kind."""
    yield styled(f"{visible_path(str(made.path))}: {count(made.rows, 'row')}", "bold")
    yield from _counts(made.counts)


def imported(done: Imported) -> Iterator[Line]:
    """Show what was new here, by kind, and what has no place here."""
    new = sum(done.added.values())
    word = "would be added" if done.dry_run else "added"
    yield styled(f"{count(done.rows, 'row')}, {new or 'nothing'} {word}", "bold")
    yield from _counts(done.added)
    for what, number in done.skipped.items():
        say(f"skipped: {number:,} {what}", "yellow")


def _counts(counts: Mapping[str, int]) -> list[Line]:
    return aligned(
        [
            ((f"  {number:,}", ""), (_kind(name, number), ""))
            for name, number in counts.items()
            if number
        ],
        right=(0,),
    )


def _kind(name: str, number: int) -> str:
    noun = name.replace("_", " ")
    if number == 1:
        return noun
    if noun.endswith("y") and not noun.endswith("key"):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith("x") else "s")


def redacted(done: Redacted) -> Iterator[Line]:
    """Show which value became a tombstone."""
    word = "would redact" if done.dry_run else "redacted"
    yield styled(f"{word} {done.path} of {done.id}", "bold")


def pruned(done: Pruned) -> Iterator[Line]:
    """Show whose payloads went, and how much that was."""
    kinds = ("checkpoint", "state", "message")
    numbers = (done.checkpoints, done.states, done.messages)
    found = [
        count(number, kind)
        for number, kind in zip(numbers, kinds, strict=True)
        if number
    ]
    word = "would prune" if done.dry_run else "pruned"
    if found:
        yield styled(f"{word} {', '.join(found)}; {size(done.bytes)}", "bold")
    else:
        yield styled("nothing to prune", "bold")
