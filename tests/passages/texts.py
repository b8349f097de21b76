"""Strategies of file contents that are hard to cut."""

from __future__ import annotations

from hypothesis import strategies as st

_LINES = st.sampled_from(
    [
        b"",
        b"def f(x):",
        b"    return x",
        b"class A:",
        b"    async def m(self):",
        b"@decorated",
        b'"""',
        b"'''quoted",
        b"# Heading",
        b"```",
        b"~~~ sh",
        b"int main(void) {",
        b"}",
        b"/* comment",
        b" */",
        b"#define ONE 1",
        b"[section]",
        b"x" * 700,
        b"word " * 500,
        "Straße 東京 한국어 ".encode() * 40,
        b"\xff\xfe\x80\x81",
        b"\0",
        b"\t\x0b\x0c\xc2\x85\xe2\x80\xa8",
    ]
)
_ENDS = st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n", b""])
_LINE = st.tuples(_LINES, _ENDS).map(b"".join)

CONTENTS = st.one_of(
    st.lists(_LINE, max_size=40).map(b"".join),
    st.binary(max_size=6_000),
    st.tuples(st.binary(max_size=40), st.integers(1, 300)).map(lambda p: p[0] * p[1]),
)
PATHS = st.sampled_from(
    [
        b"a.py",
        b"a.c",
        b"a.cpp",
        b"a.js",
        b"a.go",
        b"A.java",
        b"a.md",
        b"a.rst",
        b"a.html",
        b"a.toml",
        b"a.txt",
        b"Makefile",
        b"nameless",
    ]
)
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "unknown-8bit"])
