"""Bindings as values: granting, revoking, the nearest root."""

from __future__ import annotations

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum._kernel.faults import Fault
from hsum._kernel.ids import SequentialIds
from hsum.trust.bindings import (
    Binding,
    from_json,
    granted,
    nearest,
    revoked,
    to_json,
    within,
)

ids = SequentialIds("bindings")
NEW = Binding("", "/src/a", "a", ids(), "default", ids(), "/data/a")


def grant_all(*wanted: Binding) -> tuple[Binding, ...]:
    bindings: tuple[Binding, ...] = ()
    for item in wanted:
        bindings, _ = granted(bindings, item, ids)
    return bindings


def test_a_grant_makes_a_binding_with_a_new_id():
    """What was not bound gets an id of its own."""
    bindings, binding = granted((), NEW, lambda: "new")

    assert (attrs.evolve(NEW, id="new"),) == bindings
    assert "new" == binding.id


def test_a_second_grant_gives_the_same_id():
    """A grant is idempotent."""
    bindings, first = granted((), NEW, ids)
    again, second = granted(bindings, NEW, ids)

    assert (bindings, first) == (again, second)


def test_projects_of_one_index_have_bindings_of_their_own():
    """Each project of an index is bound apart."""
    other = attrs.evolve(NEW, project="docs", project_id=ids())

    bindings = grant_all(NEW, other)

    assert 2 == len({binding.id for binding in bindings})


def test_a_moved_index_loses_its_old_binding():
    """An index stands for one root: the binding of its old one ends."""
    bindings, old = granted((), NEW, ids)
    moved, new = granted(bindings, attrs.evolve(NEW, root="/src/b"), ids)

    assert (new,) == moved
    assert old.id != new.id


def test_another_index_in_the_same_place_ends_the_old_bindings():
    """A binding never passes to an index that was put where another one was."""
    bindings, _ = granted((), NEW, ids)
    replaced, new = granted(bindings, attrs.evolve(NEW, index_id=ids()), ids)

    assert (new,) == replaced


def test_revoke_names_an_id_or_a_root():
    """A binding is taken back by its id, all of a root by the root."""
    other = attrs.evolve(NEW, project="docs", project_id=ids())
    bindings = grant_all(NEW, other)

    by_id = revoked(bindings, bindings[0].id)
    by_root = revoked(bindings, "/src/a")
    unknown = revoked(bindings, "/src")

    assert ((bindings[1],), (bindings[0],)) == by_id
    assert ((), bindings) == by_root
    assert (bindings, ()) == unknown


def test_the_deepest_root_around_a_folder_is_nearest():
    """A root inside another root decides for what is below it."""
    outer = attrs.evolve(NEW, root="/src", data_path="/data/o", index="o")
    bindings = grant_all(outer, NEW)

    assert ("a",) == tuple(b.index for b in nearest(bindings, "/src/a/deep"))
    assert ("o",) == tuple(b.index for b in nearest(bindings, "/src/ab"))
    assert () == nearest(bindings, "/srcs")


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/a/b", "/a", True),
        ("/a", "/a", True),
        ("/ab", "/a", False),
        ("/a", "/", True),
        ("/", "/a", False),
    ],
)
def test_within_compares_whole_names(path, root, expected):
    """A folder whose name begins like a root's is not inside it."""

    assert expected == within(path, root)


paths = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9).map(
    lambda text: "/" + text
) | st.just("/caf\udce9")


@given(st.lists(st.tuples(paths, st.sampled_from("abc")), max_size=5))
def test_json_keeps_bindings(rows):
    """What is written is what is read, names that are not UTF-8 too."""
    made = [
        attrs.evolve(NEW, id=ids(), root=root, index=name, data_path=f"/d/{name}")
        for root, name in rows
    ]

    back = from_json(json.loads(json.dumps(to_json(tuple(made)))))

    assert sorted(made, key=repr) == sorted(back, key=repr)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (None, "STORE_DAMAGED"),
        ([], "STORE_DAMAGED"),
        ({"format": 1}, "STORE_DAMAGED"),
        ({"format": "hsum-trust/2"}, "SCHEMA_TOO_NEW"),
        ({"format": "hsum-trust/1"}, "STORE_DAMAGED"),
        ({"format": "hsum-trust/1", "bindings": [{}]}, "STORE_DAMAGED"),
        ({"format": "hsum-trust/1", "bindings": ["x"]}, "STORE_DAMAGED"),
        (
            {"format": "hsum-trust/1", "bindings": [attrs.asdict(NEW)]},
            "STORE_DAMAGED",
        ),
    ],
)
def test_a_damaged_file_grants_nothing(data, code):
    """What is not whole is refused, never half believed."""
    with pytest.raises(Fault) as caught:
        from_json(data)

    assert code == caught.value.code
