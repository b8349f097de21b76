"""Time calls in turn, and say how the medians compare with a target."""

from __future__ import annotations

import gc
import resource
import time
from collections.abc import Callable, Sequence
from statistics import median

import attrs

__all__ = [
    "Row",
    "Taken",
    "Target",
    "at_least",
    "at_most",
    "both_in_turn",
    "cpu",
    "in_turn",
    "middle",
    "percentile",
    "seconds",
    "shown",
    "spent",
    "taken",
]

Call = Callable[[], object]


@attrs.frozen
class Target:
    """A bound on ours: so many times theirs, and a constant in the row's unit."""

    times: float
    plus: float = 0.0
    least: bool = False

    def met(self, ours: float, theirs: float) -> bool:
        bound = self.times * theirs + self.plus
        return ours >= bound if self.least else ours <= bound

    def __str__(self) -> str:
        words = "at least" if self.least else "at most"
        plus = f" + {self.plus:g}" if self.plus else ""
        return f"{words} {self.times:g} times{plus}"


def at_most(times: float, *, plus: float = 0.0) -> Target:
    return Target(times, plus)


def at_least(times: float) -> Target:
    return Target(times, least=True)


@attrs.frozen
class Row:
    """One comparison: ours, what it is held against, and the target."""

    what: str
    corpus: str
    unit: str
    ours: float
    against: str
    theirs: float
    target: Target | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs if self.theirs else float("inf")

    @property
    def verdict(self) -> str:
        if self.target is None:
            return "shown"
        return "met" if self.target.met(self.ours, self.theirs) else "MISSED"

    def as_json(self) -> dict[str, object]:
        return {
            **attrs.asdict(self),
            "ratio": self.ratio if self.theirs else None,
            "target": str(self.target) if self.target else None,
            "verdict": self.verdict,
        }


def shown(row: Row) -> Row:
    """Return a row without its target, which is about more than was measured."""
    return attrs.evolve(row, target=None)


@attrs.frozen
class Taken:
    """How long something took, by the clock and in CPU time."""

    seconds: float = 0.0
    cpu: float = 0.0

    def __add__(self, other: Taken) -> Taken:
        return Taken(self.seconds + other.seconds, self.cpu + other.cpu)


def in_turn(*calls: Call, times: int = 5) -> list[float]:
    """Return the median seconds of each call, after one unmeasured round.

    The calls take turns, so that a busy minute of the machine strikes all alike.
    """
    return [found.seconds for found in both_in_turn(*calls, times=times)]


def both_in_turn(*calls: Call, times: int = 5) -> list[Taken]:
    """Return the medians of each call by either clock, measured as by `in_turn`."""
    samples: list[list[Taken]] = [[] for _ in calls]
    for round_ in range(times + 1):
        for call, found in zip(calls, samples, strict=True):
            took = taken(call)
            if round_:
                found.append(took)
    return list(map(middle, samples))


def middle(samples: Sequence[Taken]) -> Taken:
    """Return the medians of the seconds and of the CPU time."""
    return Taken(
        median(one.seconds for one in samples), median(one.cpu for one in samples)
    )


def spent(ours: Taken, theirs: Taken, unit: float = 1e3) -> str:
    """Return a note that tells the CPU time of both sides, in the row's unit."""
    return f"CPU {ours.cpu * unit:.3g} against {theirs.cpu * unit:.3g}"


def seconds(call: Call) -> float:
    """Return how long a call takes."""
    return taken(call).seconds


def taken(call: Call) -> Taken:
    """Return what a call takes; garbage is collected before, not within."""
    gc.collect()
    start, spent = time.perf_counter(), cpu()
    call()
    return Taken(time.perf_counter() - start, cpu() - spent)


def cpu() -> float:
    """Return the CPU seconds of this process and of its children that have ended.

    On a machine that has other work to do it tells more than the clock; of what waits
    for a disk it tells nothing.
    """
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def percentile(samples: Sequence[float], share: float) -> float:
    """Return the sample that *share* of the others do not exceed."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
