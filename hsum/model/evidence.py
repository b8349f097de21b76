"""What search and get answer: hits and evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, overload

import attrs

from hsum.errors import fault
from hsum.model.citation import Citation

SourceState = Literal[
    "metadata_unchanged",
    "metadata_changed",
    "unchanged",
    "changed",
    "missing",
    "blocked",
    "unverifiable",
]
SpanState = Literal["intact", "moved", "ambiguous", "gone"]
StopReason = Literal[
    "limit_reached", "unique_exhausted", "deadline", "work_budget_exhausted"
]


@attrs.frozen(repr=False)
class Place:
    """Say where bytes stand in the working tree now, indexed or not.

    `start` and `end` are a half-open span of the file's raw bytes; `lines` are
    the first and last line, from 1, inclusive.
    """

    path: str
    start: int
    end: int
    lines: tuple[int, int]

    def __repr__(self) -> str:
        return f"<Place {self.path}:{_span(self.lines)}>"


@attrs.frozen
class Ranks:
    """Give a hit's place, from 1, in each retriever; None where it is absent.

    `signals` holds the factors of the score, filled by `explain=True` only.
    """

    exact: int | None = None
    phrase: int | None = None
    bm25: int | None = None
    signals: Mapping[str, float] = attrs.field(factory=dict)


@attrs.frozen(repr=False)
class Hit:
    """Quote one run of whole passages that answers a query.

    `duplicates` cite the passages with equal bytes that this hit stands for.
    """

    citation: Citation
    project_id: str
    path: str
    lines: tuple[int, int]
    symbol: str | None
    text: str = attrs.field(repr=False)
    score: float
    ranks: Ranks = Ranks()
    duplicates: tuple[Citation, ...] = ()
    source_state: SourceState = "unverifiable"
    untrusted_content: Literal[True] = attrs.field(default=True, init=False)

    def __repr__(self) -> str:
        within = f" in {self.symbol}" if self.symbol else ""
        return f"<Hit {self.path}:{_span(self.lines)}{within}, score {self.score:.3g}>"

    def _repr_html_(self) -> str:
        from hsum import _views

        return _views.hit(self)


@attrs.frozen(repr=False)
class Searched:
    """Say what a search looked through, so that an empty answer means something.

    `skipped` counts the files of the root that are not indexed, by reason.
    """

    documents: int
    passages: int
    skipped: Mapping[str, int] = attrs.field(factory=dict)

    def __repr__(self) -> str:
        return (
            f"<Searched {self.documents:,} documents, {self.passages:,} passages; "
            f"{sum(self.skipped.values()):,} files skipped>"
        )


@attrs.frozen(repr=False)
class Hits(Sequence[Hit]):
    """Hold one page of hits, best first; a sequence that says why it stops.

    `cursor` is set exactly when `stop_reason` is `limit_reached`.
    """

    hits: tuple[Hit, ...]
    generation: int
    stop_reason: StopReason
    searched: Searched
    cursor: str | None = None

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __repr__(self) -> str:
        return f"<Hits {len(self)} of generation {self.generation}, {self.stop_reason}>"

    def _repr_html_(self) -> str:
        from hsum import _views

        return _views.hits(self)


@attrs.frozen(repr=False)
class Evidence:
    """Carry the stored bytes of a citation, and what has become of them.

    `requested` is the citation asked for, `returned` the one that `content` is
    the bytes of: wider with `around`, shorter when `truncated`.  `span_state` is
    None without verification; `places` names the candidates when it is
    `ambiguous`.
    """

    requested: Citation
    returned: Citation
    project_id: str
    path: str
    lines: tuple[int, int]
    content: bytes = attrs.field(repr=False)
    text: str = attrs.field(repr=False)
    encoding: str
    truncated: bool = False
    source_state: SourceState = "unverifiable"
    span_state: SpanState | None = None
    moved_to: Place | None = None
    places: tuple[Place, ...] = ()
    untrusted_content: Literal[True] = attrs.field(default=True, init=False)
    _revision: Callable[[], bytes] | None = attrs.field(
        default=None, eq=False, kw_only=True
    )

    def swhid(self) -> str:
        """Name the returned bytes by SWHID (ISO/IEC 18670).

        The content id is that of the git blob, computed now from the stored
        revision; `bytes=` is end-inclusive there, and absent for an empty span.
        """
        if self._revision is None:
            raise fault("INVALID_ARGUMENT", "this evidence has no index behind it")
        whole = self._revision()
        blob = hashlib.sha1(b"blob %d\0" % len(whole), usedforsecurity=False)
        blob.update(whole)
        start, end = self.returned.start, self.returned.end
        span = f";bytes={start}-{end - 1}" if end > start else ""
        return f"swh:1:cnt:{blob.hexdigest()}{span}"

    def __repr__(self) -> str:
        states = ", ".join(filter(None, (self.source_state, self.span_state)))
        cut = ", truncated" if self.truncated else ""
        return f"<Evidence {self.path}:{_span(self.lines)} {states}{cut}>"

    def _repr_html_(self) -> str:
        from hsum import _views

        return _views.evidence(self)


def _span(lines: tuple[int, int]) -> str:
    first, last = lines
    return str(first) if first == last else f"{first}-{last}"
