"""Names of managed indexes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum._kernel.faults import Fault
from hsum.trust.naming import check_name, folder_name, free_name


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("trio", "trio"),
        ("my notes", "my-notes"),
        (".config", "config"),
        ("--rm", "rm"),
        ("日本語", "日本語"),
        ("", "index"),
        ("...", "index"),
        ("caf\udce9", "caf"),
        ("a\nb", "a-b"),
    ],
)
def test_an_index_is_named_by_its_folder(folder, expected):
    """The name is the folder's, without what a shell or a path would act on."""

    assert expected == folder_name(folder)


@given(st.text())
def test_a_folder_name_is_always_a_name(folder):
    """Whatever a folder is called, its index gets a name that is accepted."""
    name = folder_name(folder)

    assert name == check_name(name)


def test_a_taken_name_gets_a_number():
    """`-2` and so on follow when the name is taken."""
    assert "a" == free_name("a", set().__contains__)
    assert "a-3" == free_name("a", {"a", "a-2"}.__contains__)


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "a b", "a" * 65, "x\n"])
def test_a_strange_name_is_refused(name):
    """What could leave the folder of indexes is no name."""
    with pytest.raises(Fault) as caught:
        check_name(name)

    assert "INVALID_ARGUMENT" == caught.value.code
