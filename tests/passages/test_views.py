"""What the lexical index is given of a text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum.index.views import bigrams, parts, path_words, view

_WORDS = st.lists(
    st.sampled_from(
        [
            "plain",
            "getUserById",
            "HTTPServer",
            "parseHTMLResponse",
            "snake_case",
            "utf8Decoder",
            "0xFFUL",
            "café",
            "café",
            "東京tower",
            "ﾊﾝｶｸ",
            "ｶﾞ",
            "초과근무Overtime",
            "㐀㐁㐂",
            "豈",
            "X",
            "C++",
            "ÀÉlan",
        ]
    ),
    max_size=6,
).map(" ".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain ASCII stays", "plain ASCII stays"),
        ("cafe\u0301", "caf\u00e9"),
        ("초과근무OvertimeService", "초과근무 OvertimeService"),
        ("東京tower2東京", "東京 tower2 東京"),
        ("東京_x", "東京 _x"),
        ("「東京」、です。", "「東京」、です。"),
        ("é", "é"),
    ],
)
def test_view_separates_scripts(text, expected):
    """The view is in NFC, with a space where Han, Kana or Hangul meet the rest."""
    assert expected == view(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("latin only é", ""),
        ("云", "云"),
        ("云工开物 300 元", "云 云工 工 工开 开 开物 物 元"),
        ("ﾊﾝｶｸ", "ハ ハン ン ンカ カ カク ク"),
        ("ｶﾞｷﾞ", "ガ ガギ ギ"),
        ("㐀㐁", "㐀 㐀㐁 㐁"),
        ("\uf900", "豈"),
        ("𠀀𠀁", "𠀀 𠀀𠀁 𠀁"),
        ("초과abc", "초 초과 과"),
    ],
)
def test_bigrams_give_characters_and_pairs(text, expected):
    """Each run gives its characters and its pairs, in their order."""
    assert expected == bigrams(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserById", "get user by id"),
        ("parseHTMLResponse", "parse html response"),
        ("HTTPServer.handle_request", "http server"),
        ("utf8Decoder sha256Hash", "utf8 decoder sha256 hash"),
        ("get_userName", "user name"),
        ("snake_case CAPITALS Capital lower", ""),
        ("0xFFUL 0x1Fab 10L NFS4ERR_IO E2BIG", ""),
        ("userID2 XMLHttpRequest", "user id2 xml http request"),
        ("iPhone été", "i phone"),
        ("aB", "a b"),
        ("𠀀 fooBar 東京fooBar", "foo bar foo bar"),
    ],
)
def test_parts_of_compounds(text, expected):
    """Compound words are parted at their humps, other words are left out."""
    assert expected == parts(text)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (b"hsum/index/passages.py", "hsum index passages py"),
        (b"src/HTTPServer.java", "src httpserver java http server"),
        (b"my-file_name (2).md", "my file name 2 md"),
        ("Зоны и проекты.md".encode(), "зоны и проекты md"),
        ("re\u0301sume\u0301.txt".encode(), "r\u00e9sum\u00e9 txt"),
        ("東京guide.md".encode(), "東京 guide md"),
        (b"bad\xffname", "bad name"),
        (b"", ""),
    ],
)
def test_path_words(path, expected):
    """A path gives its words, and the parts of its compounds."""
    assert expected == path_words(path)


@given(_WORDS, _WORDS, _WORDS, st.sampled_from([view, bigrams, parts]))
def test_views_are_local(before, text, after, look):
    """The view of a text holds the view of each part between word borders."""
    whole = look(f"{before} {text} {after}").split()
    part = look(text).split()
    size = len(part)

    assert any(part == whole[at : at + size] for at in range(len(whole) - size + 1))


@given(st.text(), st.sampled_from([view, bigrams, parts]))
def test_views_take_any_text(text, look):
    """Every text has a view, and it is in NFC."""
    seen = look(text)

    assert seen == unicodedata.normalize("NFC", seen)


@given(st.text())
def test_view_keeps_every_character(text):
    """The view only composes and adds spaces."""
    composed = unicodedata.normalize("NFC", text)

    assert composed.replace(" ", "") == view(text).replace(" ", "")
