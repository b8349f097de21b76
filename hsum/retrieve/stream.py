"""The hits of a query in their order, one by one, as far as somebody asks.

First comes a head, where all retrievers are fused; then what else holds a needle;
then what else BM25 finds. Where each part ends depends on the query and the
generation alone, so that pages of any size join to the same list.
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Final

import attrs

from hsum.index.decode import text_of
from hsum.index.expressions import Boosted, Preferring, Within
from hsum.index.lexical import analyze
from hsum.index.views import view
from hsum.retrieve.exact import MARGIN, needle_bytes, occurrences, smallest_run
from hsum.retrieve.feedback import ANSWERS, inverse_frequency, telling_words
from hsum.retrieve.fusion import Found, Fusion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hsum.index.catalogue import Snapshot, Version
    from hsum.index.expressions import Expression
    from hsum.index.lexical import Match
    from hsum.index.passages import Passage
    from hsum.retrieve.fusion import Ranked
    from hsum.retrieve.opened import Opened, Scope
    from hsum.retrieve.plan import Plan
    from hsum.retrieve.signals import Signals

__all__ = ["DEPTH", "REACH", "OutOfTime", "Stream"]

DEPTH: Final = 256
"""Passages of each retriever that are fused."""

REACH: Final = 1_000
"""Hits that can be reached."""

_SAMPLE: Final = 16
_FAINT: Final = 0.01


class OutOfTime(Exception):
    """The deadline has passed."""


class Stream:
    """One question to one generation.

    Args:
        snapshot: the rows and bytes.
        opened: the lexical index and what is kept of earlier searches.
        plan: what is asked.
        scope: the versions that count.
        signals: the weights.
        deadline: on the monotonic clock; `OutOfTime` is raised after it.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        opened: Opened,
        *,
        plan: Plan,
        scope: Scope,
        signals: Signals,
        deadline: float,
    ) -> None:
        self._snapshot = snapshot
        self._opened = opened
        self._plan = plan
        self._scope = scope
        self._signals = signals
        self._deadline = deadline
        self._fusion = Fusion(plan.asked, plan.shares, signals)
        self._seen: set[object] = set()
        self._rests: list[Iterator[list[Found]]] = []
        self._floor: float | None = None

    def __iter__(self) -> Iterator[tuple[float, Ranked]]:
        """Yield each hit once with its score; scores never rise."""
        self._learn()
        yield from self._window(self._head())
        for rest in self._rests:
            for batch in rest:
                yield from self._window(batch)
        yield from self._window(self._tail())

    @property
    def plan(self) -> Plan:
        """What is asked, with what the first answers added."""
        return self._plan

    def _learn(self) -> None:
        weight, asked = self._signals.feedback, self._plan.expression
        if not weight or asked is None:
            return
        matches = sorted(
            self._opened.reader.search(self._within(asked), ANSWERS),
            key=lambda match: (-match.score, match.digest),
        )[:ANSWERS]
        feedback = telling_words(
            [(self._stems(match), match.score / matches[0].score) for match in matches],
            {stem.text for word in self._plan.tokens for stem in analyze(word, "stem")},
            self._rarity,
            weight,
        )
        self._plan = attrs.evolve(self._plan, feedback=feedback)

    def _stems(self, match: Match) -> list[str]:
        version = self._versions([match.version])[match.version]
        own = self._opened.passages(self._snapshot, version)[match.ordinal]
        data = self._opened.read(self._snapshot, version, own.start, own.end)
        text = view(text_of(data, version.encoding))
        return [token.text for token in analyze(text, "stem")]

    def _rarity(self, stem: str) -> float:
        reader = self._opened.reader
        return inverse_frequency(reader.alive, reader.frequency("stem", stem))

    # --- what is fused ------------------------------------------------------------

    def _head(self) -> list[Found]:
        matches = self._searched(self._plan.expression, DEPTH)
        found = {_key(match): _found(match, place) for place, match in matches}
        for number, (_, candidates) in enumerate(self._plan.needles):
            if candidates is None:
                for key, one in found.items():
                    found[key] = _holds(one, number)
                self._rests.append(self._scanned(number))
                continue
            batches = self._candidates(candidates)
            for place, match in enumerate(self._first(batches, number), 1):
                one = found.get(_key(match)) or _found(match)
                found[_key(match)] = _holds(one, number, place)
            self._rests.append(self._holding(batches, number))
        return list(found.values())

    def _first(self, batches: Iterator[list[Match]], number: int) -> list[Match]:
        """Return the candidates of a needle that take part in the head.

        Where most candidates hold it they are the first `DEPTH`, proved when their
        turn comes; where few do (`C++` among all that say `c`), those that do.
        """
        batch = next(batches, [])
        if len(batch) < DEPTH:
            return batch
        sample = [match for match in batch[:_SAMPLE] if self._holds_own(match, number)]
        if 2 * len(sample) >= _SAMPLE:
            return batch
        held: list[Match] = []
        for each in itertools.chain([batch], batches):
            held += [match for match in each if self._holds_own(match, number)]
            if len(held) >= DEPTH:
                break
        return held

    def _holds_own(self, match: Match, number: int) -> bool:
        return bool(self._proofs(match.version, match.ordinal, number))

    def _holding(
        self, batches: Iterable[list[Match]], number: int
    ) -> Iterator[list[Found]]:
        for batch in batches:
            yield [
                _holds(_found(match), number)
                for match in batch
                if _key(match) not in self._seen and self._holds_own(match, number)
            ]

    def _scanned(self, number: int) -> Iterator[list[Found]]:
        """Yield what a look through all stored bytes finds, file by file.

        For needles without a token: `>>>`, or one word of 200 bytes.
        """
        for version in self._snapshot.live():
            versions = self._scope.versions
            if version.passages and (versions is None or version.key in versions):
                self._check_time()
                yield self._scanned_in(version, number)

    def _scanned_in(self, version: Version, number: int) -> list[Found]:
        passages = self._opened.passages(self._snapshot, version)
        start, end = _bounds(version, passages)
        needle = needle_bytes(self._plan.needles[number][0].text, version.encoding)
        data = self._snapshot.read(version, start, end)
        places = occurrences(data, needle, version.encoding, offset=start)
        runs = dict.fromkeys(smallest_run(passages, *place) for place in places)
        return [
            Found(
                version.key,
                first,
                last,
                passages[first].kind,
                None,
                1.0,
                frozenset((number,)),
            )
            for first, last in runs
        ]

    def _tail(self) -> list[Found]:
        matches = self._searched(self._plan.expression, REACH)
        return [
            _found(match, place)
            for place, match in matches
            if _key(match) not in self._seen
        ]

    # --- asking the lexical index -------------------------------------------------

    def _searched(
        self, expression: Expression | None, depth: int
    ) -> list[tuple[int, Match]]:
        self._check_time()
        if expression is None:
            return []
        found = self._opened.reader.search(self._within(expression), depth)
        return list(enumerate(found, 1))

    def _candidates(self, needle: Expression) -> Iterator[list[Match]]:
        """Yield all candidates of a needle in the order of the whole query."""
        asked = self._plan.expression
        faint = Boosted(needle, _FAINT)
        ordered = faint if asked is None else Preferring(faint, asked)
        for batch in self._opened.reader.batches(self._within(ordered), DEPTH):
            self._check_time()
            yield batch

    def _within(self, expression: Expression) -> Expression:
        versions = self._scope.versions
        return expression if versions is None else Within(expression, tuple(versions))

    # --- order --------------------------------------------------------------------

    def _window(self, found: Iterable[Found]) -> Iterator[tuple[float, Ranked]]:
        """Yield what was found in its order, below all that came before."""
        fresh = [one for one in found if not (self._seen and self._was_seen(one))]
        versions = self._versions({one.version for one in fresh})
        paths = {
            one.version: versions[one.version].path.decode("utf-8", "surrogateescape")
            for one in fresh
        }
        floor, top = self._floor, 0.0
        ranked = self._fusion.ranked(fresh, paths)
        for one in self._fusion.best_first(ranked, self._prove):
            if not self._was_seen(one.found):
                self._seen.update((one.found.key, one.found.digest))
                top = top or one.score
                self._floor = one.score if floor is None else _below(floor, one, top)
                yield self._floor, one

    def _was_seen(self, found: Found) -> bool:
        return found.key in self._seen or (
            found.digest is not None and found.digest in self._seen
        )

    # --- proof --------------------------------------------------------------------

    def _prove(self, found: Found) -> Mapping[tuple[int, int], frozenset[int]]:
        runs: dict[tuple[int, int], frozenset[int]] = {}
        for number in found.needles:
            for run in self._proofs(found.version, found.first, number):
                runs[run] = runs.get(run, frozenset()) | {number}
        return runs

    def _proofs(
        self, key: int, ordinal: int, number: int
    ) -> frozenset[tuple[int, int]]:
        """Return the smallest runs that hold a needle and touch a passage."""
        proofs = self._opened.proofs
        name = (self._plan.needles[number][0].text, key, ordinal)
        found = proofs.get(name)
        if found is None:
            self._check_time()
            found = proofs[name] = frozenset(self._proved(key, ordinal, number))
        return found

    def _proved(self, key: int, ordinal: int, number: int) -> Iterator[tuple[int, int]]:
        version = self._versions([key])[key]
        passages = self._opened.passages(self._snapshot, version)
        needle = needle_bytes(self._plan.needles[number][0].text, version.encoding)
        low, high = _bounds(version, passages)
        own = passages[ordinal]
        start = max(low, own.start - len(needle) - MARGIN)
        end = min(high, own.end + len(needle) + MARGIN)
        data = self._opened.read(self._snapshot, version, start, end)
        for first, last in occurrences(data, needle, version.encoding, offset=start):
            if first < own.end and last > own.start:
                yield smallest_run(passages, first, last)

    def _versions(self, keys: Iterable[int]) -> Mapping[int, Version]:
        return self._opened.versions(self._snapshot, keys)

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise OutOfTime


def _below(floor: float, one: Ranked, top: float) -> float:
    """Return a score under what came before, as far as it is under the window's top."""
    return round(floor * 0.999 * one.score / (top or 1.0), 7)


def _bounds(version: Version, passages: Sequence[Passage]) -> tuple[int, int]:
    """Return the span of a version in its revision: a record's is a part of it."""
    last = version.first + version.passages - 1
    return passages[version.first].start, passages[last].end


def _key(match: Match) -> tuple[int, int, int]:
    return match.version, match.ordinal, match.ordinal


def _found(match: Match, place: int | None = None) -> Found:
    return Found(
        match.version,
        match.ordinal,
        match.ordinal,
        match.kind,
        match.digest,
        match.score,
        bm25=place,
    )


def _holds(found: Found, number: int, place: int | None = None) -> Found:
    places = found.places if place is None else {**found.places, number: place}
    return found._replace(needles=found.needles | {number}, places=places)
