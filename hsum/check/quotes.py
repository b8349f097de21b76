"""Find what a text quotes beside a citation, and compare it with the cited bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hsum.model.check import Found

__all__ = ["Quote", "quote_beside", "quotes", "says"]


class Quote(NamedTuple):
    """Quoted text and where it stands: a half-open span of characters."""

    text: str
    start: int
    end: int


_PARAGRAPH = re.compile(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))+")
_FENCE = re.compile(
    r"^(?P<mark> {0,3}(?:```+|~~~+))[^\n]*\n(?P<body>.*?)(?:^ {0,3}(?:```+|~~~+)[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_BLOCK = re.compile(r"(?:^[ ]{0,3}>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_MARKS = re.compile(
    r"\"(?P<a>[^\"\n]+(?:\n[^\"\n]+)*)\"|“(?P<b>[^”]+)”|«\s?(?P<c>[^»]+?)\s?»|„(?P<d>[^“”]+)[“”]"
)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_COMMENT_LEADER = re.compile(
    r"^[ \t]*(?:#+|//+[/!]?|\*|/\*+|;+|--+|%+)[ \t]?", re.MULTILINE
)
_ELLIPSIS = re.compile(r"\s*(?:\[\s*)?(?:…|\.\.\.)(?:\s*\])?\s*")


def quotes(text: str) -> Iterator[Quote]:
    """Give every quotation: fences, block quotes, and text in quotation marks."""
    covered = []
    for match in _FENCE.finditer(text):
        covered.append(match.span())
        yield Quote(match["body"], *match.span())
    for match in _BLOCK.finditer(text):
        if not _within(match.span(), covered):
            covered.append(match.span())
            body = re.sub(r"^[ ]{0,3}>[ ]?", "", match[0], flags=re.MULTILINE)
            yield Quote(body, *match.span())
    covered += [match.span() for match in _CODE_SPAN.finditer(text)]
    for match in _MARKS.finditer(text):
        if not _within(match.span(), covered):
            body = next(filter(None, match.groups()))
            yield Quote(body, *match.span())


def quote_beside(text: str, found: Sequence[Found]) -> dict[Found, Quote]:
    """Pair each citation with its quote.

    A pair stands in one paragraph, and each is the other's nearest: so that of two
    citations in a sentence each is held to its own words only.
    """
    spans = list(_paragraphs(text))
    nearest: dict[Quote, tuple[int, Found]] = {}
    wanted: dict[Found, tuple[int, Quote]] = {}
    for quote in quotes(text):
        for one in found:
            if _contains(quote, one) or not _same(spans, quote, one):
                continue
            distance = _distance(quote, one)
            if quote not in nearest or distance < nearest[quote][0]:
                nearest[quote] = (distance, one)
            if one not in wanted or distance < wanted[one][0]:
                wanted[one] = (distance, quote)
    return {
        one: quote for one, (_, quote) in wanted.items() if nearest[quote][1] is one
    }


def says(source: str, quote: str) -> bool:
    """Tell whether `source` has the quoted words.

    White space counts as one blank; an ellipsis stands for anything; the leaders of
    comment lines in the source may be left out.
    """
    parts = [_squeezed(part) for part in _ELLIPSIS.split(quote)]
    wanted = [part for part in parts if part]
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


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Give the spans of paragraphs; a fence belongs to the lines it touches."""
    fences = [match.span() for match in _FENCE.finditer(text)]
    open_span: tuple[int, int] | None = None
    for match in _PARAGRAPH.finditer(text):
        if open_span and _bridged(fences, open_span[1], match.start()):
            open_span = (open_span[0], match.end())
            continue
        if open_span:
            yield open_span
        open_span = match.span()
    if open_span:
        yield open_span


def _bridged(fences: Sequence[tuple[int, int]], end: int, start: int) -> bool:
    """Tell whether a blank line lies inside a fence, and so parts nothing."""
    return any(a < end and start < b for a, b in fences)


def _within(span: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return any(a <= span[0] and span[1] <= b for a, b in others)


def _same(spans: Sequence[tuple[int, int]], quote: Quote, one: Found) -> bool:
    return any(a <= quote.start < b and a <= one.start < b for a, b in spans)


def _contains(quote: Quote, one: Found) -> bool:
    return quote.start <= one.start and one.end <= quote.end


def _distance(quote: Quote, one: Found) -> int:
    return max(quote.start - one.end, one.start - quote.end, 0)
