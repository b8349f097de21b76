"""The pure parts of ranking: roles, plans, fusion, feedback, cursors."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum._kernel.faults import Fault
from hsum.errors import HsumError
from hsum.index.expressions import AnyOf, Preferring
from hsum.index.lexical import LexicalDocument, Reader, Writer, analyze
from hsum.index.matches import Match, place_of
from hsum.retrieve.cursors import Binding, position_of, token_at
from hsum.retrieve.feedback import inverse_frequency, telling_words
from hsum.retrieve.fusion import Fusion, Ranked
from hsum.retrieve.plan import MAX_TERMS, candidates_of, plan_of
from hsum.retrieve.query import parse
from hsum.retrieve.signals import CODE, PROSE, Asked, asked_for, role_of
from hsum.retrieve.stream import merged

NOTHING = Asked(frozenset(), ())

# --- roles ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "kind", "role"),
    [
        ("src/engine.py", "code", "code"),
        ("latest/contest.py", "code", "code"),
        ("tests/engine.py", "code", "tests"),
        ("src/test_engine.py", "code", "tests"),
        ("src/engine_test.go", "code", "tests"),
        ("web/app.spec.ts", "code", "tests"),
        ("src/EngineTest.java", "code", "tests"),
        ("conftest.py", "code", "tests"),
        ("CHANGELOG.md", "prose", "changelog"),
        ("doc/en/changelog.rst", "prose", "changelog"),
        ("NEWS", "prose", "changelog"),
        ("changelog/123.bugfix.rst", "prose", "changelog"),
        ("docs/conf.py", "code", "docs"),
        ("README.md", "prose", "docs"),
        ("examples/run.py", "code", "docs"),
        ("pyproject.toml", "config", "data"),
        ("newsletter.py", "code", "code"),
        ("exchange.py", "code", "code"),
    ],
)
def test_a_path_tells_what_a_file_is_for(path: str, kind: str, role: str) -> None:
    """Whole words of the path count, not parts of words."""
    assert role == role_of(path, kind)  # type: ignore[arg-type]


def test_a_short_query_names_a_role_and_a_long_one_mentions_it() -> None:
    """`tests` is a subject among three words, and an aside among twenty."""
    short = asked_for(["scheduler", "tests"], [])
    long = asked_for(["tests", *(f"word{n}" for n in range(20))], [])

    assert (frozenset({"tests"}), frozenset()) == (short.roles, long.roles)


def test_a_query_names_paths_by_their_ends_and_folders() -> None:
    """A name with a dot or a slash names the files and folders it is a part of."""
    asked = asked_for([], ["tests/a.py", "conf.py", "plain"])

    assert [True, True, False, False] == [
        asked.names(path)
        for path in ("x/tests/a.py", "docs/conf.py", "docs/myconf.py", "plain/x")
    ]


# --- plans ---------------------------------------------------------------------------


def test_stop_words_are_dropped_unless_nothing_else_remains() -> None:
    """A question is its telling words; `to be or not to be` is all stop words."""
    assert ("server",) == plan_of(parse("what is the server"), analyze, CODE).tokens
    assert ("to", "be", "or") == plan_of(parse("to be or"), analyze, CODE).tokens


def test_a_signal_at_zero_is_not_asked_for() -> None:
    """What is switched off costs nothing."""
    off = attrs.evolve(CODE, path=0.0, pairs=0.0)
    plan = plan_of(parse("two words"), analyze, off)

    assert {"body", "parts", "symbols"} == set(plan.groups)
    assert "stem" in plan_of(parse("two words"), analyze, PROSE).groups


def test_a_needle_without_a_token_has_no_candidates() -> None:
    """It is found by scanning."""
    assert None is candidates_of(">>>", analyze)
    assert None is candidates_of("x" * 300, analyze)
    assert None is not candidates_of("foo::bar", analyze)


def test_words_beyond_the_cap_are_owned_up_to() -> None:
    """A query with more words than are looked up says that it was cut."""
    plan = plan_of(parse(" ".join(f"w{n}" for n in range(200))), analyze, CODE)

    assert (MAX_TERMS, True) == (len(plan.tokens), plan.cut)


def test_feedback_reorders_and_finds_nothing() -> None:
    """What the first answers add is preferred, never required or enough."""
    plan = plan_of(parse("wing"), analyze, PROSE)
    learned = telling_words([(["slipstream", "lift"], 1.0)], {"wing"}, len, 0.5)

    (search,) = attrs.evolve(plan, feedback=learned).searches

    assert isinstance(search, Preferring)


def test_a_pair_of_common_words_is_not_asked() -> None:
    """It costs most and tells least; one rare word makes it worth asking."""
    query = parse("int stat")

    assert "pairs" not in plan_of(query, analyze, CODE, lambda _, word: True).groups
    assert (
        "pairs" in plan_of(query, analyze, CODE, lambda _, word: word == "int").groups
    )


@pytest.fixture
def greek(tmp_path: Path) -> Reader:
    """A lexical index of 400 passages of five words in all orders."""
    chance = random.Random(1)
    writer = Writer(tmp_path / "lexical")
    for at in range(400):
        body = " ".join(
            chance.choices(["alpha", "beta", "gamma", "delta", "omega"], k=9)
        )
        writer.extend([LexicalDocument(at, 0, body, path=f"file {at % 7}")])
    writer.commit()
    return Reader(tmp_path / "lexical")


def scores(matches: list[Match]) -> dict[int, object]:
    return {match.place: pytest.approx(match.score) for match in matches}


def test_the_searches_of_a_plan_find_the_best_of_all_groups(greek: Reader) -> None:
    """Words alone and phrases besides, merged, are one search of all but needles."""
    plan = plan_of(parse("alpha_beta gamma delta"), analyze, CODE)
    groups = [group for name, group in plan.groups.items() if name != "needle"]

    found = merged([greek.search(asked, 20) for asked in plan.searches], 20)

    assert scores(greek.search(AnyOf(tuple(groups)), 20)) == {
        match.place: match.score for match in found
    }


def test_candidates_of_a_needle_score_as_words_and_needle_do(greek: Reader) -> None:
    """What holds its words in a row, and nothing else, by all words and that row."""
    plan = plan_of(parse("alpha_beta gamma delta"), analyze, CODE)
    words = [plan.groups[name] for name in ("body", "parts", "path", "symbols")]
    row = plan.groups["needle"]

    found = greek.search(plan.candidates(0), 400)

    assert scores(greek.search(Preferring(row, AnyOf(tuple(words))), 400)) == {
        match.place: match.score for match in found
    }
    assert 0 < len(found) < 400


def test_known_words_and_numbers_tell_nothing() -> None:
    """Feedback is new words with letters, or none at all."""
    assert None is telling_words([(["wing", "12", "of"], 1.0)], {"wing"}, len, 0.5)
    assert inverse_frequency(100, 1) > inverse_frequency(100, 50) > 0


# --- fusion --------------------------------------------------------------------------


Run = tuple[int, int, float, tuple[int, ...]]


def found(version: int, ordinal: int, score: float, *needles: int) -> Run:
    return version, ordinal, score, needles


def order(
    runs: list[Run],
    *,
    paths: dict[int, str] | None = None,
    shares: tuple[float, ...] = (1.0, 0.3),
    proofs: dict[tuple[int, int], dict[tuple[int, int], frozenset[int]]] | None = None,
) -> list[Ranked]:
    """Return runs in order; without `proofs` each holds what it may hold."""
    paths = paths or {run[0]: f"src/{run[0]}.py" for run in runs}
    fusion = Fusion(NOTHING, shares, CODE)
    matches = [Match(run[2], place_of(run[0], run[1], "code"), 0) for run in runs]
    needles = {
        match.place: dict.fromkeys(run[3], 1)
        for match, run in zip(matches, runs, strict=True)
    }

    def prove(match: Match, held: Iterable[int]) -> Mapping[Any, frozenset[int]]:
        at = match.ordinal
        if proofs is None:
            return {(at, at): frozenset(held)}
        return proofs.get((match.version, at), {})

    return list(fusion.best_first(matches, needles, paths, prove))


def test_the_passages_of_a_file_add_up_with_decay() -> None:
    """Two good passages beat one, and the second is shown after other files."""
    ranked = order([found(1, 0, 10), found(1, 1, 9), found(2, 0, 11)])

    assert [(1, 0), (2, 0), (1, 1)] == [(r.match.version, r.first) for r in ranked]


def test_a_proven_needle_that_is_the_query_comes_first() -> None:
    """However little BM25 thinks of it, and whatever the role of its file."""
    runs = [found(1, 0, 50), found(2, 0, 1, 0)]
    ranked = order(runs, paths={1: "src/a.py", 2: "tests/test_a.py"})

    assert [2, 1] == [one.match.version for one in ranked]


def test_what_lacks_its_needle_moves_down() -> None:
    """A candidate that does not hold the needle is ranked by its words."""
    runs = [found(1, 0, 10, 0), found(2, 0, 9, 0), found(3, 0, 8)]
    ranked = order(runs, proofs={(2, 0): {(0, 0): frozenset({0})}})

    assert [2, 1, 3] == [one.match.version for one in ranked]
    assert [True, False, False] == [bool(one.needles) for one in ranked]


def test_a_wider_run_is_a_hit_of_its_own() -> None:
    """A needle across a border puts the run of both passages before either."""
    runs = [found(1, 4, 10, 0)]
    ranked = order(runs, proofs={(1, 4): {(3, 4): frozenset({0})}})

    assert [(3, 4), (4, 4)] == [(one.first, one.last) for one in ranked]


@given(
    st.lists(
        st.tuples(
            st.integers(1, 5),
            st.integers(0, 9),
            st.floats(0.1, 50),
            st.sets(st.integers(0, 1)),
            st.booleans(),
        ),
        unique_by=lambda run: run[:2],
        max_size=20,
    )
)
def test_scores_never_rise_whatever_is_proved(
    drawn: list[tuple[int, int, float, set[int], bool]],
) -> None:
    """Proof only ever moves a run down, so nothing was shown too early."""
    runs = [found(v, o, score, *needles) for v, o, score, needles, _ in drawn]
    proofs = {
        (v, o): {(o, o): frozenset(needles)}
        for v, o, _, needles, holds in drawn
        if holds
    }
    ranked = order(runs, proofs=proofs)

    assert sorted(ranked) == ranked
    assert len(runs) == len(ranked)


# --- cursors -------------------------------------------------------------------------

BINDING = Binding(
    index_id="i", project_id="p", query="q", paths=("a\udcff/",), generation=3, build=1
)


def test_a_cursor_carries_its_position() -> None:
    """No cursor is the first page."""
    assert 0 == position_of(None, BINDING)
    assert 40 == position_of(token_at(BINDING, 40), BINDING)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("index_id", "j"),
        ("project_id", "o"),
        ("query", "r"),
        ("paths", ()),
        ("generation", 4),
        ("build", 2),
    ],
)
def test_a_cursor_of_another_state_is_stale(field: str, value: object) -> None:
    """Question, generation and build are all bound."""
    with pytest.raises(HsumError) as refused:
        position_of(token_at(BINDING, 40), attrs.evolve(BINDING, **{field: value}))

    assert "STALE_CURSOR" == refused.value.code


def test_what_is_no_cursor_is_an_argument() -> None:
    """Damage is told from staleness."""
    token = token_at(BINDING, 40)
    for wrong in ("", token[:-2], 7, token_at(BINDING, -1)):
        with pytest.raises(Fault, match="cursor") as refused:
            position_of(wrong, BINDING)  # type: ignore[arg-type]

        assert "INVALID_ARGUMENT" == refused.value.code
