"""How a query is read, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum.errors import HsumError, InvalidInput
from hsum.retrieve.query import MAX_BYTES, MAX_NEEDLES, STOP_WORDS, parse


def needles(text: str) -> list[tuple[str, str]]:
    return [(needle.kind, needle.text) for needle in parse(text).needles]


@pytest.mark.parametrize(
    "name",
    [
        "foo::bar",
        "src/lib.rs",
        "--flag",
        "-foo",
        "HTTPServer.handle_request",
        ".env",
        "C++",
        "C#",
        ".NET",
        "snake_case",
        "camelCase",
        "DEC-0054",
        "38.101",
        "a002",
        "https://website.org",
        "y+(y+25)",
        "self->x",
        "foo[0]",
        "<div>",
    ],
)
def test_identifiers_are_needles_as_they_are_written(name: str) -> None:
    """What looks like an identifier is looked for exactly, punctuation and all."""
    assert [("identifier", name)] == needles(name)


@pytest.mark.parametrize(
    "text", ["don't", "(python", "(a OR", "foo AND bar", "中文合約", "a - b", "300 元"]
)
def test_words_are_no_needles(text: str) -> None:
    """Plain words, apostrophes and stray punctuation ask for nothing exact."""
    assert [] == needles(text)


def test_the_punctuation_of_a_sentence_is_no_part_of_a_name() -> None:
    """Commas, brackets and quotes around a name are dropped, its own are kept."""
    found = needles("(see HTTPServer.handle_request, 'foo_bar' or [a-b].)")

    assert [
        ("identifier", "HTTPServer.handle_request"),
        ("identifier", "foo_bar"),
        ("identifier", "[a-b]"),
    ] == found


def test_a_call_asks_for_the_name_as_well() -> None:
    """`run()` is written for the function `run`."""
    assert [("identifier", "run()"), ("identifier", "run")] == needles("run()")


def test_words_between_backticks_are_identifiers() -> None:
    """Markdown's code marks say that a plain word is a name."""
    assert ("identifier", "fspath") in needles("drop the `fspath` argument")


def test_quoted_phrases_come_first() -> None:
    """A pair of double quotes marks a phrase, white space inside and all."""
    query = parse('x_y "cancel  scope" z')

    assert ("phrase", "cancel  scope") == (query.needles[0].kind, query.needles[0].text)
    assert ("x_y", "z", "cancel", "scope") == query.words


def test_punctuation_alone_is_a_needle() -> None:
    """A query without a letter or digit is looked for as it stands."""
    assert [("identifier", ">>>")] == needles(">>>")


def test_a_code_span_does_not_reach_across_a_phrase() -> None:
    """What is looked for exactly stands in the query as it is looked for."""
    text = 'foo`aa b"1) --flag=1"1r` C'

    assert all(needle.text in text for needle in parse(text).needles)


def test_two_quotes_directly_after_a_word_open_no_phrase() -> None:
    """`adapter""` is a word and a slip, not an empty phrase."""
    assert [("identifier", "usb-c")] == needles('devices usb-c adapter""')


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("", "QUERY_EMPTY", 1),
        (" \t\n\u3000", "QUERY_EMPTY", 1),
        ("a\0b", "QUERY_NUL", 2),
        ("é\ud800", "QUERY_INVALID_TEXT", 2),
        ('say "hi', "QUERY_UNCLOSED_QUOTE", 5),
        ('"say ""', "QUERY_UNCLOSED_QUOTE", 7),
        ('foo"bar', "QUERY_UNCLOSED_QUOTE", 4),
        ('""', "QUERY_EMPTY_QUOTE", 1),
        ('é ""', "QUERY_EMPTY_QUOTE", 3),
        ('x "  " y', "QUERY_EMPTY_QUOTE", 3),
        ("x" * (MAX_BYTES + 1), "QUERY_TOO_LONG", MAX_BYTES + 1),
        ("é" * 2_049, "QUERY_TOO_LONG", 2_049),
    ],
)
def test_a_refusal_names_the_column(text: str, code: str, column: int) -> None:
    """Each refusal has its code and the character, from 1, where it goes wrong."""
    with pytest.raises(InvalidInput) as refused:
        parse(text)

    assert (code, column) == (refused.value.code, refused.value.details["column"])
    assert f"column {column} " in refused.value.message


def test_the_longest_query_is_taken() -> None:
    """4,096 bytes of UTF-8 are a query."""
    assert MAX_BYTES == len(parse("é" * 2_048).text.encode())


def test_only_text_is_a_query() -> None:
    """Anything but text is an invalid argument."""
    with pytest.raises(InvalidInput) as refused:
        parse(7)

    assert "INVALID_ARGUMENT" == refused.value.code


def test_needles_beyond_the_cap_are_owned_up_to() -> None:
    """A query with more needles than are looked for says that it was cut."""
    query = parse(" ".join(f"a_{number}" for number in range(MAX_NEEDLES + 1)))

    assert (MAX_NEEDLES, True) == (len(query.needles), query.cut)


@given(st.text(st.characters(exclude_characters='"\0', exclude_categories=["Cs"])))
def test_every_other_text_is_a_query(text: str) -> None:
    """Without quotes, NUL and surrogates only blank or long texts are refused."""
    if text.strip() and len(text.encode()) <= MAX_BYTES:
        assert text == parse(text).text
    else:
        with pytest.raises(HsumError):
            parse(text)


@given(st.text('ab "._-', max_size=12))
def test_quotes_pair_from_left_to_right(text: str) -> None:
    """An odd number of quotes is refused, or an empty one before it."""
    if text.count('"') % 2:
        with pytest.raises(InvalidInput) as refused:
            parse(text)

        assert refused.value.code in {"QUERY_UNCLOSED_QUOTE", "QUERY_EMPTY_QUOTE"}


def test_stop_words_are_tokens() -> None:
    """Stop words are spelled as the index spells its tokens."""
    from hsum.index.lexical import analyze

    assert [(word,) for word in sorted(STOP_WORDS)] == [
        tuple(token.text for token in analyze(word)) for word in sorted(STOP_WORDS)
    ]
