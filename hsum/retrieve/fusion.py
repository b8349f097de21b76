"""Merge what the retrievers found into one order.

The score of a file is that of its best passage and a share of the next ones; a file
demoted for its role gets a factor, unless the hit is exact. Scores are shares of the
best file's, plus one for each phrase, or identifier that is all of the query, proved
to stand there, and one more for what declares it: so those come first.
"""

from __future__ import annotations

import heapq
import itertools
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import attrs

from hsum.index.matches import VERSION_SHIFT, Match
from hsum.retrieve.signals import role_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from hsum.index.languages import Kind
    from hsum.retrieve.signals import Asked, Signals

    Places = Mapping[int, int]
    Runs = Mapping[tuple[int, int], frozenset[int]]
    Prove = Callable[[Match, Iterable[int]], Runs]

__all__ = ["File", "Fusion", "Ranked"]

# Enough to order by; the last bits of a float32 sum differ between two builds.
_DIGITS: Final = 5
_SLACK: Final = 10.0**-_DIGITS
_NO_NEEDLES: Final[Places] = {}
_by_score: Final = itemgetter(0)
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
    _worths: dict[tuple[int, ...], tuple[float, float]] = attrs.field(
        factory=dict, init=False, repr=False, eq=False
    )

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
        queue = _Queue(self, self._groups(matches), needles, paths)
        while one := queue.pop():
            if one.proved:
                yield one
                queue.follow(one)
                continue
            for first, last, held in _proved(one, prove(one.match, one.needles)):
                queue.push(self._again(one, first, last, held))

    def _groups(self, matches: Iterable[Match]) -> list[tuple[float, list[Match]]]:
        """Return the passages of each file and its share, the best file last."""
        groups: dict[int, list[Match]] = {}
        for match in matches:
            groups.setdefault(match[1] >> VERSION_SHIFT, []).append(match)
        decay = self.signals.decay
        scores = [
            (_file_score(group, decay) if len(group) > 1 else group[0][0], group)
            for group in groups.values()
        ]
        scores.sort(key=_by_score)
        best = (scores[-1][0] if scores else 0.0) or 1.0
        return [(score / best, group) for score, group in scores]

    def ranked(
        self, file: File, at: int, needles: Mapping[int, Places], serial: int
    ) -> Ranked:
        """Return a passage of a file, scored as if it held what it may hold."""
        match = file.matches[at]
        held = needles.get(match[1], _NO_NEEDLES)
        later = self.signals.later**at * match[0] / (file.matches[0][0] or 1.0)
        low = -self.score(held, file, later)
        own, proved = match.ordinal, not held
        return Ranked(
            low, file.path, own, own, serial, match, held, file, at, later, proved
        )

    def role_factor(self, path: str, kind: Kind) -> float:
        """Return the factor of a file's role, unless the query asks for it."""
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
        bonus, demoted = self._worth(tuple(needles))
        base: float = file.share * later * file.role**demoted
        return round(bonus + base, _DIGITS)

    def bonus(self, needles: Iterable[int]) -> float:
        """Return what needles add to a score, at least what some of them add."""
        return self._worth(tuple(needles))[0]

    def _worth(self, needles: tuple[int, ...]) -> tuple[float, float]:
        """Return what needles add, and to what power the factor of a role remains."""
        known = self._worths.get(needles)
        if known is not None:
            return known
        shares = [self.shares[needle] for needle in needles]
        certain = sum(share >= 1 for share in shares)
        partial = min(1.0, sum(share for share in shares if share < 1))
        bonus = certain + self.signals.exact * partial
        worth = bonus, 0.0 if certain else 1.0 - partial
        self._worths[needles] = worth
        return worth

    def _again(self, one: Ranked, first: int, last: int, needles: Places) -> Ranked:
        return one._replace(
            lowness=-self.score(needles, one.file, one.later),
            first=first,
            last=last,
            needles=needles,
            proved=True,
        )


# Sorts among `Ranked` by the fields it begins with; what its file is comes last.
_Unmade: TypeAlias = tuple[float, str, int, int, int, float, float, list[Match]]


class _Queue:
    """Runs by score, of which only those are made that may be next.

    No passage of a file scores above the file's share and all its needles together,
    and without needles none above the one before it; so most files and passages of a
    query are never looked at.
    """

    def __init__(
        self,
        fusion: Fusion,
        groups: list[tuple[float, list[Match]]],
        needles: Mapping[int, Places],
        paths: Mapping[int, str],
    ) -> None:
        self._fusion = fusion
        self._needles = needles
        self._paths = paths
        self._serials = itertools.count()
        self._heap: list[Ranked | _Unmade] = []
        # The most that any passage of a file can score, its share, and what it is.
        self._waiting: list[tuple[float, float, list[Match], bool]] = []
        lift = fusion.signals.lift
        holding = _by_version(needles)
        for share, group in groups:
            held = holding.get(group[0][1] >> VERSION_SHIFT)
            most = share * lift + _SLACK + (fusion.bonus(held) if held else 0.0)
            self._waiting.append((most, share, group, bool(held)))
        if holding:
            self._waiting.sort(key=_by_score)

    def _let_in(self, share: float, group: list[Match], *, held: bool) -> None:
        """Queue the passages of a file, or its best where it has no needles.

        That one waits as a plain tuple: many are let in for one that is taken, as
        most sink again where roles demote.
        """
        path = self._paths[group[0].version]
        role = self._fusion.role_factor(path, group[0].kind)
        if held:
            file = File(path, group, share, role, held)
            for at in range(len(group)):
                self._enter(file, at)
            return
        low, at = -round(share * role, _DIGITS), group[0].ordinal
        unmade = (low, path, at, at, next(self._serials), share, role, group)
        heapq.heappush(self._heap, unmade)

    def _enter(self, file: File, at: int) -> None:
        serial = next(self._serials)
        heapq.heappush(self._heap, self._fusion.ranked(file, at, self._needles, serial))

    def push(self, one: Ranked) -> None:
        """Take back a run that was proved."""
        heapq.heappush(self._heap, one._replace(serial=next(self._serials)))

    def pop(self) -> Ranked | None:
        """Return the best run; None when there is no other."""
        while self._waiting and (
            not self._heap or self._waiting[-1][0] >= -self._heap[0][0]
        ):
            _, share, group, held = self._waiting.pop()
            self._let_in(share, group, held=held)
        if not self._heap:
            return None
        best = heapq.heappop(self._heap)
        if isinstance(best, Ranked):
            return best
        _, path, _, _, serial, share, role, group = best
        file = File(path, group, share, role, held=False)
        return self._fusion.ranked(file, 0, self._needles, serial)

    def follow(self, one: Ranked) -> None:
        """Let the next passage of a file in, where they stand in their order."""
        if not one.file.held and one.at + 1 < len(one.file.matches):
            self._enter(one.file, one.at + 1)


def _by_version(needles: Mapping[int, Places]) -> dict[int, frozenset[int]]:
    """Return the needles that any passage of a version may hold."""
    held: dict[int, frozenset[int]] = {}
    for place, numbers in needles.items():
        version = place >> VERSION_SHIFT
        known = held.get(version)
        if known is None or not known.issuperset(numbers):
            held[version] = frozenset(numbers).union(known or ())
    return held


def _file_score(group: list[Match], decay: float) -> float:
    group.sort(key=_by_place)
    group.sort(key=_by_score, reverse=True)
    score = 0.0
    for match in reversed(group):
        score = score * decay + match[0]
    return score


def _proved(one: Ranked, runs: Runs) -> Iterator[tuple[int, int, Places]]:
    """Yield the run itself with what it does hold, and each wider run that holds."""
    own = runs.get((one.first, one.last), frozenset())
    yield one.first, one.last, _held(one, own)
    for (first, last), needles in runs.items():
        if first < last:
            yield first, last, _held(one, needles)


def _held(one: Ranked, needles: frozenset[int]) -> Places:
    return {needle: one.needles[needle] for needle in needles}
