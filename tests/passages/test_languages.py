"""The path names the language, and where it does not, the first bytes do."""

from __future__ import annotations

import pytest

from hsum.index.grammars import LANGUAGES
from hsum.index.headings import HEADINGS
from hsum.index.languages import Language, language_of


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (b"a.py", ("python", "code")),
        (b"deep/er/A.PYI", ("python", "code")),
        (b"kernel/sched.c", ("c", "code")),
        (b"a.hpp", ("cpp", "code")),
        (b"Makefile", ("make", "code")),
        (b"Makefile.am", ("make", "code")),
        (b"CMakeLists.txt", ("cmake", "code")),
        (b"README", ("text", "prose")),
        (b"README.md", ("markdown", "prose")),
        (b"docs/index.rst", ("rst", "prose")),
        (b"pyproject.toml", ("toml", "config")),
        (b".gitignore", ("ignore", "config")),
        (b"a.json", ("json", "data")),
        (b"no\xff.go", ("go", "code")),
    ],
)
def test_the_name_decides(path, expected):
    """A known file name or extension names language and kind, whatever the case."""
    assert Language(*expected) == language_of(path)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"#!/bin/sh -e\n", "shell"),
        (b"#!/usr/bin/env python3\n", "python"),
        (b"#!/usr/bin/env -S node --flag\n", "javascript"),
        (b"#! /usr/bin/python3.11 -I\n", "python"),
        (b"\xef\xbb\xbf#!/usr/bin/ruby\n", "ruby"),
        (b"#!/opt/unknown\n", "code"),
        (b"if (a[i] == b{c}) { return f(x); }\n", "code"),
        (b"The quick brown fox, and so on. Is it?\n", "text"),
        ("Зоны и проекты.\n".encode(), "text"),
        (b"", "text"),
    ],
)
def test_the_first_bytes_decide_where_the_name_does_not(head, expected):
    """A `#!` line names the language, else the look tells code from prose."""
    assert expected == language_of(b"bin/tool", head).name


def test_every_grammar_belongs_to_a_language():
    """No grammar is out of reach."""
    from hsum.index import languages

    assert {*LANGUAGES, *HEADINGS} <= set(languages._BY_NAME)
