"""What needs a word of confirmation, and how the refusal says so."""

from __future__ import annotations

import pytest

from hsum._kernel.faults import Fault
from hsum.index.guards import broad_root, confirm, large, mass_delete

HOME = b"/home/me"


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (b"/", True),
        (b"/home", True),
        (b"/home/me", True),
        (b"/home/me/code", False),
        (b"/home/me2", False),
        (b"/srv", False),
    ],
)
def test_broad_roots(root: bytes, *, expected: bool) -> None:
    """The disk, the home directory and what is above it are broad, nothing else."""
    assert expected == (broad_root(root, HOME) is not None)


def test_the_disk_is_broad_for_who_has_no_home() -> None:
    """Without a home directory `/` alone is broad."""
    assert broad_root(b"/", None) is not None
    assert broad_root(b"/home", None) is None


@pytest.mark.parametrize(
    ("documents", "dropped", "expected"),
    [
        (0, 0, False),
        (1, 1, True),
        (9, 8, False),
        (9, 9, True),
        (10, 2, False),
        (10, 3, True),
        (12, 3, False),
        (100_000, 1_000, False),
        (100_000, 1_001, True),
    ],
)
def test_mass_delete(documents: int, dropped: int, *, expected: bool) -> None:
    """Over a quarter of ten or more, over a thousand, or everything is a mass."""
    assert expected == (mass_delete(documents, dropped) is not None)


@pytest.mark.parametrize(
    ("files", "size", "expected"),
    [
        (50_000, 8 * 1024**3, False),
        (50_001, 0, True),
        (1, 8 * 1024**3 + 1, True),
    ],
)
def test_large(files: int, size: int, *, expected: bool) -> None:
    """More than 50,000 files or 8 GiB is large."""
    assert expected == (large(files, size) is not None)


def test_refusal_names_every_word_that_is_missing() -> None:
    """All guards that stand are refused at once, with what `allow` needs."""
    guards = [broad_root(b"/", None), mass_delete(10, 10), None, large(60_000, 1)]

    with pytest.raises(Fault) as caught:
        confirm(guards, ["large"])

    assert "CONFIRMATION_REQUIRED" == caught.value.code
    assert ["broad-root", "mass-delete"] == caught.value.details["allow"]
    assert "--allow broad-root --allow mass-delete" in caught.value.hint
    assert (10, "/") == (
        caught.value.details["dropped"],
        caught.value.details["root"],
    )


def test_words_that_were_given_let_pass() -> None:
    """Nothing is refused when every guard is named."""
    confirm([mass_delete(10, 10)], ["mass-delete", "large"])


def test_unknown_words_are_refused() -> None:
    """A word of `allow` that guards nothing is a mistake."""
    with pytest.raises(Fault) as caught:
        confirm([], ["everything"])

    assert "INVALID_ARGUMENT" == caught.value.code
