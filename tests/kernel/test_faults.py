"""Faults carry the way out, and reach the caller in the caller's own classes."""

from __future__ import annotations

import pickle

import pytest

from hsum._kernel.catalogue import ENTRIES
from hsum._kernel.faults import Family, Fault, boundary


class OwnError(Fault):
    """The root of a package."""


class OwnBusyError(OwnError, TimeoutError):
    """A class of that package, for one code."""


FAMILY = Family(OwnError, {"WRITER_BUSY": OwnBusyError})


@boundary(FAMILY)
class Handle:
    """What a user would hold."""

    def busy(self):
        raise Fault("WRITER_BUSY", "held", details={"pid": 7}) from OSError("why")

    def pages(self):
        yield 1
        raise Fault("CLOSED", "gone")

    @property
    def size(self):
        raise Fault("CLOSED", "gone")

    def __len__(self):
        raise Fault("CLOSED", "gone")

    def typo(self):
        raise KeyError("ours")


def test_a_fault_takes_hint_and_retryable_from_the_catalogue():
    """What the raiser does not say, the catalogue says."""
    fault = Fault("WRITER_BUSY", "held")

    assert ENTRIES["WRITER_BUSY"].fix == fault.hint
    assert fault.retryable
    assert fault.exit_status == 4


def test_a_fault_is_plain_data():
    """Programs read a fault without parsing its text."""
    fault = Fault("NOT_FOUND", "no x", hint="look", details={"id": "x"})

    assert {
        "code": "NOT_FOUND",
        "message": "no x",
        "hint": "look",
        "retryable": False,
        "details": {"id": "x"},
    } == fault.as_dict()


def test_a_fault_crosses_process_borders_whole():
    """Pickling keeps class, code, hint and details."""
    fault = FAMILY.make("WRITER_BUSY", "held", pid=7)
    copy = pickle.loads(pickle.dumps(fault))

    assert type(copy) is OwnBusyError
    assert copy.as_dict() == fault.as_dict()


def test_the_boundary_speaks_the_package_of_the_handle():
    """A kernel fault leaves a handle as the handle's own class, cause kept."""
    with pytest.raises(OwnBusyError) as caught:
        Handle().busy()

    assert {"pid": 7} == caught.value.details
    assert isinstance(caught.value.__cause__, OSError)


@pytest.mark.parametrize(
    "use", [lambda h: h.size, len, lambda h: list(h.pages())], ids=["get", "len", "gen"]
)
def test_the_boundary_covers_properties_protocols_and_generators(use):
    """Whatever way a fault takes out of a handle, it is the package's own."""
    with pytest.raises(OwnError):
        use(Handle())


def test_the_boundary_leaves_our_own_mistakes_alone():
    """A programming error is not dressed up as a refusal."""
    with pytest.raises(KeyError):
        Handle().typo()


def test_every_entry_says_cause_and_fix():
    """A code without a sentence for cause and fix does not exist."""
    for code, entry in ENTRIES.items():
        assert code == entry.code
        assert entry.cause.endswith(".")
        assert entry.fix.endswith(".")
        assert entry.exit_status in {1, 2, 4, 5, 6, 7, 130}
