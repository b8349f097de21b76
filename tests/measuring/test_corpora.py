"""Parts of a corpus are the same files everywhere, and a copy leaves the corpus alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.corpora import Corpus, Here, drawn

_NAMES = st.lists(st.text("abc/", min_size=1).map(Path), unique=True)


@given(_NAMES, st.randoms(), st.integers(0, 20))
def test_a_part_does_not_depend_on_order(names, chance, most):
    """Whatever order a disk lists the files in, the same ones are drawn."""
    mixed = list(names)
    chance.shuffle(mixed)

    assert drawn(names, most) == drawn(mixed, most)
    assert min(most, len(names)) == len(drawn(names, most))


@given(_NAMES, st.integers(0, 20), st.integers(0, 20))
def test_a_small_part_is_in_a_large_one(names, one, other):
    """What stands in fewer files stands in more of them."""
    few, many = sorted((one, other))

    assert set(drawn(names, few)) <= set(drawn(names, many))


def test_a_part_comes_from_all_over_the_tree():
    """No folder is left out because of its name."""
    names = [Path(f"{folder}/{at}") for folder in "abcd" for at in range(100)]

    assert set("abcd") == {name.parts[0] for name in drawn(names, 40)}


@pytest.fixture
def corpus(tmp_path):
    """Three files in two folders, and what git keeps."""
    for name in ("a.txt", "b/c.txt", "b/d.txt", ".git/config"):
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    return Corpus("three", tmp_path / "root")


@pytest.mark.parametrize(("most", "expected"), [(None, 3), (2, 2), (9, 3)])
def test_a_copy_has_the_files_of_the_corpus(corpus, most, expected):
    """A copy has the asked number of files, with their bytes, and goes afterwards."""
    with corpus.copied(most=most) as top:
        found = [path for path in top.rglob("*") if path.is_file()]
        names = [path.relative_to(top).as_posix() for path in found]

        assert expected == len(found)
        assert names == [path.read_text(encoding="utf-8") for path in found]
    assert not top.exists()


def test_replacing_a_file_of_a_copy_leaves_the_corpus(corpus):
    """Files are linked, so that a change is a new file."""
    with corpus.copied() as top:
        path = top / "a.txt"
        path.unlink()
        path.write_text("changed", encoding="utf-8")

    assert "a.txt" == (corpus.root / "a.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("size", "smoke", "expected"),
    [
        ("smoke", True, (1, 1)),
        ("small", False, (5, 5)),
        ("medium", False, (5, 2)),
        ("large", False, (5, 2)),
    ],
)
def test_what_takes_minutes_is_measured_less_often(tmp_path, size, smoke, expected):
    """Five times as a rule, twice where one round takes minutes, once for CI."""
    here = Here(size, tmp_path, smoke=smoke)

    assert expected == (here.times, here.few_times)


def test_a_missing_corpus_says_how_to_give_it(tmp_path):
    """The option to use is in the message."""
    with pytest.raises(FileNotFoundError, match="--large"):
        Here("large", tmp_path, large=tmp_path / "none").corpus()
