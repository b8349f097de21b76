"""Which index a call is about."""

from __future__ import annotations

import attrs
import pytest

from hsum._kernel.faults import Fault
from hsum._kernel.ids import SequentialIds
from hsum.trust.bindings import Binding
from hsum.trust.selection import Wish, choose

ids = SequentialIds("selection")
BOUND = Binding(ids(), "/src/a", "a", ids(), "default", ids(), "/data/a")
DOCS = attrs.evolve(BOUND, id=ids(), project="docs", project_id=ids())


def test_the_option_goes_before_the_environment_and_the_folder():
    """--index decides, whatever else is there."""
    wish = Wish("x", None, "y", "q")

    choice = choose(wish, (BOUND,), "/src/a")

    assert ("x", "q", "explicit") == (choice.index, choice.project, choice.selection)


def test_a_directory_as_option_is_selected_by_path():
    """A `/` makes it a directory, not a managed index's name."""
    assert "path" == choose(Wish("./x"), (), "/").selection


def test_the_environment_goes_before_the_folder():
    """HSUM_INDEX decides before the bindings do."""
    choice = choose(Wish(None, "p", "y", "q"), (BOUND,), "/src/a")

    assert ("y", "p", "environment") == (choice.index, choice.project, choice.selection)


def test_the_folder_selects_by_its_nearest_root():
    """In a bound root nothing need be said."""
    choice = choose(Wish(), (DOCS, BOUND), "/src/a/b")

    assert ("a", "default", BOUND) == (choice.index, choice.project, choice.binding)
    assert "trusted_root" == choice.selection


def test_the_only_bound_project_is_the_one_meant():
    """A root that is bound through one project alone selects it."""
    assert "docs" == choose(Wish(), (DOCS,), "/src/a").project


def test_a_project_can_be_named_without_an_index():
    """--project narrows what the folder selects."""
    choice = choose(Wish(project="docs"), (BOUND, DOCS), "/src/a")

    assert DOCS == choice.binding


def test_nothing_selected_is_not_found_and_says_how_to_begin():
    """Outside every bound root the way out is `hsum init`."""
    with pytest.raises(Fault) as caught:
        choose(Wish(), (BOUND,), "/elsewhere")

    assert "INDEX_NOT_FOUND" == caught.value.code
    assert "hsum init" in caught.value.hint


def test_two_indexes_of_one_root_are_never_guessed_between():
    """A root with two indexes asks which one is meant."""
    other = attrs.evolve(BOUND, id=ids(), index="b", data_path="/data/b")

    with pytest.raises(Fault) as caught:
        choose(Wish(), (BOUND, other), "/src/a")

    assert ("INVALID_ARGUMENT", {"indexes": ["a", "b"]}) == (
        caught.value.code,
        caught.value.details,
    )
