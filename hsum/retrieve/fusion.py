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
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import attrs

from hsum.retrieve.signals import role_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from hsum.index.languages import Kind
    from hsum.retrieve.signals import Asked, Signals

    Prove = Callable[["Found"], Mapping[tuple[int, int], frozenset[int]]]

__all__ = ["Found", "Fusion", "Ranked"]

# Enough to order by; the last bits of a float32 sum differ between two builds.
_DIGITS: Final = 5


class Found(NamedTuple):
    """A run of passages that a retriever found: mostly one.

    Attributes:
        version: the key of its version.
        first, last: its ordinals, inclusive.
        kind: what sort of text it is.
        digest: what passages of equal bytes share; None for a run.
        lexical: its BM25 score over all fields.
        needles: the places in the query of the needles it may hold, or holds.
        bm25: its place among the passages that BM25 found, from 1.
        places: its place among the candidates of each needle.
    """

    version: int
    first: int
    last: int
    kind: Kind
    digest: int | None
    lexical: float
    needles: frozenset[int] = frozenset()
    bm25: int | None = None
    places: Mapping[int, int] = MappingProxyType({})

    @property
    def key(self) -> tuple[int, int, int]:
        """Name the bytes: version and ordinals."""
        return self.version, self.first, self.last


class Ranked(NamedTuple):
    """A found run with what its score is made of; sorts by score, path and place.

    Attributes:
        lowness: the negated score.
        path: its file's.
        first, last: its ordinals, inclusive.
        serial: makes every one different.
        found: the run.
        file: the score of its file, as a share of the best file's.
        role: the factor of the file's role.
        later: the factor of its place among the passages of its file.
        proved: whether the needles of `found` are known to stand there.
    """

    lowness: float
    path: str
    first: int
    last: int
    serial: int
    found: Found
    file: float
    role: float
    later: float
    proved: bool

    @property
    def score(self) -> float:
        """The score that orders hits."""
        return -self.lowness


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

    def ranked(
        self, found: Iterable[Found], paths: Mapping[int, str]
    ) -> Iterator[Ranked]:
        """Score what was found, in no order; `paths` are those of the versions."""
        files: dict[int, list[Found]] = {}
        for one in found:
            files.setdefault(one.version, []).append(one)
        decay, later, score = self.signals.decay, self.signals.later, self.score
        scores = {
            version: _file_score(group, decay) for version, group in files.items()
        }
        best = max(scores.values(), default=0.0) or 1.0
        serials = itertools.count()
        for version, group in files.items():
            path, share = paths[version], scores[version] / best
            role = self._role_factor(path, group[0].kind)
            factor = 1.0 / (group[0].lexical or 1.0)
            for one in group:
                own = one.lexical * factor
                needles = one.needles
                lowness = -score(needles, share, role, own)
                yield Ranked(
                    lowness, path, one.first, one.last, next(serials),
                    one, share, role, own, not needles,
                )  # fmt: skip
                factor *= later

    def _role_factor(self, path: str, kind: Kind) -> float:
        role = role_of(path, kind)
        if role == "code" or role in self.asked.roles or self.asked.names(path):
            return 1.0
        return self.signals.factor(role)

    def score(
        self, needles: frozenset[int], file: float, role: float, later: float
    ) -> float:
        """Return the score of a run that holds these needles.

        One for each needle that puts a hit before all that lack it; a share of the
        best file's score for the other identifiers; and the file's own score, demoted
        for its role as far as the needles are not what was asked for.
        """
        if not needles:
            return round(file * later * role, _DIGITS)
        shares = [self.shares[needle] for needle in needles]
        certain = sum(share >= 1 for share in shares)
        partial = min(1.0, sum(share for share in shares if share < 1))
        spared = 1.0 if certain else partial
        base: float = file * later * role ** (1.0 - spared)
        return round(certain + self.signals.exact * partial + base, _DIGITS)

    def best_first(self, ranked: Iterable[Ranked], prove: Prove) -> Iterator[Ranked]:
        """Yield in order, proving needles only where a run is next.

        A run is ranked as if it held its needles; when its turn comes, `prove` tells
        the runs that do hold them, itself or wider ones, and what it lacks moves it
        down.
        """
        heap = list(ranked)
        heapq.heapify(heap)
        serials = itertools.count(len(heap))
        while heap:
            one = heapq.heappop(heap)
            if one.proved:
                yield one
                continue
            for found in _proved(one.found, prove(one.found)):
                heapq.heappush(heap, self._again(one, found, next(serials)))

    def _again(self, one: Ranked, found: Found, serial: int) -> Ranked:
        return one._replace(
            lowness=-self.score(found.needles, one.file, one.role, one.later),
            first=found.first,
            last=found.last,
            serial=serial,
            found=found,
            proved=True,
        )


def _file_score(group: list[Found], decay: float) -> float:
    if len(group) == 1:
        return group[0].lexical
    group.sort(key=lambda one: (-one.lexical, one.first))
    return math.fsum(one.lexical * decay**place for place, one in enumerate(group))


def _proved(
    found: Found, runs: Mapping[tuple[int, int], frozenset[int]]
) -> Iterator[Found]:
    own = runs.get((found.first, found.last), frozenset())
    yield found._replace(needles=own)
    for (first, last), needles in runs.items():
        if first < last:
            yield found._replace(first=first, last=last, digest=None, needles=needles)
