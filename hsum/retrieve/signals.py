"""What moves a passage up or down besides its words, and how much.

The weights are measured on commit messages against the files they changed, and on
judged questions about abstracts (`benchmarks/`). Setting one to its neutral value
switches the signal off.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hsum.index.languages import Kind

__all__ = ["CODE", "PROSE", "Asked", "Role", "Signals", "asked_for", "role_of"]

Role = Literal["code", "tests", "docs", "changelog", "data"]


@attrs.frozen(kw_only=True)
class Signals:
    """The weight of each signal.

    Weights of fields and of phrases are neutral at 0, factors at 1.

    Attributes:
        body: the words of a passage.
        parts: the parts of its camelCase names.
        cjk: bigrams of Han, Kana and Hangul.
        stem: stemmed words, of prose only.
        pairs: words that follow each other in the query and in the passage.
        path: the words of the path.
        symbols: the names that enclose or are declared in the passage.
        definition: a passage that declares an identifier of the query; what declares
            all of the query comes first, unless this is 0.
        needle: an identifier or phrase of several words, as BM25 sees it.
        feedback: words that tell the first answers apart, of prose only.
        exact: what a proven identifier adds, as a share of the best score.
        decay: how much the next best passage of the same file adds.
        later: the factor of each later passage of a file already shown, at most 1.
        tests, docs, changelog, data: factors of files in these roles.
    """

    body: float = 1.0
    parts: float = 0.3
    cjk: float = 1.0
    stem: float = 0.0
    pairs: float = 0.2
    path: float = 1.5
    symbols: float = 0.7
    definition: float = 1.0
    needle: float = 1.0
    feedback: float = 0.0
    exact: float = 0.5
    decay: float = 0.25
    later: float = 0.5
    tests: float = 0.35
    docs: float = 0.3
    changelog: float = 0.15
    data: float = 0.5

    @property
    def lift(self) -> float:
        """The most that a role can do for a file."""
        return max(1.0, self.tests, self.docs, self.changelog, self.data)

    def factor(self, role: Role) -> float:
        """Return the factor of a file in a role."""
        return 1.0 if role == "code" else float(getattr(self, role))


CODE: Final = Signals()
"""Where most passages are code, configuration or data."""

PROSE: Final = Signals(
    body=0.3,
    stem=1.0,
    needle=0.1,
    feedback=0.4,
    exact=0.1,
    decay=0.05,
    tests=1.0,
    docs=1.0,
    changelog=1.0,
    data=1.0,
)
"""Where most passages are prose: stemmed, with feedback, and no role is demoted."""

_TESTS: Final = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|test_data|specs?|__tests__|fixtures|benchmarks?)/"
    r"|(?:^|/)(?:test_[^/]*|conftest\.py|[^/]*_tests?\.[^/.]+|[^/]*[.-](?:test|spec)\.[^/.]+)$"
    r"|(?:^|/)[^/]*[a-z]Tests?\.[^/.]+$"
)
_CHANGELOG: Final = re.compile(
    r"(?:^|/)(?:change(?:s|log)?|news|history|release[-_ ]?notes?|releases?|authors"
    r"|contributors|whatsnew)(?:$|/|[-_.][^/]*$)",
    re.IGNORECASE,
)
_DOCS: Final = re.compile(
    r"(?:^|/)(?:docs?|documentation|examples?|samples?|tutorials?|demos?)/",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 16)
def role_of(path: str, kind: Kind) -> Role:
    """Tell what a file is for, from its path and the kind of its text."""
    if _TESTS.search(path):
        return "tests"
    if _CHANGELOG.search(path):
        return "changelog"
    if kind == "prose" or _DOCS.search(path):
        return "docs"
    return "code" if kind == "code" else "data"


@attrs.frozen
class Asked:
    """What a query names besides its subject.

    Attributes:
        roles: the roles it asks for in so many words; these are not demoted.
        paths: identifiers that may be (ends of) paths; files they name are not either.
    """

    roles: frozenset[Role]
    paths: tuple[str, ...]

    def names(self, path: str) -> bool:
        """Tell whether the query names this path, its end or a folder of it."""
        if not self.paths:
            return False
        within = f"/{path}/"
        return any(f"/{name}/" in within for name in self.paths)


_ASIDE: Final = 6
_WORDS: Final[dict[Role, frozenset[str]]] = {
    "tests": frozenset({"test", "tests", "testing", "testsuite"}),
    "docs": frozenset(
        {"doc", "docs", "documentation", "readme", "tutorial", "example", "examples"}
    ),
    "changelog": frozenset({"changelog", "changes", "news", "release", "releases"}),
}


def asked_for(tokens: Iterable[str], identifiers: Iterable[str]) -> Asked:
    """Read what a query names from its tokens and its identifiers.

    A word for a role counts in a short query; in a long message it is an aside.
    """
    words = list(tokens)
    roles = frozenset(
        role
        for role, named in _WORDS.items()
        if _ASIDE * sum(word in named for word in words) >= len(words) > 0
        and not named.isdisjoint(words)
    )
    paths = tuple(
        name.strip("/") for name in identifiers if ("/" in name or "." in name)
    )
    return Asked(roles, tuple(filter(None, paths)))
