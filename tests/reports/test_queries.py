"""Queries that other tools refuse, misread or answer with the wrong files."""

from __future__ import annotations

from pathlib import Path

import pytest

import hsum
from hsum.errors import HsumError
from tests.reports.trees import found, indexed

NOISE: dict[str, str | bytes] = {
    f"noise/{n}.txt": f"c net multi agent ask grammar value foo bar number {n}\n"
    for n in range(30)
}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("grammar::fa", "use grammar::fa here\n"),
        ("ubuntu 20.04", "runs on ubuntu 20.04 only\n"),
        ("38.101", "see TS 38.101 for radio\n"),
        ("multi-agent", "a multi-agent system\n"),
        ("ask-codex", "run ask-codex now\n"),
        ("DEC-0054", "decided in DEC-0054 last year\n"),
        ("https://website.org", "go to https://website.org today\n"),
        (">>>", ">>> print(1)\n"),
        ('devices usb-c adapter""', "devices: a usb-c adapter\n"),
        ("y+(y+25)", "solve y+(y+25)=75\n"),
        ("--flag", "pass --flag to it\n"),
        ("-foo", "pass -foo to it\n"),
        ("C++", "written in C++ then\n"),
        ("C#", "written in C# then\n"),
        (".NET", "runs on .NET then\n"),
        ("a::b::GetThing", "int a::b::GetThing();\n"),
        ("foo AND bar", "foo AND bar, as logic\n"),
        ("(python", "call (python now\n"),
    ],
)
def test_what_is_written_is_found_first(tmp_path: Path, query: str, text: str) -> None:
    """Punctuation is part of a name, never an operator; the exact text ranks first."""
    index = indexed(tmp_path / "tree", {**NOISE, "hit.txt": text})

    assert "hit.txt" == found(index, query)[0]


@pytest.mark.parametrize(
    ("query", "code", "column"),
    [
        ('say "hi', "QUERY_UNCLOSED_QUOTE", 5),
        ('""', "QUERY_EMPTY_QUOTE", 1),
    ],
)
def test_a_quote_without_an_end_or_words_is_named(
    tmp_path: Path, query: str, code: str, column: int
) -> None:
    """The unclosed and the empty quote are refused with their column."""
    index = indexed(tmp_path / "tree", {"a.txt": "say hi\n"})
    with pytest.raises(HsumError) as refused:
        index.search(query)

    assert (code, column) == (refused.value.code, refused.value.details["column"])


@pytest.mark.parametrize("query", ["--flag", "-foo"])
def test_a_dash_negates_nothing(tmp_path: Path, query: str) -> None:
    """A flag that stands nowhere does not bring all that lacks it."""
    index = indexed(tmp_path / "tree", {f"{n}.txt": "plain words\n" for n in range(5)})

    assert [] == found(index, query)


@pytest.mark.parametrize("query", [">>>", "->", "&&"])
def test_an_operator_beside_a_word_character_is_not_found_alone(
    tmp_path: Path, query: str
) -> None:
    """Operators are found as `rg -Fw` finds them: apart, or with what they join."""
    files = {"apart.txt": f"x {query} y\n", "joined.txt": f"a{query}b\n"}
    index = indexed(tmp_path / "tree", {**files, "none.txt": "a b\n"})

    assert ["apart.txt"] == found(index, query)
    assert "joined.txt" == found(index, f"a{query}b")[0]


@pytest.mark.parametrize(
    ("query", "first"),
    [("user", "by_id.ts"), ("html response", "parse.ts"), ("a002", "rules.md")],
)
def test_a_part_finds_its_compound(tmp_path: Path, query: str, first: str) -> None:
    """Parts of camelCase and of hyphenated ids are words."""
    index = indexed(tmp_path / "tree", COMPOUNDS)

    assert first == found(index, query)[0]


COMPOUNDS: dict[str, str | bytes] = {
    "by_id.ts": "export function getUserById(key) {}\n",
    "parse.ts": "export function parseHTMLResponse(text) {}\n",
    "rules.md": "RULE-A002 forbids it\n",
    "parts.ts": "// get the thing by its id; parse what comes\n",
}


def test_the_whole_compound_ranks_above_its_parts(tmp_path: Path) -> None:
    """`getUserById` as written comes before a file that has all its parts."""
    files = {**COMPOUNDS, "words.ts": "// get user by id, get user by id\n"}
    index = indexed(tmp_path / "tree", files)

    assert "by_id.ts" == found(index, "getUserById")[0]


def test_an_absent_segment_costs_score_and_not_the_answer(tmp_path: Path) -> None:
    """One Chinese word that is not there leaves a partial match, ranked lower."""
    index = indexed(
        tmp_path / "tree",
        {"part.txt": "云工开物 300 元学生券\n", "whole.txt": "云工开物 优惠券\n"},
    )
    hits = index.search("云工开物 优惠券")

    assert ["whole.txt", "part.txt"] == [hit.path for hit in hits]
    assert hits[0].score > hits[1].score > 0


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("초과근무OvertimeService", "초과근무"),
        ("초과근무OvertimeService", "OvertimeService"),
        ("초과근무OvertimeService", "overtime"),
        ("ﾊﾝｶｸカナ", "ﾊﾝｶｸ"),
        ("㐀㐁㐂", "㐀㐁"),
        ("㐀㐁㐂", "㐁㐂"),
        ("\uf900\uf901 compat", "\uf900\uf901"),
        ("café naïve", "café"),
        ("café naïve", "naive"),
    ],
)
def test_each_script_is_split_in_its_own_way(
    tmp_path: Path, text: str, query: str
) -> None:
    """Nothing outside ASCII is dropped, and no run of two scripts is one word."""
    index = indexed(tmp_path / "tree", {**NOISE, "hit.txt": text + "\n"})

    assert ["hit.txt"] == found(index, query)


def test_a_token_beyond_every_limit_hides_nothing_behind_it(tmp_path: Path) -> None:
    """What follows 70,000 letters without a break is found."""
    ordinary = "an ordinary line of a log\n" * 3_000
    index = indexed(
        tmp_path / "tree", {"a.log": ordinary + "x" * 70_000 + " tail\n" + ordinary}
    )

    assert [("a.log", (3_001, 3_001))] == [
        (hit.path, hit.lines) for hit in index.search("tail")
    ]


def test_a_file_that_is_one_endless_line_is_told_by_its_reason(tmp_path: Path) -> None:
    """A file that 70,000 letters make up is generated, whatever its other lines are."""
    text = "an ordinary line\n" * 1_000 + "x" * 70_000 + " tail\n"
    index = indexed(tmp_path / "tree", {"a.txt": text})

    assert [("a.txt", "generated", "long lines")] == [
        (skip.path, skip.reason, skip.detail) for skip in index.skipped()
    ]
    assert 1 == index.search("tail").searched.skipped["generated"]


def test_a_word_of_most_files_still_scores(tmp_path: Path) -> None:
    """A term of two among three files scores above zero, in a stable order."""
    index = indexed(
        tmp_path / "tree",
        {"a.txt": "term one\n", "b.txt": "term two\n", "c.txt": "other\n"},
    )
    hits = index.search("term")

    assert ["a.txt", "b.txt"] == [hit.path for hit in hits]
    assert all(hit.score > 0 for hit in hits)


def test_a_name_inside_nested_namespaces_is_found(tmp_path: Path) -> None:
    """Where `a::b::GetThing` is not written out, `GetThing` is the hit."""
    text = "namespace a {\nnamespace b {\nThing GetThing() { return {}; }\n}\n}\n"
    index = indexed(tmp_path / "tree", {**NOISE, "thing.cc": text})

    assert "thing.cc" == found(index, "a::b::GetThing")[0]
    assert "thing.cc" == found(index, "GetThing")[0]


def test_completeness_speaks_of_what_was_searched(tmp_path: Path) -> None:
    """A sentinel in ignored, hidden and excluded files is counted out, by reason."""
    text = "SENTINEL_7 stands here\n"
    files: dict[str, str | bytes] = {f"in/{n}.txt": text for n in range(8)}
    files |= {f"ignored/{n}.txt": text for n in range(3)}
    files |= {".hidden.txt": text, "excluded/a.txt": text, "excluded/b.txt": text}
    files |= {".env": text, ".gitignore": "ignored/*\n"}  # hidden as well
    for name in files:
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(files[name]) + (name if "in/" in name else ""))
    index = hsum.in_memory()
    index.ingest(tmp_path / "tree", exclude=["excluded/*"])
    hits = index.search("SENTINEL_7", limit=100)

    assert 8 == len({hit.path for hit in hits if hit.ranks.exact})
    assert "unique_exhausted" == hits.stop_reason
    assert {"ignored": 3, "hidden": 2, "excluded": 2, "secret": 1} == {
        reason: count
        for reason, count in hits.searched.skipped.items()
        if count and reason in {"ignored", "hidden", "excluded", "secret"}
    }
