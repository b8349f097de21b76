"""The needles of the benchmark of exact search, and what is counted of them."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest

import hsum
from benchmarks.exactness import Judge, quoted
from benchmarks.samples import crossing, identifiers, phrases

FILES, PASSAGES = 11, 100
ODD = ("a*b.txt", "[c].txt", "#d.txt", "!e.txt", "f g.txt ", "deep/h?.txt", "i\\j.txt")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "deep").mkdir(parents=True)
    for at in range(FILES):
        lines = (f"needle {at} {n}\n{'filler ' * 170}\n" for n in range(PASSAGES))
        (root / f"many{at}.txt").write_text("".join(lines), encoding="utf-8")
    for number, name in enumerate(ODD):
        text = f"{'other words ' * 100}needle in place {number}\n"
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is the oracle")
def test_a_needle_beyond_the_reach_of_pages_is_counted(root: Path) -> None:
    """What a thousand hits do not reach is found by path; each citation is read."""
    with hsum.in_memory() as index:
        index.ingest(root)
        judge = Judge(index, root)
        tally = judge.tally(map(quoted, ["needle", "nowhere at all"]), 2)

    files = FILES + len(ODD)
    assert (1, files, files) == (tally.needles, tally.named, tally.found)
    assert (0, 0) == (tally.false, tally.lacking)
    assert tally.cited >= 1_000


@pytest.mark.parametrize("draw", [identifiers, phrases])
def test_needles_are_drawn_until_there_are_no_more(draw) -> None:
    """Each comes once, the same in every run, and the last is followed by an end."""
    sources = ["one two three\n", "two three four\n"]
    drawn = list(draw(sources))

    assert len(drawn) == len(set(drawn))
    assert drawn == list(draw(sources))
    assert {"one", "two", "three", "four"} == set(" ".join(drawn).split())


def test_a_phrase_across_passages_stands_as_in_the_file(root: Path) -> None:
    """It holds the end of the line too, and is cited by two passages at least."""
    with hsum.in_memory() as index:
        index.ingest(root)
        (phrase,) = itertools.islice(crossing(index, root), 1)
        hit = index.search(f'"{phrase}"')[0]
        whole = (root / hit.path).read_text(encoding="utf-8")

    assert phrase in whole
    assert "\n" in phrase
    assert phrase in hit.text
    assert hit.lines[1] - hit.lines[0] >= 1
