"""Turn a query into what the lexical index is asked, signal by signal."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import attrs

from hsum.index.expressions import AnyOf, Boosted, Phrase, Preferring, Term
from hsum.index.views import bigrams, view
from hsum.retrieve.query import STOP_WORDS, Needle, last_name
from hsum.retrieve.signals import Asked, asked_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from hsum.index.expressions import Expression
    from hsum.index.lexical import Token
    from hsum.retrieve.query import Query
    from hsum.retrieve.signals import Signals

    Analyze = Callable[[str, str], tuple[Token, ...]]
    Common = Callable[[str, str], bool]

__all__ = ["MAX_TERMS", "Plan", "candidates_of", "plan_of"]

MAX_TERMS: Final = 128
"""How many different words of a query are looked up: tantivy has no time-out."""

_NEEDLE_TOKENS: Final = 8
"""As many tokens of a needle as the border field holds on each side."""


def _none(field: str, token: str) -> bool:  # noqa: ARG001 - as `Common` is called
    return False


@attrs.frozen
class Plan:
    """What is asked.

    Attributes:
        tokens: the query's words as tokens, each once, without stop words.
        groups: what each signal asks; their scores add up.
        words, phrases: the words and the phrases of all groups, without the needles.
        needles: what is looked for exactly, with the expression that finds all
            candidates, or None where only a scan of the bytes does.
        shares: how much of the query each needle is, at most 1.
        asked: what the query names besides its subject.
        cut: whether the query has more words than are looked up.
        feedback: what the first answers add to the question.
    """

    tokens: tuple[str, ...]
    groups: Mapping[str, Boosted]
    words: AnyOf | None
    phrases: AnyOf | None
    needles: tuple[tuple[Needle, AnyOf | None], ...]
    shares: tuple[float, ...]
    asked: Asked
    cut: bool
    feedback: Expression | None = None

    @property
    def searches(self) -> tuple[Expression, ...]:
        """What together finds the best of all groups but that of the needles.

        Words alone let the engine skip what cannot win. What holds a phrase besides
        scores in full in the second search, which looks at nothing else.
        """
        words, phrases = self.words, self.phrases
        if words is None or phrases is None:
            only = words or phrases
            return () if only is None else (self._preferring(only),)
        return self._preferring(words), self._preferring(Preferring(phrases, words))

    def candidates(self, number: int) -> Expression | None:
        """Return what finds all that may hold a needle, the best in words first.

        With `searches`, each passage by its higher score, that is what BM25 finds: a
        phrase costs most, and is asked once. None when only a scan of the bytes finds
        the needle.
        """
        own = self.needles[number][1]
        if own is None:
            return None
        group = self.groups.get("needle")
        # What is one word is among the words already.
        weight = group.factor if group and _is_phrase(own.parts[0]) else 0.0
        sought: Expression = Boosted(own, weight)
        if self.words is not None:
            sought = Preferring(sought, self.words)
        return self._preferring(sought)

    def _preferring(self, asked: Expression) -> Expression:
        return asked if self.feedback is None else Preferring(asked, self.feedback)


def _is_phrase(part: Expression) -> bool:
    bare = part.part if isinstance(part, Boosted) else part
    return isinstance(bare, Phrase) and len(bare.tokens) > 1


def _any(parts: Iterable[Expression]) -> AnyOf | None:
    found = tuple(parts)
    return AnyOf(found) if found else None


def _flat(groups: Iterable[Expression]) -> Iterator[Expression]:
    """Yield the parts of all groups, each with the group's factor."""
    for group in groups:
        match group:
            case Boosted(AnyOf(parts), 1.0):
                yield from parts
            case Boosted(AnyOf(parts), factor):
                yield from (Boosted(part, factor) for part in parts)


def plan_of(
    query: Query, analyze: Analyze, signals: Signals, common: Common = _none
) -> Plan:
    """Plan a query.

    Args:
        query: what was read.
        analyze: cuts a text into the tokens of a field.
        signals: the weights.
        common: tells whether a token is so common that a pair of two such tells
            little, and costs most: those are not asked.
    """
    sequence = [
        token.text for word in query.words for token in analyze(view(word), "body")
    ]
    telling = tuple(dict.fromkeys(_telling(sequence)))
    tokens = telling[:MAX_TERMS]
    groups = dict(_groups(query, tokens, analyze, signals, common))
    others = (group for name, group in groups.items() if name != "needle")
    parts = list(_flat(others))
    needles = [
        (needle, candidates_of(needle.text, analyze), _share(needle, tokens, analyze))
        for needle in query.needles
    ]
    if signals.definition:
        needles += [
            (Needle(name, "definition"), AnyOf((found,)), 1.0)
            for name in _whole(
                needle.text for needle, _, share in needles if share >= 1
            )
            for found in _defining(name, analyze)
        ]
    return Plan(
        tokens,
        groups,
        _any(itertools.filterfalse(_is_phrase, parts)),
        _any(filter(_is_phrase, parts)),
        tuple((needle, expression) for needle, expression, _ in needles),
        tuple(share for *_, share in needles),
        asked_for(tokens, (n.text for n in query.needles if n.kind == "identifier")),
        len(telling) > len(tokens),
    )


def _telling(tokens: list[str]) -> list[str]:
    return [token for token in tokens if token not in STOP_WORDS] or tokens


def _groups(
    query: Query,
    tokens: tuple[str, ...],
    analyze: Analyze,
    signals: Signals,
    common: Common,
) -> Iterator[tuple[str, Boosted]]:
    asked: dict[str, Sequence[Expression]] = {
        name: [Term(name, token) for token in tokens]
        for name in ("body", "parts", "path", "symbols")
    }
    stems = [token.text for word in tokens for token in analyze(word, "stem")]
    asked["stem"] = [Term("stem", stem) for stem in dict.fromkeys(stems)]
    grams = dict.fromkeys(bigrams(query.text).split())
    asked["cjk"] = [Term("cjk", gram) for gram in grams][:MAX_TERMS]
    asked["pairs"] = list(_pairs(tokens, analyze, common, stemmed=signals.stem > 0))
    asked["needle"] = list(_phrases(query.needles, analyze))
    asked["definition"] = [
        found for needle in query.needles for found in _defining(needle.text, analyze)
    ]
    for name, parts in asked.items():
        weight = getattr(signals, name)
        if weight and parts:
            yield name, Boosted(AnyOf(tuple(parts)), weight)


def _pairs(
    tokens: tuple[str, ...], analyze: Analyze, common: Common, *, stemmed: bool
) -> Iterator[Expression]:
    for pair in itertools.pairwise(tokens):
        field = "stem" if stemmed else "body"
        words = [token.text for word in pair for token in analyze(word, field)]
        if not all(common(field, word) for word in words):
            yield Phrase(field, tuple(enumerate(words)))


def _phrases(needles: tuple[Needle, ...], analyze: Analyze) -> Iterator[Expression]:
    for needle in needles:
        found = _placed(view(needle.text), analyze)
        if len(found) > 1:
            yield Phrase("body", found[:MAX_TERMS])


def _whole(texts: Iterable[str]) -> Iterable[str]:
    """Return the names among what is all of a query, each once."""
    names = (text.removesuffix("()") for text in texts)
    return dict.fromkeys(name for name in names if not any(map(str.isspace, name)))


def _defining(name: str, analyze: Analyze) -> Iterator[Phrase]:
    """Yield what finds the passages that declare the last name of an identifier."""
    found = _placed(view(last_name(name)), analyze)
    if found:
        yield Phrase("declares", found[:MAX_TERMS])


def _placed(text: str, analyze: Analyze) -> tuple[tuple[int, str], ...]:
    return tuple((token.position, token.text) for token in analyze(text, "body"))


def candidates_of(needle: str, analyze: Analyze) -> AnyOf | None:
    """Return what finds every passage that a needle may stand in, or begin in.

    None when the needle has no token that is indexed.
    """
    found = _placed(view(needle), analyze)[:_NEEDLE_TOKENS]
    if not found:
        return None
    return AnyOf((Phrase("body", found), Phrase("border", found)))


def _share(needle: Needle, tokens: tuple[str, ...], analyze: Analyze) -> float:
    own = {token.text for token in analyze(view(needle.text), "body")}
    if not tokens or needle.kind == "phrase":
        return 1.0
    return len(own.intersection(tokens)) / len(tokens)
