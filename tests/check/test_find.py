"""Every form of citation is found where it stands, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum.check.find import find
from tests.check.growth import growth

URI = (
    "hsum://v1/6ba7b810-9dad-41d1-80b4-00c04fd430c8/6ba7b811-9dad-41d1-80b4-00c04fd430c8"
    f"/6ba7b812-9dad-41d1-80b4-00c04fd430c8?rev={'a' * 64}#bytes=0-12"
)


@pytest.mark.parametrize(
    ("text", "raws"),
    [
        ("see src/a.py:12.", ["src/a.py:12"]),
        ("(src/a.py:12-34)", ["src/a.py:12-34"]),
        ("[x](../src/a.py#L12-L34)", ["../src/a.py#L12-L34"]),
        ("a.py#L7, b.c:9", ["a.py#L7", "b.c:9"]),
        ("`my notes/a b.md:3` too", ["my notes/a b.md:3"]),
        ("(src/my notes/a b.md:3)", ["src/my notes/a b.md:3"]),
        ("my notes/a.md:3", ["notes/a.md:3"]),
        ("src//x /a.py:3 and src/ b.py#L3", ["/a.py:3", "src/ b.py#L3"]),
        ("/a b:1 c/d.py:2 /etc/a b.md:3", ["c/d.py:2", "/etc/a b.md:3"]),
        ("a/b.py :1 c/:2 x:d.py:3", []),
        ("日本語.md:3", ["日本語.md:3"]),
        ("grep says a.py:12:5: error", ["a.py:12"]),
        (
            f"a.py:{'9' * 23} b.py#L1-L{'8' * 5000}",
            [f"a.py:{'9' * 23}", f"b.py#L1-L{'8' * 5000}"],
        ),
        ("Makefile:3 and docs/LICENSE:1", ["Makefile:3", "docs/LICENSE:1"]),
        (f"as <{URI}>, and", [URI]),
        (f"as {URI}.", [URI]),
        (f'"{URI}"', [URI]),
        ("hsum://v1/nonsense", ["hsum://v1/nonsense"]),
        ("// see src/a.rs:1-2", ["src/a.rs:1-2"]),
        ("at 12:30 on localhost:8080", []),
        ("http://example.com:80/a.py#L3 x", []),
        ("example.com:443 or 127.0.0.1:80", []),
        ("a.py:0 and a.py:007", []),
        ("ratio 3:4, std::vec", []),
    ],
)
def test_forms(text, raws):
    """The documented forms, in prose, links, comments and code spans."""
    assert raws == [one.raw for one in find(text)]


def test_a_known_file_is_a_citation_whatever_its_name():
    """A name without extension counts when the file exists."""
    assert ["run:3"] == [one.raw for one in find("see run:3", {"run"}.__contains__)]
    assert [] == find("see run:3")


def test_in_code_only_what_exists_is_cited():
    """Names with a colon and a number are common in code; files are not."""
    text = f"x = a.py:1  # see real.py:2, {URI} and hsum://v1/x"
    found = find(text, {"real.py"}.__contains__, prose=False)

    assert ["real.py:2", URI] == [one.raw for one in found]


@given(
    st.text()
    | st.lists(st.sampled_from(["a.py:1", URI, "`", "\n", " ", "(", "#L3", ":"])).map(
        "".join
    )
)
def test_a_citation_is_found_where_it_says(text):
    """Span, row and column name exactly the citation; none overlap."""
    at = 0
    for one in find(text):
        assert one.raw == text[one.start : one.end]
        assert one.start >= at
        at = one.end
        line = text.split("\n")[one.row - 1]
        assert line[one.column - 1 :].startswith(one.raw.split("\n")[0])


@pytest.mark.parametrize("text", ["`hsum://v1/...`", "hsum://v1/<index_id>", "hsum://"])
def test_what_names_nothing_is_no_citation(text):
    """Prose about citations can show their form."""
    assert [] == find(text)


_WORDS = st.text("aé1._+-~@", min_size=1, max_size=4)
_PARTS = st.lists(_WORDS, min_size=1, max_size=3).map(" ".join)
_PATHS = st.builds(
    lambda first, parts: "/".join([first, *parts]),
    st.sampled_from(["", ".", ".."]) | _WORDS,
    st.tuples(_WORDS, st.lists(_PARTS, max_size=4)).map(
        lambda drawn: [drawn[0], *drawn[1]]
    ),
)


@given(_PATHS, st.sampled_from([":3", ":3-5", "#L3", "#L3-L5"]), _WORDS)
def test_a_path_in_a_folder_may_have_blanks(path, anchor, word):
    """Only the first part of a path has none; so words before it do not belong to it."""
    found = find(f"{word} ({word} {path}{anchor}, {word}", lambda _path: True)

    assert [path + anchor] == [one.raw for one in found]


_TEXTS = st.lists(
    st.sampled_from(["a.py:1", "b/c", " ", "/", "`", ":2", "#L3", "-", "(", URI])
).map("".join)


@given(st.lists(_TEXTS))
def test_what_is_found_in_a_line_does_not_hang_on_other_lines(lines):
    """The citations of a text are those of its lines."""
    alone = [one.raw for line in lines for one in find(line)]

    assert alone == [one.raw for one in find("\n".join(lines))]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (lambda n: "a/b " * n, 4_000),
        (lambda n: "a/b " * n + ":1", 4_000),
        (lambda n: "a//b " * n + ":x", 4_000),
        (lambda n: "/ " * n + "b:1", 8_000),
        (lambda n: "src/a.py:1 " * n, 200),
        (lambda n: "`src/a.py:1` " * n, 150),
        (lambda n: "hsum://a " * n, 300),
        (lambda n: "`a " * n, 3_000),
        (lambda n: "a." * n + "b:1", 4_000),
        (lambda n: "a:" + "1" * n + "x", 8_000),
        (lambda n: "a:1-" * n, 3_000),
    ],
)
def test_finding_takes_time_in_proportion_to_the_text(text, size):
    """However long a line is, and however many citations it has."""
    assert growth(find, text, size) < 9
