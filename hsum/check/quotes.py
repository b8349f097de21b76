"""Find what a text quotes beside a citation, and compare it with the cited bytes."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from hsum.check.spans import Row, Span, Spanned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hsum.model.check import Found

S = TypeVar("S", bound=Spanned)

__all__ = ["Quote", "quote_beside", "quotes", "says"]


class Quote(NamedTuple):
    """Quoted text and where it stands: a half-open span of characters."""

    text: str
    start: int
    end: int


# No pattern may begin to match in many places of which each reads on to the end of
# the line or of the text: a hostile text would take hours.
_PARAGRAPH = re.compile(r"^(?:[^\S\n]*+\S[^\n]*(?:\n|\Z))+", re.MULTILINE)
_FENCE = re.compile(
    r"^ {0,3}(?:```|~~~)[^\n]*\n(?P<body>.*?)(?:^ {0,3}(?:```+|~~~+)[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_BLOCK = re.compile(r"(?:^[ ]{0,3}>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_MARKS = re.compile(
    r"\"(?P<a>[^\"\n]+(?:\n[^\"\n]+)*)\"|“(?P<b>[^”]+)”|«\s?(?P<c>[^»]+?)\s?»|„(?P<d>[^“”]+)[“”]"
)
_OPENING = re.compile('["“«„]')
# What may close a quotation, by what opens it.
_CLOSING = {'"': '"', "“": "”", "«": "»", "„": "“”"}
_TICKS = re.compile(r"`+|\n")
_COMMENT_LEADER = re.compile(
    r"^[ \t]*(?:#+|//+[/!]?|\*|/\*+|;+|--+|%+)[ \t]?", re.MULTILINE
)
_ELLIPSIS = re.compile(r"\s*(?:\[\s*)?(?:…|\.\.\.)(?:\s*\])?\s*")


def quotes(text: str) -> Iterator[Quote]:
    """Give every quotation: fences, block quotes, and text in quotation marks."""
    return chain.from_iterable(_kinds(text))


def _kinds(text: str) -> tuple[list[Quote], list[Quote], list[Quote]]:
    """Return fences, block quotes and marked quotations; those of one kind stand apart."""
    fences = [Quote(match["body"], *match.span()) for match in _FENCE.finditer(text)]
    fenced = Row(fences)
    blocks = [
        Quote(re.sub(r"^[ ]{0,3}>[ ]?", "", match[0], flags=re.MULTILINE), *span)
        for match in _BLOCK.finditer(text)
        if not fenced.holds(*(span := match.span()))
    ]
    covering = (fenced, Row(blocks), Row(_code_spans(text)))
    marked = [
        Quote(next(filter(None, match.groups())), *span)
        for match in _marked(text)
        if not any(row.holds(*(span := match.span())) for row in covering)
    ]
    return fences, blocks, marked


def _code_spans(text: str) -> Iterator[Span]:
    """Give what stands in one line between two runs of equally many backticks."""
    runs = list(_TICKS.finditer(text))
    closing: dict[int, int] = {}
    closed_by: list[int | None] = [None] * len(runs)
    for number in range(len(runs) - 1, -1, -1):
        if runs[number][0] == "\n":
            closing.clear()
        else:
            length = len(runs[number][0])
            closed_by[number] = closing.get(length)
            closing[length] = number
    at = 0
    for number, last in enumerate(closed_by):
        if last is not None and number >= at:
            at = last + 1
            yield Span(runs[number].start(), runs[last].end())


def _marked(text: str) -> Iterator[re.Match[str]]:
    """Give what stands in quotation marks; a mark that nothing closes is passed over."""
    ends = {
        opening: max(map(text.rfind, closing)) for opening, closing in _CLOSING.items()
    }
    at = 0
    for opening in _OPENING.finditer(text):
        start = opening.start()
        if at <= start < ends[opening[0]] and (match := _MARKS.match(text, start)):
            at = match.end()
            yield match


def quote_beside(text: str, found: Sequence[Found]) -> dict[Found, Quote]:
    """Pair each citation with its quote; `found` is in order and does not overlap.

    A pair stands in one paragraph, and each is the other's nearest: so that of two
    citations in a sentence each is held to its own words only.
    """
    kinds = _kinds(text)
    paragraphs = Row(_paragraphs(text, Row(kinds[0])))
    quoted = [_by_paragraph(kind, paragraphs) for kind in kinds]
    pairs: dict[Found, Quote] = {}
    for number, ones in _by_paragraph(found, paragraphs).items():
        pairs |= _pairs([Row(kind.get(number, ())) for kind in quoted], ones)
    return pairs


def _by_paragraph(
    things: Iterable[S], paragraphs: Row[Span]
) -> Mapping[int, Sequence[S]]:
    """Return things by the number of the paragraph in which they begin."""
    grouped: dict[int, list[S]] = {}
    for thing in things:
        for number in paragraphs.touching(thing.start, thing.start + 1):
            grouped.setdefault(number, []).append(thing)
    return grouped


def _pairs(kinds: Sequence[Row[Quote]], found: Sequence[Found]) -> dict[Found, Quote]:
    """Pair the citations and the quotes of one paragraph."""
    citations = Row(found)
    pairs = {}
    for one in found:
        near = chain.from_iterable(kind.near(one.start, one.end) for kind in kinds)
        apart = [quote for quote in near if not _contains(quote, one)]
        quote = min(apart, key=lambda quote: _distance(quote, one), default=None)
        if quote is not None and _nearest(citations, quote) is one:
            pairs[one] = quote
    return pairs


def _nearest(citations: Row[Found], quote: Quote) -> Found | None:
    near = citations.near(quote.start, quote.end)
    apart = (one for one in near if not _contains(quote, one))
    return min(apart, key=lambda one: _distance(quote, one), default=None)


def says(source: str, quote: str) -> bool:
    """Tell whether `source` has the quoted words.

    White space counts as one blank; an ellipsis stands for anything; the leaders of
    comment lines in the source may be left out.
    """
    wanted = [part for part in _ELLIPSIS.split(_squeezed(quote)) if part]
    return any(
        _in_order(wanted, _squeezed(view))
        for view in (source, _COMMENT_LEADER.sub("", source))
    )


def _in_order(parts: Sequence[str], text: str) -> bool:
    at = 0
    for part in parts:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _paragraphs(text: str, fences: Row[Quote]) -> Iterator[Span]:
    """Give the paragraphs; a blank line inside a fence parts nothing."""
    whole: Span | None = None
    for match in _PARAGRAPH.finditer(text):
        part = Span(*match.span())
        if whole and fences.touching(part.start, whole.end):
            whole = Span(whole.start, part.end)
            continue
        if whole:
            yield whole
        whole = part
    if whole:
        yield whole


def _contains(quote: Quote, one: Found) -> bool:
    return quote.start <= one.start and one.end <= quote.end


def _distance(quote: Quote, one: Found) -> int:
    return max(quote.start - one.end, one.start - quote.end, 0)
