"""What the care of an index reports, as pages for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from adapters.cli.columns import aligned
from adapters.cli.terminal import Line, say, styled
from adapters.cli.words import count, moment, size
from hsum import visible_path

if TYPE_CHECKING:
    from hsum import (
        BackupReport,
        DoctorReport,
        ForgetReport,
        Options,
        Problem,
        PruneReport,
        Status,
    )

__all__ = ["copied", "doctor", "forgotten", "pruned", "reasons", "status"]

_SHOWN_PROBLEMS = 5


def status(found: Status) -> Iterator[Line]:
    """Show how an index is."""
    if found.generation is None:
        yield styled("nothing ingested yet", "bold")
    else:
        yield from aligned(
            [((name, "bold"), (value, "")) for name, value in _state(found)]
        )
    yield from _problems(found.problems)


def _state(found: Status) -> list[tuple[str, str]]:
    return [
        ("Source root", visible_path(found.source_root or "none")),
        ("Generation", f"{found.generation} (build {found.build})"),
        ("Last ingest", moment(found.last_ingest) if found.last_ingest else "none"),
        ("Documents", f"{found.documents:,}"),
        ("Passages", f"{found.passages:,}"),
        ("Bytes", f"{size(found.bytes)}, {size(found.disk_bytes)} on disk"),
        ("Not indexed", reasons(found.skipped) or "nothing"),
        ("Options", _options(found.options)),
        ("Projects", ", ".join(project.name for project in found.projects)),
    ]


def _options(recorded: Options) -> str:
    """Spell what was recorded as the words that would record it again."""
    usual = type(recorded)()
    words = [f"--include {glob}" for glob in recorded.include]
    words += [f"--exclude {glob}" for glob in recorded.exclude]
    if recorded.max_file_bytes != usual.max_file_bytes:
        words.append(f"--max-file-bytes {recorded.max_file_bytes}")
    if recorded.allow_sensitive:
        words.append("--allow-sensitive")
    if recorded.no_ignore:
        words.append("--no-ignore")
    return " ".join(words) or "default"


def reasons(skipped: Mapping[str, int]) -> str:
    """Return how many are left out for each reason, most first."""
    most = sorted(skipped.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number:,} {reason}" for reason, number in most)


def _problems(problems: Sequence[Problem]) -> Iterator[Line]:
    """Give problems of one kind together: a few of them, and their fix once."""
    kinds = dict.fromkeys((problem.code, problem.fix) for problem in problems)
    for code, fix in kinds:
        found = [p.message for p in problems if (p.code, p.fix) == (code, fix)]
        for message in found[:_SHOWN_PROBLEMS]:
            yield styled(f"{code}: {message}", "red")
        if len(found) > _SHOWN_PROBLEMS:
            more = len(found) - _SHOWN_PROBLEMS
            yield styled(f"{code}: and {more:,} more like these; --json has all", "red")
        yield styled(f"  next: {fix}")


def doctor(report: DoctorReport) -> Iterator[Line]:
    """Show what was checked, repaired and found."""
    yield styled(
        f"checked {count(report.generations, 'generation')}, "
        f"{count(report.revisions, 'revision')}, {count(report.blocks, 'block')}, "
        f"{count(report.passages, 'passage')}"
    )
    for repaired in report.repaired:
        yield styled(f"repaired: {repaired}", "green")
    yield from _problems(report.problems)
    if report.healthy:
        yield styled("healthy", "green")


def copied(report: BackupReport) -> Iterator[Line]:
    """Show a copy or an index that was made from one."""
    generation = f"generation {report.generation}" if report.generation else "empty"
    yield styled(
        f"{visible_path(report.path)}: {generation}, {size(report.bytes)}, verified",
        "bold",
    )


def pruned(report: PruneReport) -> Iterator[Line]:
    """Show what only the past held."""
    if not report.revisions:
        yield styled("nothing to remove: the kept generations hold all", "bold")
        return
    yield styled(
        f"{_removed(report)} of {size(report.bytes)} before generation "
        f"{report.kept_from}",
        "bold",
    )


def forgotten(report: ForgetReport) -> Iterator[Line]:
    """Show what was removed, at which paths, and who still has it."""
    yield styled(f"{_removed(report)} of {count(len(report.paths), 'path')}", "bold")
    yield from (styled(f"  {visible_path(path)}", "magenta") for path in report.paths)
    for path in report.held:
        say(f"the same bytes stay in {visible_path(path)}", "yellow")


def _removed(report: Any) -> str:
    done = "would remove" if report.dry_run else "removed"
    return f"{done} {count(report.revisions, 'revision')}"
