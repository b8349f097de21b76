"""The laws of cutting text into words."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hythe.observe.words import document, expression, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sched_setaffinity", ["sched", "setaffinity"]),
        ("DEC-0054", ["dec", "0054"]),
        ("a::b::GetThing", ["a", "b", "getthing"]),
        ("café naïve", ["cafe", "naive"]),
        ("云工开物", ["云工", "工开", "开物"]),
        ("初", ["初"]),
        ("ﾊﾝｶｸ", ["ハン", "ンカ", "カク"]),
        ("초과근무OvertimeService", ["초과", "과근", "근무", "overtimeservice"]),
        ("x" * 200, ["x" * 128]),
        ("。、!?\x00", []),
        ("🚀 launch", ["🚀", "launch"]),
        ("ℂ ℾ 𝐀b ™", ["c", "γ", "ab", "tm"]),
    ],
)
def test_words_are_cut_per_script_and_folded(text, expected):
    """Each script is cut in its own way, case and marks are folded."""
    found = words(text)

    assert expected == found


def test_parts_of_camel_case_stand_at_the_end():
    """The parts of a camelCase name are words of the document too, after the others."""
    found = document("see getUserById2 here")

    assert "see getuserbyid2 here get user by id 2" == found


def test_a_query_without_a_word_has_no_expression():
    """Punctuation alone asks for nothing."""
    assert expression('" -- * ( )') is None


def _matches(text: str, query: str) -> bool:
    conn = sqlite3.connect(":memory:")
    conn.execute("create virtual table t using fts5(body, tokenize='ascii')")
    conn.execute("insert into t values (?)", (document(text),))
    found = conn.execute("select 1 from t where t match ?", (expression(query),))
    matched = found.fetchone() is not None
    conn.close()
    return matched


@given(st.text(min_size=1, max_size=60))
def test_every_text_finds_itself(text):
    """A text with a word is found by itself, and no text is taken for FTS syntax."""
    asked = expression(text)

    assert asked is None or _matches(text, text)


@pytest.mark.parametrize("part", ["云", "工开", "开物", "物", "工开物"])
def test_every_part_of_an_unspaced_run_is_found(part):
    """One or more characters inside a run of Chinese find it."""
    assert _matches("云工开物", part)


@pytest.mark.parametrize(
    "query",
    ['say "hi', "foo AND bar", "(python", "y+(y+25)", "--flag", "a NEAR b", "body:x*"],
)
def test_operators_are_words(query):
    """What FTS5 would take as syntax is looked up as words."""
    assert _matches(f"there was {query} in it", query)
