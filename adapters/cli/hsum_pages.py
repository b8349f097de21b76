"""hsum's answers as pages for people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from adapters._wire.verbs import Verb
from adapters.cli import hsum_care_pages as care
from adapters.cli.columns import aligned
from adapters.cli.hsum_care_pages import reasons
from adapters.cli.terminal import Line, Span, say, styled
from adapters.cli.words import count, moment, size
from hsum import visible_path

if TYPE_CHECKING:
    from hsum import (
        Binding,
        CheckReport,
        Context,
        Document,
        Evidence,
        Generation,
        Hit,
        Hits,
        IngestReport,
        Initialized,
        Project,
        Ranks,
        Skip,
    )

__all__ = ["page", "say_evidence"]

BOLD, DIM, MATCH, PATH, GOOD, BAD = "bold", "dim", "bold red", "magenta", "green", "red"
_SHOWN_LINES = 7


def page(verb: Verb, result: Any, options: Mapping[str, Any]) -> Iterable[Line]:
    """Return the lines that show the result of a verb."""
    command = str(verb.command)
    if command in _WITH_OPTIONS:
        return _WITH_OPTIONS[command](result, options)
    return _PAGES[command](result)


def _search(hits: Hits, options: Mapping[str, Any]) -> Iterator[Line]:
    if options.get("citations"):
        yield from (styled(str(hit.citation)) for hit in hits)
        return
    pattern = _matching(options["query"])
    for hit in hits:
        yield from _hit(hit, pattern, explain=bool(options.get("explain")))
        yield []
    say(_footer(hits), DIM)
    if hits.cursor:
        say("more hits: a higher --limit, or --json and its cursor", DIM)


def _footer(hits: Hits) -> str:
    searched = hits.searched
    skipped = sum(searched.skipped.values())
    return (
        f"{count(len(hits), 'hit')} in {count(searched.documents, 'document')} of "
        f"generation {hits.generation} ({count(skipped, 'file')} not indexed); "
        f"stopped: {hits.stop_reason}"
    )


def _hit(hit: Hit, pattern: re.Pattern[str], *, explain: bool) -> Iterator[Line]:
    head: Line = [
        (visible_path(hit.path), PATH),
        (":" + _range(hit.lines), GOOD),
        (f"  {hit.symbol}" if hit.symbol else "", BOLD),
    ]
    if hit.source_state not in ("unchanged", "metadata_unchanged"):
        head.append((f"  [{hit.source_state}]", BAD))
    yield head
    yield from _excerpt(hit.text, hit.lines[0], pattern)
    if hit.duplicates:
        yield styled(
            f"  the same bytes in {count(len(hit.duplicates), 'place')} more", DIM
        )
    if explain:
        yield styled(f"  score {hit.score:.4g}: {_ranks(hit.ranks)}", DIM)
    yield styled(f"  {hit.citation}", DIM)


def _ranks(ranks: Ranks) -> str:
    """Return the places in each retriever, then the factors of the score."""
    places = {"exact": ranks.exact, "phrase": ranks.phrase, "bm25": ranks.bm25}
    placed = [f"{name} #{place}" for name, place in places.items() if place]
    return ", ".join(
        placed + [f"{name} {factor:.4g}" for name, factor in ranks.signals.items()]
    )


def _excerpt(text: str, first: int, pattern: re.Pattern[str]) -> Iterator[Line]:
    """Show the lines of a passage that match best, with the matches marked."""
    lines = text.removesuffix("\n").split("\n")
    start = _best_start([_found(line, pattern) for line in lines])
    shown = lines[start : start + _SHOWN_LINES]
    room = len(str(first + start + len(shown)))
    for number, line in enumerate(shown, first + start):
        yield [(f"{number:>{room + 2}} ", DIM), *_marked(line.rstrip("\r"), pattern)]


def _found(line: str, pattern: re.Pattern[str]) -> set[str]:
    return {match[0].lower() for match in pattern.finditer(line)}


def _best_start(found: Sequence[set[str]]) -> int:
    """Return where the first window of lines begins that has most different matches."""
    starts = range(max(1, len(found) - _SHOWN_LINES + 1))
    windows = (found[start : start + _SHOWN_LINES] for start in starts)
    counts = [len(set().union(*window)) for window in windows]
    return counts.index(max(counts))


def _marked(line: str, pattern: re.Pattern[str]) -> Line:
    spans: Line = []
    at = 0
    for match in pattern.finditer(line):
        spans += [(line[at : match.start()], ""), (match[0], MATCH)]
        at = match.end()
    return [*spans, (line[at:], "")]


def _matching(query: str) -> re.Pattern[str]:
    """Return a pattern of what the query names: phrases, words and their parts."""
    phrases = re.findall(r'"([^"]+)"', query)
    words = re.sub(r'"[^"]*"', " ", query).split()
    parts = re.split(r"[\W_]+", query)
    named = phrases + [word for word in words + parts if len(word) > 2] or words
    alternatives = sorted(map(re.escape, named), key=len, reverse=True)
    return re.compile("|".join(alternatives) or "(?!)", re.IGNORECASE)


def _get(evidence: Evidence) -> Iterator[Line]:
    say_evidence(evidence)
    for line in evidence.text.removesuffix("\n").split("\n"):
        yield styled(line.removesuffix("\r"))


def say_evidence(evidence: Evidence) -> None:
    """Say on stderr where evidence stands and what became of it."""
    say(f"{visible_path(evidence.path)}:{_range(evidence.lines)}", BOLD)
    say(_states(evidence), DIM)


def _states(evidence: Evidence) -> str:
    parts = [f"source {evidence.source_state}"]
    if evidence.span_state:
        parts.append(f"cited bytes {evidence.span_state}")
    if evidence.moved_to:
        place = evidence.moved_to
        parts.append(f"now at {visible_path(place.path)}:{_range(place.lines)}")
    if evidence.truncated:
        parts.append(f"cut off; returned {evidence.returned}")
    return "; ".join(parts)


def _ingest(report: IngestReport) -> Iterator[Line]:
    yield styled(_summary(report), BOLD)
    yield styled(
        f"  {count(report.documents, 'document')}, {count(report.passages, 'passage')}, "
        f"{size(report.bytes)}; {count(report.discovered, 'file')} seen"
    )
    if report.skipped:
        yield styled(f"  not indexed: {reasons(report.skipped)}")
    if report.dry_run:
        yield from _changes(report)
    for warning in report.warnings:
        say(f"warning: {warning}", "yellow")
    for skip in report.failed:
        say(f"failed: {visible_path(skip.path)}: {skip.detail or skip.reason}", BAD)


def _summary(report: IngestReport) -> str:
    if report.dry_run:
        return f"plan: {_delta(report)}; nothing was written"
    if report.unchanged:
        return f"generation {report.generation} stands: nothing changed"
    return f"generation {report.generation}: {_delta(report)}"


def _delta(report: IngestReport | Generation) -> str:
    return (
        f"{report.added:,} added, {report.changed:,} changed, "
        f"{report.renamed:,} renamed, {report.dropped:,} dropped"
    )


def _changes(report: IngestReport) -> Iterator[Line]:
    marks = {"added": "+", "changed": "~", "renamed": ">", "dropped": "-"}
    for change in report.changes:
        was = f"  (was {visible_path(change.was)})" if change.was else ""
        yield styled(f"  {marks[change.kind]} {visible_path(change.path)}{was}")


def _initialize(made: Initialized) -> Iterator[Line]:
    yield styled(
        f"Index {made.context.index} of {visible_path(made.binding.root)}", BOLD
    )
    yield from _ingest(made.report)
    yield styled(f"  binding {made.binding.id}")
    if made.hits is not None:
        import shlex

        yield []
        index = f" --index {shlex.quote(made.context.index)}"
        named = "" if _is_selected(made) else index
        yield styled(f"$ hsum search {shlex.quote(made.query)}{named}", BOLD)
        pattern = _matching(made.query)
        for hit in made.hits:
            yield from _hit(hit, pattern, explain=False)
            yield []


def _is_selected(made: Initialized) -> bool:
    """Tell whether a command here would use this index without being told so."""
    from hsum import Fault, context

    try:
        return context().index_id == made.context.index_id
    except (Fault, OSError):  # several, or the working directory was removed
        return False


def _context(context: Context, options: Mapping[str, Any]) -> Iterator[Line]:
    rows = [
        ("Index", context.index),
        ("Index ID", context.index_id or "none"),
        ("Project", context.project),
        ("Project ID", context.project_id or "none"),
        ("Source root", visible_path(context.source_root or "none")),
        ("Binding", context.binding or "none"),
        ("Selection", context.selection),
    ]
    if options.get("verbose"):
        rows.append(("Data path", visible_path(context.data_path)))
    for name, value in rows:
        yield [(f"{name}: ", BOLD), (value, "")]


def _documents(found: Iterable[Document]) -> list[Line]:
    rows: list[Sequence[Span]] = [
        (
            (size(item.size), ""),
            (item.encoding, DIM),
            (
                visible_path(item.path) + (f"#{item.record}" if item.record else ""),
                PATH,
            ),
        )
        for item in found
    ]
    say(count(len(rows), "document"), DIM)
    return aligned(rows, right=(0,))


def _generations(found: Iterable[Generation]) -> list[Line]:
    return aligned(
        [
            (
                (str(item.number), BOLD),
                (moment(item.committed_at), ""),
                (count(item.documents, "document"), ""),
                (_delta(item), ""),
            )
            for item in found
        ],
        right=(0, 2),
    )


def _skipped(found: Iterable[Skip]) -> list[Line]:
    return aligned(
        [
            ((item.reason, BOLD), (visible_path(item.path), PATH), (item.detail, DIM))
            for item in found
        ]
    )


def _projects(found: Iterable[Project]) -> list[Line]:
    return aligned(
        [
            ((item.name, BOLD), (item.project_id, DIM), (_globs(item), ""))
            for item in found
        ]
    )


def _project(project: Project) -> list[Line]:
    return [styled(f"{project.name}: {_globs(project)}", BOLD)]


def _removed(project: Project) -> list[Line]:
    return [styled(f"removed {project.name}", BOLD)]


def _globs(project: Project) -> str:
    names = [*project.include, *(f"not {glob}" for glob in project.exclude)]
    return ", ".join(names) or "everything"


def _binding(binding: Binding) -> list[Line]:
    return [
        styled(f"binding {binding.id}", BOLD),
        styled(f"  {binding.index}/{binding.project} -> {visible_path(binding.root)}"),
    ]


def _revoked(bindings: Sequence[Binding]) -> list[Line]:
    return [styled(f"revoked {binding.id}", BOLD) for binding in bindings]


def _check(report: CheckReport) -> Iterator[Line]:
    for finding in report:
        found = finding.found
        style = GOOD if finding.good else BAD
        yield [
            (f"{visible_path(finding.file or '-')}:{found.row}:{found.column}", PATH),
            (f"  {finding.verdict}{' (fixed)' if finding.fixed else ''}", style),
            (f"  {found.raw}", ""),
        ]
        if not finding.good:
            yield styled(f"  {finding.message}")
        if finding.verdict == "misquoted":
            yield styled(f"  quoted: {visible_path(finding.quote or '')}")
    counts = ", ".join(f"{n} {verdict}" for verdict, n in report.counts.items())
    say(f"{count(len(report), 'citation')}{': ' + counts if counts else ''}", DIM)


_PAGES: dict[str, Callable[[Any], Iterable[Line]]] = {
    "backup": care.copied,
    "check": _check,
    "doctor": care.doctor,
    "documents": _documents,
    "forget": care.forgotten,
    "generations": _generations,
    "get": _get,
    "ingest": _ingest,
    "init": _initialize,
    "project add": _project,
    "project list": _projects,
    "project remove": _removed,
    "prune": care.pruned,
    "restore": care.copied,
    "skipped": _skipped,
    "status": care.status,
    "trust": _binding,
    "untrust": _revoked,
    "watch": _ingest,
}
_WITH_OPTIONS: dict[str, Callable[[Any, Mapping[str, Any]], Iterable[Line]]] = {
    "context": _context,
    "search": _search,
}


def _range(lines: tuple[int, int]) -> str:
    first, last = lines
    return str(first) if first == last else f"{first}-{last}"
