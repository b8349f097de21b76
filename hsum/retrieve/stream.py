"""The hits of a query in their order, one by one, as far as somebody asks.

First comes a head, where all retrievers are fused; then what else holds a needle;
then what else BM25 finds. Where each part ends depends on the query and the
generation alone, so that pages of any size join to the same list.
"""

from __future__ import annotations

import time
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

import attrs

from hsum._kernel.cancellation import check_cancelled
from hsum.index.decode import text_of
from hsum.index.expressions import Within
from hsum.index.lexical import analyze
from hsum.index.matches import VERSION_SHIFT, Match, place_of
from hsum.index.schema import BLOCK_BYTES
from hsum.index.views import view
from hsum.retrieve.exact import MARGIN, needle_bytes, occurrences, smallest_run
from hsum.retrieve.feedback import ANSWERS, inverse_frequency, telling_words
from hsum.retrieve.fusion import Fusion
from hsum.retrieve.query import last_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hsum.index.catalogue import Snapshot, Version
    from hsum.index.expressions import Expression
    from hsum.index.passages import Passage
    from hsum.retrieve.fusion import Ranked
    from hsum.retrieve.opened import Opened, Scope
    from hsum.retrieve.plan import Plan
    from hsum.retrieve.signals import Signals

__all__ = ["DEPTH", "REACH", "OutOfTime", "Stream", "merged"]

DEPTH: Final = 100
"""Passages of each retriever that are fused."""

REACH: Final = 1_000
"""Hits that can be reached."""

_SAMPLE: Final = 16
_by_place: Final = itemgetter(1)


class OutOfTime(Exception):
    """The deadline has passed."""


class _First(NamedTuple):
    """What the head knows of a needle.

    Attributes:
        best: its candidates as the lexical index orders them.
        candidates: those of them that are fused.
        more: whether other passages may hold it too.
        rest: what else holds it.
    """

    best: list[Match]
    candidates: list[Match]
    more: bool
    rest: Iterator[list[Match]]


class Stream:
    """One question to one generation.

    Args:
        snapshot: the rows and bytes.
        opened: the lexical index and what is kept of earlier searches.
        plan: what is asked.
        scope: the versions that count.
        signals: the weights.
        deadline: on the monotonic clock; `OutOfTime` is raised after it, once what
            was proved in time is yielded. `late` tells that it has passed.
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
        self._known_answers: set[int] = set()
        self._rests: list[tuple[int, Iterator[list[Match]]]] = []
        self.bm25: dict[int, int] = {}
        self._floor: float | None = None
        self.late = False

    def __iter__(self) -> Iterator[tuple[float, Ranked]]:
        """Yield each hit once with its score; scores never rise."""
        self._learn()
        yield from self._window(*self._head())
        self._check_late()
        for number, rest in self._rests:
            for batch in rest:
                fresh = self._fresh(batch)
                yield from self._window(
                    fresh, {match.place: {number: REACH} for match in fresh}
                )
                self._check_late()
        yield from self._window(self._fresh(self._searched(REACH)), {})

    def _fresh(self, matches: list[Match]) -> list[Match]:
        """Return the matches that were no hits yet."""
        return [
            match
            for match in matches
            if (match.version, match.ordinal, match.ordinal) not in self._seen
        ]

    @property
    def plan(self) -> Plan:
        """What is asked, with what the first answers added."""
        return self._plan

    def _learn(self) -> None:
        weight = self._signals.feedback
        if not (weight and self._plan.groups):
            return
        matches = sorted(
            merged(self._answers(ANSWERS), ANSWERS),
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
        version = self._version(match)
        own = self._opened.passages(self._snapshot, version)[match.ordinal]
        data = self._opened.read(self._snapshot, version, own.start, own.end)
        text = view(text_of(data, version.encoding))
        return [token.text for token in analyze(text, "stem")]

    def _rarity(self, stem: str) -> float:
        reader = self._opened.reader
        return inverse_frequency(reader.alive, reader.frequency("stem", stem))

    # --- what is fused ------------------------------------------------------------

    def _head(self) -> tuple[list[Match], dict[int, dict[int, int]]]:
        """Return the matches of all retrievers, each once, and what they may hold."""
        self._check_time()
        answers = self._answers(DEPTH)
        firsts = [self._first(number) for number in range(len(self._plan.needles))]
        # A definition is a word of the query: it has a score among them already.
        best = [
            first.best
            for first, (needle, _) in zip(firsts, self._plan.needles, strict=True)
            if needle.kind != "definition"
        ]
        matches = self._noted([*answers, *best], DEPTH)
        known = {match.place for match in matches}
        needles: dict[int, dict[int, int]] = {}
        for number, first in enumerate(firsts):
            self._rests.append((number, first.rest))
            places = [match.place for match in first.candidates]
            # A needle that has more candidates may stand in any passage at hand.
            for rank, place in enumerate([*places, *(known if first.more else ())], 1):
                needles.setdefault(place, {}).setdefault(number, rank)
            matches += [match for match in first.candidates if match.place not in known]
            known.update(places)
        return matches, needles

    def _first(self, number: int) -> _First:
        """Return the candidates of a needle for the head.

        Where most candidates hold it they are the first `DEPTH`, proved when their
        turn comes; where few do (`C++` among all that say `c`), those that do.
        """
        expression = self._plan.candidates(number)
        if expression is None:
            return _First([], [], True, self._scanned(number))
        batches = self._candidates(expression, DEPTH)
        best = next(batches, [])
        if len(best) < DEPTH:
            return _First(best, best, False, self._holding(batches, number))
        sample = [match for match in best[:_SAMPLE] if self._holds(match, number)]
        if 2 * len(sample) >= _SAMPLE:
            return _First(best, best, True, self._holding(batches, number))
        # One search for many more costs less than several for some more each.
        rest = self._holding(self._candidates(expression, 8 * DEPTH), number)
        held: list[Match] = []
        for each in rest:
            held += each
            # What is a part of the query does not come first for itself alone.
            if len(held) >= DEPTH or self._plan.shares[number] < 1 or self.late:
                break
        return _First(best, held, True, rest)

    def _holding(
        self, batches: Iterable[list[Match]], number: int
    ) -> Iterator[list[Match]]:
        for batch in batches:
            # File by file, so that each is unpacked once.
            held = {
                match.place
                for match in sorted(batch, key=_by_place)
                if self._holds(match, number)
            }
            yield [match for match in batch if match.place in held]

    def _holds(self, match: Match, number: int) -> bool:
        return bool(self._proofs(match, number))

    def _scanned(self, number: int) -> Iterator[list[Match]]:
        """Yield what a look through all stored bytes finds, file by file.

        For needles without a token: `>>>`, or one word of 201 bytes.
        """
        for version in self._snapshot.live():
            versions = self._scope.versions
            if version.passages and (versions is None or version.key in versions):
                self._check_time()
                yield self._scanned_in(version, number)

    def _scanned_in(self, version: Version, number: int) -> list[Match]:
        passages = self._opened.passages(self._snapshot, version)
        start, end = _bounds(version, passages)
        needle = needle_bytes(self._plan.needles[number][0].text, version.encoding)
        data = self._snapshot.read(version, start, end)
        places = occurrences(data, needle, version.encoding, offset=start)
        ordinals = dict.fromkeys(smallest_run(passages, *place)[0] for place in places)
        return [
            Match(1.0, place_of(version.key, at, passages[at].kind), 0)
            for at in ordinals
        ]

    # --- asking the lexical index -------------------------------------------------

    def _searched(self, depth: int) -> list[Match]:
        """Return the best passages by BM25 over all fields, and note their places."""
        self._check_time()
        return self._noted(self._answers(depth), depth)

    def _noted(self, answers: Sequence[list[Match]], depth: int) -> list[Match]:
        found = answers[0] if len(answers) == 1 else merged(answers, depth)
        self.bm25 = {match[1]: rank for rank, match in enumerate(found, 1)}
        return found

    def _answers(self, depth: int) -> list[list[Match]]:
        """Return what each search of the plan finds: the best `depth`, and ties."""
        found = [
            self._opened.reader.search(self._within(asked), depth)
            for asked in self._plan.searches
        ]
        self._known_answers.update(match[1] for answer in found for match in answer)
        return found

    def _is_answer(self, match: Match) -> bool:
        """Tell whether BM25 finds a passage, be it beyond those that were asked for."""
        if match.place in self._known_answers:
            return True
        version = self._version(match)
        return any(
            match.place == each.place
            for asked in self._plan.searches
            for each in self._opened.reader.search(
                Within(asked, (version.key,)), version.passages
            )
        )

    def _candidates(self, sought: Expression, first: int) -> Iterator[list[Match]]:
        """Yield all candidates of a needle in the order of the words of the query."""
        for batch in self._opened.reader.batches(self._within(sought), first):
            if self._is_late():
                return
            yield batch

    def _within(self, expression: Expression) -> Expression:
        versions = self._scope.versions
        return expression if versions is None else Within(expression, tuple(versions))

    # --- order --------------------------------------------------------------------

    def _window(
        self, matches: list[Match], needles: Mapping[int, Mapping[int, int]]
    ) -> Iterator[tuple[float, Ranked]]:
        """Yield what was found in its order, below all that came before."""
        keys = {match[1] >> VERSION_SHIFT for match in matches}
        paths = self._opened.paths(self._snapshot, keys)
        floor, top = self._floor, 0.0
        for one in self._fusion.best_first(matches, needles, paths, self._prove):
            if one.key in self._seen or one.digest in self._seen:
                continue
            if not one.needles and not self._is_answer(one.match):
                continue  # a candidate that holds neither the needle nor a word
            self._seen.update((one.key, one.digest or one.key))
            top = top or one.score
            self._floor = one.score if floor is None else _below(floor, one, top)
            yield self._floor, one

    # --- proof --------------------------------------------------------------------

    def _prove(
        self, match: Match, numbers: Iterable[int]
    ) -> Mapping[tuple[int, int], frozenset[int]]:
        runs: dict[tuple[int, int], frozenset[int]] = {}
        for number in numbers:
            for run in self._proofs(match, number):
                runs[run] = runs.get(run, frozenset()) | {number}
        return runs

    def _proofs(self, match: Match, number: int) -> frozenset[tuple[int, int]]:
        """Return the smallest runs that hold a needle and touch a passage.

        After the deadline nothing more is proved, so that what was is still given.
        """
        proofs = self._opened.proofs
        sought = self._plan.needles[number][0]
        name = (sought.kind, sought.text, match.place)
        found = proofs.get(name)
        if found is None:
            if self._is_late():
                return frozenset()
            found = proofs[name] = frozenset(self._proved(match, number))
        return found

    def _proved(self, match: Match, number: int) -> Iterator[tuple[int, int]]:
        version = self._version(match)
        sought = self._plan.needles[number][0]
        needle = needle_bytes(sought.text, version.encoding)
        if self._lacks(version, needle):
            return
        passages = self._opened.passages(self._snapshot, version)
        low, high = _bounds(version, passages)
        own = passages[match.ordinal]
        if sought.kind == "definition" and not _declares(own, sought.text):
            return
        start = max(low, own.start - len(needle) - MARGIN)
        end = min(high, own.end + len(needle) + MARGIN)
        data = self._opened.read(self._snapshot, version, start, end)
        for first, last in occurrences(data, needle, version.encoding, offset=start):
            if first < own.end and last > own.start:
                yield smallest_run(passages, first, last)

    def _lacks(self, version: Version, needle: bytes) -> bool:
        """Tell whether a file of one block lacks a needle, before its cuts are read."""
        if version.size > BLOCK_BYTES:
            return False
        return needle not in self._opened.read(self._snapshot, version, 0, version.size)

    def _version(self, match: Match) -> Version:
        key = match.version
        return self._opened.versions(self._snapshot, (key,))[key]

    def _is_late(self) -> bool:
        check_cancelled()
        self.late = self.late or time.monotonic() > self._deadline
        return self.late

    def _check_late(self) -> None:
        """Stop where the deadline has cut short what was yielded."""
        if self.late:
            raise OutOfTime

    def _check_time(self) -> None:
        if self._is_late():
            raise OutOfTime


def merged(answers: Sequence[Sequence[Match]], depth: int) -> list[Match]:
    """Return the best `depth` of the answers to the searches of a plan, and ties.

    A passage of several has the score of the last.
    """
    best = {match[1]: match for answer in answers for match in answer}
    found = sorted(best.values(), key=itemgetter(0), reverse=True)
    if len(found) <= depth:
        return found
    floor = found[depth - 1][0]
    return [match for match in found if match[0] >= floor]


def _below(floor: float, one: Ranked, top: float) -> float:
    """Return a score under what came before, as far as it is under the window's top."""
    return round(floor * 0.999 * one.score / (top or 1.0), 7)


def _declares(passage: Passage, name: str) -> bool:
    """Tell whether a passage declares a name; a heading of prose only mentions it."""
    return passage.kind != "prose" and last_name(name) in passage.declares


def _bounds(version: Version, passages: Sequence[Passage]) -> tuple[int, int]:
    """Return the span of a version in its revision: a record's is a part of it."""
    last = version.first + version.passages - 1
    return passages[version.first].start, passages[last].end
