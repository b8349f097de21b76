"""Every form of citation is found where it stands, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum.check.find import find

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
