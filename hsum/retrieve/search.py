"""Search one generation: a page of hits, and why it stops."""

from __future__ import annotations

import itertools
import time
import weakref
from typing import TYPE_CHECKING, Any

import attrs

from hsum._kernel.faults import Fault
from hsum.errors import fault
from hsum.index.catalogue import DEFAULT_PROJECT
from hsum.index.decode import text_of
from hsum.index.expressions import Within
from hsum.index.lexical import analyze
from hsum.model import Citation, Hit, Hits, Ranks, Searched
from hsum.retrieve.cursors import Binding, position_of, token_at
from hsum.retrieve.opened import Shelf
from hsum.retrieve.plan import plan_of
from hsum.retrieve.query import parse
from hsum.retrieve.signals import CODE, PROSE
from hsum.retrieve.sources import Sources
from hsum.retrieve.stream import REACH, OutOfTime, Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hsum.index.catalogue import Snapshot, Version
    from hsum.index.passages import Passage
    from hsum.index.seen import Signature
    from hsum.index.store import Store
    from hsum.model import Project, StopReason
    from hsum.retrieve.fusion import Ranked
    from hsum.retrieve.opened import Opened, Scope, Signatures
    from hsum.retrieve.plan import Plan
    from hsum.retrieve.query import Query
    from hsum.retrieve.signals import Signals

__all__ = ["MAX_LIMIT", "MAX_TIMEOUT_MS", "search"]

MAX_LIMIT = 100
MAX_TIMEOUT_MS = 60_000
_ATTEMPTS = 3

# What is open belongs to the handle, and goes with it.
_SHELVES: weakref.WeakKeyDictionary[Store, Shelf] = weakref.WeakKeyDictionary()


@attrs.frozen(kw_only=True)
class _Request:
    query: Query
    project: str
    paths: tuple[str, ...]
    limit: int
    cursor: str | None
    explain: bool
    signals: Signals | None
    deadline: float


def search(
    store: Store,
    query: str,
    *,
    project: str = DEFAULT_PROJECT,
    limit: int = 10,
    mode: str = "auto",
    timeout_ms: int = 3_000,
    path: str | Sequence[str] | None = None,
    cursor: str | None = None,
    explain: bool = False,
    signals: Signals | None = None,
) -> Hits:
    """Return one page of what a query finds in the newest generation.

    Args:
        store: the index.
        query: any text; see `parse` for what is refused.
        project: what is searched.
        limit: hits of a page, 1 to 100.
        mode: `auto` or `lexical`, which are the same.
        timeout_ms: 1 to 60,000; what was found by then is returned.
        path: gitignore patterns without negation.
        cursor: that of the page before.
        explain: give the factors of each score.
        signals: weights other than those for code or for prose.

    Raises:
        Fault: `INVALID_ARGUMENT`, `QUERY_*`, `NO_GENERATION`, `PROJECT_UNKNOWN`,
            `STALE_CURSOR`, `LEXICAL_UNAVAILABLE`.
    """
    if mode not in ("auto", "lexical"):
        raise fault("INVALID_ARGUMENT", "mode is 'auto' or 'lexical'")
    _check_range("limit", limit, MAX_LIMIT)
    _check_range("timeout_ms", timeout_ms, MAX_TIMEOUT_MS)
    request = _Request(
        query=parse(query),
        project=project,
        paths=_globs(path),
        limit=limit,
        cursor=cursor,
        explain=explain,
        signals=signals,
        deadline=time.monotonic() + timeout_ms / 1_000,
    )
    return _answered(store, _SHELVES.setdefault(store, Shelf()), request)


def _check_range(name: str, value: Any, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise fault("INVALID_ARGUMENT", f"{name} is a number from 1 to {most:,}")


def _globs(path: Any) -> tuple[str, ...]:
    given = () if path is None else (path,) if isinstance(path, str) else path
    named = isinstance(given, (tuple, list)) and all(
        isinstance(glob, str) for glob in given
    )
    if not named:
        raise fault("INVALID_ARGUMENT", "path is a pattern, or a list of them")
    return tuple(given)


def _answered(store: Store, shelf: Shelf, request: _Request) -> Hits:
    """Answer from one snapshot.

    A lexical directory that was swept before it was opened, or that turns out to be
    damaged, is tried again: with the newest generation, or one built in private.
    """
    for _ in range(_ATTEMPTS):
        with store.reading() as snapshot:
            try:
                opened = shelf.opened(store, snapshot, deadline=request.deadline)
                return _vouched(snapshot, opened, request)
            except Fault as exc:
                if exc.code != "LEXICAL_UNAVAILABLE":
                    raise
                shelf.distrust(snapshot, deadline=request.deadline)
                failure = exc
    raise failure


def _vouched(snapshot: Snapshot, opened: Opened, request: _Request) -> Hits:
    """Return a page; what is empty or fails must not be so for a damaged file."""
    try:
        hits = _Search(snapshot, opened, request).page()
    except Exception as exc:
        if not isinstance(exc, Fault) or exc.code == "STORE_DAMAGED":
            opened.vouch()
        raise
    if not hits:
        opened.vouch()
    return hits


class _Search:
    """One request, answered from one snapshot."""

    def __init__(self, snapshot: Snapshot, opened: Opened, request: _Request) -> None:
        self._snapshot = snapshot
        self._opened = opened
        self._request = request
        self._seen: dict[bytes, Signatures] = {}
        self._sources = Sources(snapshot.root)
        self._project: Project = snapshot.project(request.project)
        self._scope: Scope = opened.scope(snapshot, self._project, request.paths)
        signals = request.signals or (PROSE if self._scope.mostly_prose else CODE)
        self._plan: Plan = plan_of(request.query, analyze, signals, opened.is_common)
        self._stream = Stream(
            snapshot,
            opened,
            plan=self._plan,
            scope=self._scope,
            signals=signals,
            deadline=request.deadline,
        )

    def page(self) -> Hits:
        head, limit = self._opened.head, self._request.limit
        binding = Binding(
            index_id=str(self._snapshot.index_id),
            project_id=self._project.project_id,
            query=self._request.query.text,
            paths=self._request.paths,
            generation=head.generation,
            build=head.build,
        )
        start = position_of(self._request.cursor, binding)
        taken, reason = self._taken(start)
        if len(taken) > limit and reason != "deadline":
            reason = "limit_reached"
        hits = tuple(self._hits(taken[:limit]))
        more = token_at(binding, start + limit) if reason == "limit_reached" else None
        return Hits(hits, head.generation, reason, self._searched(), more)

    def _taken(self, start: int) -> tuple[list[tuple[float, Ranked]], StopReason]:
        """Return the page's hits and one more if there is one, and why no others."""
        taken: list[tuple[float, Ranked]] = []
        end = min(start + self._request.limit + 1, REACH)
        try:
            # What was taken in time stays in the list.
            taken.extend(itertools.islice(self._stream, start, end))
        except OutOfTime:
            return taken, "deadline"
        if self._stream.late:
            # In what order the rest belongs, nothing tells: there is no next page.
            return taken, "deadline"
        capped = self._request.query.cut or self._plan.cut
        return taken, "work_budget_exhausted" if capped else "unique_exhausted"

    def _searched(self) -> Searched:
        return Searched(
            self._scope.documents,
            self._scope.passages,
            self._snapshot.skipped(),
        )

    # --- hits ---------------------------------------------------------------------

    def _hits(self, taken: list[tuple[float, Ranked]]) -> Iterable[Hit]:
        versions = self._opened.versions(
            self._snapshot, {ranked.match.version for _, ranked in taken}
        )
        explained = self._explained([ranked for _, ranked in taken])
        for score, ranked in taken:
            version = versions[ranked.match.version]
            yield self._hit(score, ranked, version, explained.get(ranked.key, {}))

    def _hit(
        self,
        score: float,
        ranked: Ranked,
        version: Version,
        signals: Mapping[str, float],
    ) -> Hit:
        passages = self._opened.passages(self._snapshot, version)
        first, last = passages[ranked.first], passages[ranked.last]
        data = self._opened.read(self._snapshot, version, first.start, last.end)
        return Hit(
            citation=self._citation(version, first.start, last.end),
            project_id=self._project.project_id,
            path=ranked.path,
            lines=(first.first_line, last.last_line),
            symbol=_symbol(passages[ranked.first : ranked.last + 1]),
            text=text_of(data, version.encoding),
            score=score,
            ranks=self._ranks(ranked, signals),
            duplicates=tuple(self._duplicates(ranked, data)),
            source_state=self._sources.state(
                version.path, lambda: self._signature(version.path)
            ),
        )

    def _signature(self, path: bytes) -> Signature | None:
        folder, slash, name = path.rpartition(b"/")
        known = self._seen.get(folder)
        if known is None:
            known = self._opened.signatures(self._snapshot, folder + slash)
            self._seen[folder] = known
        entry = known.get(name)
        return None if entry is None else entry[0]

    def _citation(self, version: Version, start: int, end: int) -> Citation:
        return Citation(
            str(self._snapshot.index_id),
            version.source_id,
            version.document_id,
            version.rev,
            start,
            end,
        )

    def _ranks(self, ranked: Ranked, signals: Mapping[str, float]) -> Ranks:
        places: dict[str, int] = {}
        for number, place in ranked.needles.items():
            kind = self._plan.needles[number][0].kind
            places[kind] = min(place, places.get(kind, place))
        return Ranks(
            exact=places.get("identifier"),
            phrase=places.get("phrase"),
            bm25=self._stream.bm25.get(ranked.match.place),
            signals=signals,
        )

    def _duplicates(self, ranked: Ranked, data: bytes) -> Iterable[Citation]:
        """Cite the other passages of the scope with these bytes, by path and place."""
        if ranked.digest is None:
            return
        twins = [
            twin
            for twin in self._opened.reader.twins(ranked.digest)
            if twin.place != ranked.match.place
            and (self._scope.versions is None or twin.version in self._scope.versions)
        ]
        versions = self._opened.versions(self._snapshot, {t.version for t in twins})
        for twin in sorted(twins, key=lambda t: (versions[t.version].path, t.ordinal)):
            version = versions[twin.version]
            own = self._opened.passages(self._snapshot, version)[twin.ordinal]
            if self._opened.read(self._snapshot, version, own.start, own.end) == data:
                yield self._citation(version, own.start, own.end)

    # --- explanations -------------------------------------------------------------

    def _explained(
        self, ranked: list[Ranked]
    ) -> dict[tuple[int, int, int], dict[str, float]]:
        """Return what each signal gave to each hit: scores of fields, then factors."""
        if not self._request.explain:
            return {}
        signals = {one.key: _factors(one) for one in ranked}
        keys = {one.match.version for one in ranked}
        versions = self._opened.versions(self._snapshot, keys)
        depth = sum(versions[key].passages for key in keys) or 1
        plan = self._stream.plan
        groups = {
            **plan.groups,
            **({"feedback": plan.feedback} if plan.feedback else {}),
        }
        for name, expression in groups.items():
            within = Within(expression, tuple(keys))
            for match in self._opened.reader.search(within, depth):
                key = (match.version, match.ordinal, match.ordinal)
                if key in signals:
                    signals[key][name] = round(match.score, 5)
        return signals


def _factors(ranked: Ranked) -> dict[str, float]:
    return {
        "file": round(ranked.file.share, 5),
        "role": round(ranked.file.role, 5),
        "later": round(ranked.later, 5),
        "needles": float(len(ranked.needles)),
    }


def _symbol(passages: Sequence[Passage]) -> str | None:
    return next((passage.symbol for passage in passages if passage.symbol), None)
