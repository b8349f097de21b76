"""Merge what the retrievers found into one order.

The score of a file is that of its best passage and a share of the next ones; a file
demoted for its role gets a factor, unless the hit is exact. Scores are shares of the
best file's, plus one for each phrase, or identifier that is all of the query, proved
to stand there: so those come first.
"""

from __future__ import annotations

import heapq
import itertools
import math
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

import attrs

from hsum.index.matches import VERSION_SHIFT
from hsum.retrieve.signals import role_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from hsum.index.languages import Kind
    from hsum.index.matches import Match
    from hsum.retrieve.signals import Asked, Signals

    Places = Mapping[int, int]
    Runs = Mapping[tuple[int, int], frozenset[int]]
    Prove = Callable[[Match, Iterable[int]], Runs]

__all__ = ["File", "Fusion", "Ranked"]

# Enough to order by; the last bits of a float32 sum differ between two builds.
_DIGITS: Final = 5
_NO_NEEDLES: Final[Places] = {}
_by_place: Final = itemgetter(1)


class File(NamedTuple):
    """A file with what was found of it.

    Attributes:
        path: below the root.
        matches: its passages, best first.
        share: its score, as a share of the best file's.
        role: the factor of its role.
        held: whether any of them may hold a needle.
    """

    path: str
    matches: list[Match]
    share: float
    role: float
    held: bool


class Ranked(NamedTuple):
    """A run of passages with what its score is made of; sorts by score, path, place.

    Attributes:
        lowness: the negated score.
        path: its file's.
        first, last: its ordinals, inclusive; mostly one.
        serial: makes every one different.
        match: the passage that was found.
        needles: those it holds, or may hold: its place among the candidates of each.
        file: its file.
        at: its place among the matches of the file, from 0.
        later: the factor of that place.
        proved: whether its needles are known to stand there.
    """

    lowness: float
    path: str
    first: int
    last: int
    serial: int
    match: Match
    needles: Places
    file: File
    at: int
    later: float
    proved: bool

    @property
    def score(self) -> float:
        """The score that orders hits."""
        return -self.lowness

    @property
    def key(self) -> tuple[int, int, int]:
        """Name the bytes: version and ordinals."""
        return self.match.version, self.first, self.last

    @property
    def digest(self) -> int | None:
        """What passages of equal bytes share; None for a run of several."""
        return self.match.digest if self.first == self.last else None


@attrs.frozen
class Fusion:
    """What all passages of one query are scored by.

    Attributes:
        asked: what the query names besides its subject.
        shares: how much of the query each needle is, at most 1.
        signals: the weights.
    """

    asked: Asked
    shares: Sequence[float]
    signals: Signals

    def best_first(
        self,
        matches: Iterable[Match],
        needles: Mapping[int, Places],
        paths: Mapping[int, str],
        prove: Prove,
    ) -> Iterator[Ranked]:
        """Yield in order, proving needles only where a run is next.

        A run is ranked as if it held its needles; when its turn comes, `prove` tells
        the runs that do hold them, itself or wider ones, and what it lacks moves it
        down.

        Args:
            matches: each passage once.
            needles: by the place of a passage, those that it may hold.
            paths: those of the versions.
            prove: tells which runs that touch a passage hold which needles.
        """
        serials = itertools.count()
        heap = [
            self._ranked(file, at, needles, next(serials))
            for file in self._files(matches, needles, paths)
            for at in range(len(file.matches) if file.held else 1)
        ]
        heapq.heapify(heap)
        while heap:
            one = heapq.heappop(heap)
            if not one.proved:
                for first, last, held in _proved(one, prove(one.match, one.needles)):
                    again = self._again(one, first, last, held)
                    heapq.heappush(heap, again._replace(serial=next(serials)))
                continue
            yield one
            if not one.file.held and one.at + 1 < len(one.file.matches):
                # The passages of a file without needles stand in their order.
                following = self._ranked(one.file, one.at + 1, needles, next(serials))
                heapq.heappush(heap, following)

    def _files(
        self,
        matches: Iterable[Match],
        needles: Mapping[int, Places],
        paths: Mapping[int, str],
    ) -> list[File]:
        groups: dict[int, list[Match]] = {}
        for match in matches:
            groups.setdefault(match[1] >> VERSION_SHIFT, []).append(match)
        decay = self.signals.decay
        scores = {key: _file_score(group, decay) for key, group in groups.items()}
        best = max(scores.values(), default=0.0) or 1.0
        return [
            File(
                paths[version],
                group,
                scores[version] / best,
                self._role_factor(paths[version], group[0].kind),
                bool(needles) and any(match[1] in needles for match in group),
            )
            for version, group in groups.items()
        ]

    def _ranked(
        self, file: File, at: int, needles: Mapping[int, Places], serial: int
    ) -> Ranked:
        match = file.matches[at]
        held = needles.get(match[1], _NO_NEEDLES)
        later = self.signals.later**at * match[0] / (file.matches[0][0] or 1.0)
        low = -self.score(held, file, later)
        ordinal = match.ordinal
        return Ranked(
            low,
            file.path,
            ordinal,
            ordinal,
            serial,
            match,
            held,
            file,
            at,
            later,
            not held,
        )

    def _role_factor(self, path: str, kind: Kind) -> float:
        role = role_of(path, kind)
        if role == "code" or role in self.asked.roles or self.asked.names(path):
            return 1.0
        return self.signals.factor(role)

    def score(self, needles: Iterable[int], file: File, later: float) -> float:
        """Return the score of a run that holds these needles.

        One for each needle that puts a hit before all that lack it; a share of the
        best file's score for the other identifiers; and the file's own score, demoted
        for its role as far as the needles are not what was asked for.
        """
        if not needles:
            return round(file.share * later * file.role, _DIGITS)
        shares = [self.shares[needle] for needle in needles]
        certain = sum(share >= 1 for share in shares)
        partial = min(1.0, sum(share for share in shares if share < 1))
        spared = 1.0 if certain else partial
        base: float = file.share * later * file.role ** (1.0 - spared)
        return round(certain + self.signals.exact * partial + base, _DIGITS)

    def _again(self, one: Ranked, first: int, last: int, needles: Places) -> Ranked:
        return one._replace(
            lowness=-self.score(needles, one.file, one.later),
            first=first,
            last=last,
            needles=needles,
            proved=True,
        )


def _file_score(group: list[Match], decay: float) -> float:
    if len(group) == 1:
        return group[0].score
    group.sort(key=_by_place)
    group.sort(key=itemgetter(0), reverse=True)
    return math.fsum(match.score * decay**at for at, match in enumerate(group))


def _proved(one: Ranked, runs: Runs) -> Iterator[tuple[int, int, Places]]:
    """Yield the run itself with what it does hold, and each wider run that holds."""
    own = runs.get((one.first, one.last), frozenset())
    yield one.first, one.last, _held(one, own)
    for (first, last), needles in runs.items():
        if first < last:
            yield first, last, _held(one, needles)


def _held(one: Ranked, needles: frozenset[int]) -> Places:
    return {needle: one.needles[needle] for needle in needles}
