"""Every block of every page runs, and shows what really comes."""

from __future__ import annotations

import contextlib
import io
import json
import shutil

import pytest

from tests.docs import places, running
from tests.docs.pages import (
    DOCS,
    FENCE,
    GENERATED,
    NAMES,
    ROOT,
    Block,
    blocks,
    text_of,
)
from tests.docs.running import Follower, assert_shown, look_through

# The only blocks that are not run, by a line of them, and why.
NOT_RUN = {
    "CONTRIBUTING.md": {
        "PYTHON=.venv/bin/python .ci/run lint": "it runs these very tests"
    },
    "README.md": {"-m coverage run -m pytest": "it runs these very tests"},
}
# Their blocks are the code's own words; test_examples runs the examples in them.
MADE = [f"docs/reference/{name}" for name in GENERATED]
WITH_BLOCKS = [name for name in NAMES if blocks(name) and name not in MADE]
NOTEBOOKS = sorted(path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.ipynb"))


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A home of its own with a small tree, and the programs."""
    made = places.make(tmp_path)
    for name in running.foreign():
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(made.home))
    return made


def reason(block):
    """Say why a block is not run."""
    for line, why in NOT_RUN.get(block.page, {}).items():
        if line in block.body:
            return why
    return None


@pytest.mark.parametrize("name", WITH_BLOCKS)
def test_a_page_can_be_followed(place, name):
    """Each block runs after those above it, and prints what is shown below it."""
    if ".git" in text_of(name) and shutil.which("git") is None:
        pytest.skip("needs git")
    follower = Follower(name, place)
    with contextlib.closing(follower.shell):
        for block in blocks(name):
            look_through(block) if reason(block) else follower.follow(block)
        follower.end()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(place, name, monkeypatch):
    """Its cells run from the first to the last."""
    monkeypatch.chdir(place.home)
    names = {}
    cells = json.loads(text_of(name))["cells"]
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in cells:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), name, "exec"), names)

    assert names


@pytest.mark.parametrize("name", NAMES)
def test_no_block_escapes(name):
    """Every fence of a page belongs to a block that has a language."""
    assert len(FENCE.findall(text_of(name))) == 2 * len(blocks(name))


def test_every_exception_is_needed():
    """What is not run is still on its page."""
    kept = {
        (name, why)
        for name in NOT_RUN
        for block in blocks(name)
        if (why := reason(block))
    }

    assert {
        (name, why) for name, lines in NOT_RUN.items() for why in lines.values()
    } == kept


def test_every_file_of_a_page_is_used():
    """A file that a page writes is named by another block, or collected by pytest."""
    for name in WITH_BLOCKS:
        written = [block for block in blocks(name) if block.word == "file"]
        for block in written:
            stem = block.value.partition(".")[0]
            others = "".join(b.body for b in blocks(name) if b != block)
            assert stem == "conftest" or stem.startswith("test_") or stem in others


def block(body, language="text", word="", value=""):
    return Block("page.md", 1, language, body, word, value)


@pytest.mark.parametrize(
    ("language", "body"),
    [
        ("sh", "false; true\n"),
        ("python", "1 / 0\n"),
        ("yaml", "a: 1\n"),
        ("text", "no\n"),
    ],
)
def test_a_block_that_does_not_hold_is_noticed(place, language, body):
    """A failure, a language that nothing runs, an output that did not come."""
    follower = Follower("README.md", place)
    with (
        contextlib.closing(follower.shell),
        pytest.raises((AssertionError, ZeroDivisionError)),
    ):
        follower.follow(block(body, language))


@pytest.mark.parametrize(
    ("shown", "came"),
    [
        ("a\n", "a\n"),
        ("a ...\n", "a b c\n"),
        ("...\nc\n", "a\nb\nc\n"),
        ("a\n...\nc\n", "a\nc\n"),
        (
            "r1 1735365f-048b-491d-ba9e-6ec3144a882a\n",
            "r1 f39d777e-9e09-41da-8f71-89573a2c0de3\n",
        ),
    ],
)
def test_what_is_left_out_may_be_anything(shown, came):
    """Dots stand for the rest of a line, or for lines; an id for any other."""
    assert_shown(block(shown), came)


@pytest.mark.parametrize(
    ("shown", "came"),
    [("a\n", "a\nb\n"), ("b\n", "a\nb\n"), ("a...\n", "a\nb\n"), ("a.c", "abc")],
)
def test_nothing_else_may_differ(shown, came):
    """What is shown is all that came, letter by letter."""
    with pytest.raises(AssertionError):
        assert_shown(block(shown), came)
