"""Ask retrieval cases of an index, and judge the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import mean
from typing import TYPE_CHECKING, overload

import attrs

from hsum.testing._cases import RetrievalCase, answers, path_of
from hsum.testing._metrics import ndcg, recall, reciprocal_rank

if TYPE_CHECKING:
    from hsum._api import Index
    from hsum.model import Hit

__all__ = ["CaseResult", "Evaluation", "JudgedHit", "evaluate", "judge"]

_MOST_TEXT = 2_000


@attrs.frozen
class JudgedHit:
    """Keep of a hit what a report shows; `answers` names what is relevant in it."""

    path: str
    lines: tuple[int, int]
    symbol: str | None
    score: float
    citation: str
    text: str = attrs.field(repr=False)
    answers: tuple[str, ...] = ()


@attrs.frozen(repr=False)
class CaseResult:
    """Say how well the first `k` hits answer one case.

    Hits in one file count once, at the first. `absent` names what is relevant and
    not in the index, `where` the test that asked.
    """

    case: RetrievalCase
    hits: tuple[JudgedHit, ...]
    ndcg: float
    reciprocal_rank: float
    recall: float
    k: int = 10
    absent: tuple[str, ...] = ()
    where: str = ""

    @property
    def missed(self) -> tuple[str, ...]:
        """What is relevant and not among the hits."""
        found = {name for hit in self.hits for name in hit.answers}
        return tuple(name for name in self.case.relevant if name not in found)

    @property
    def ok(self) -> bool:
        """Whether the case reaches its minimum, and can be answered at all."""
        answerable = len(self.absent) < len(self.case.relevant)
        return answerable and self.ndcg >= self.case.minimum

    def __str__(self) -> str:
        reached = f"nDCG@{self.k} {self.ndcg:.2f}, minimum {self.case.minimum:.2f}"
        lines = [f"{self.case.query!r}: {reached}"]
        lines += [f"  not in the index: {name}" for name in self.absent]
        lines += [
            f"  missed: {name}" for name in self.missed if name not in self.absent
        ]
        lines += [
            f"  {rank:>2}. {_shown(hit)}" for rank, hit in enumerate(self.hits, 1)
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<CaseResult {self.case.query!r}, nDCG@{self.k} {self.ndcg:.2f}>"


def _shown(hit: JudgedHit) -> str:
    mark = "  (relevant)" if hit.answers else ""
    return f"{hit.path}:{hit.lines[0]}-{hit.lines[1]}{mark}"


@attrs.frozen(repr=False)
class Evaluation(Sequence[CaseResult]):
    """Hold the results of many cases, and their means; 0 where there is no case."""

    results: tuple[CaseResult, ...]

    @property
    def ndcg(self) -> float:
        """The mean nDCG at k."""
        return _mean(one.ndcg for one in self)

    @property
    def mrr(self) -> float:
        """The mean reciprocal rank."""
        return _mean(one.reciprocal_rank for one in self)

    @property
    def recall(self) -> float:
        """The mean recall at k."""
        return _mean(one.recall for one in self)

    @overload
    def __getitem__(self, index: int) -> CaseResult: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[CaseResult, ...]: ...
    def __getitem__(self, index: int | slice) -> CaseResult | tuple[CaseResult, ...]:
        return self.results[index]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[CaseResult]:
        return iter(self.results)

    def __repr__(self) -> str:
        return (
            f"<Evaluation {len(self)} cases, nDCG {self.ndcg:.3f}, "
            f"MRR {self.mrr:.3f}, recall {self.recall:.3f}>"
        )

    def _repr_html_(self) -> str:
        from hsum.testing._page import evaluation_html

        return evaluation_html(self)


def _mean(values: Iterable[float]) -> float:
    return mean([*values] or [0.0])


def evaluate(
    cases: Iterable[RetrievalCase], index: Index, *, k: int = 10
) -> Evaluation:
    """Ask every case of an index, and measure the first `k` hits."""
    return Evaluation(tuple(judge(case, index, k=k) for case in cases))


def judge(
    case: RetrievalCase, index: Index, *, k: int = 10, where: str = ""
) -> CaseResult:
    """Ask one case of an index.

    Raises:
        HsumError: what `Index.search` raises.
    """
    hits = index.search(case.query, project=case.project, limit=k)
    ranked = _ranked(hits, case.relevant)
    return CaseResult(
        case=case,
        hits=tuple(_judged(hit, case) for hit in hits),
        ndcg=ndcg(ranked, case.relevant, k=k),
        reciprocal_rank=reciprocal_rank(ranked, case.relevant),
        recall=recall(ranked, case.relevant, k=k),
        k=k,
        absent=_absent(case, index),
        where=where,
    )


def _ranked(hits: Iterable[Hit], relevant: Iterable[str]) -> list[str]:
    """Name what each hit stands for: what is relevant in it, else its file."""
    wanted = list(relevant)
    names: list[str] = []
    for hit in hits:
        names += [name for name in wanted if answers(hit, name)] or [hit.path]
    return list(dict.fromkeys(names))


def _judged(hit: Hit, case: RetrievalCase) -> JudgedHit:
    return JudgedHit(
        hit.path,
        hit.lines,
        hit.symbol,
        hit.score,
        str(hit.citation),
        hit.text[:_MOST_TEXT],
        tuple(name for name in case.relevant if answers(hit, name)),
    )


def _absent(case: RetrievalCase, index: Index) -> tuple[str, ...]:
    paths = {document.path for document in index.documents()}
    return tuple(
        name
        for name in case.relevant
        if (name not in index if path_of(name) is None else not _known(name, paths))
    )


def _known(name: str, paths: set[str]) -> bool:
    return name in paths or path_of(name) in paths
