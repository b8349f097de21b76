"""JSON-lines files: one document for each record, under its own key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hsum
from hsum.index.records import broken_line, records
from tests.index.trees import contents, plant

KEYS = st.one_of(st.text(max_size=4), st.integers(-9, 99), st.none(), st.booleans())


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def notes(*keys: object) -> dict[str, bytes]:
    return {"notes.jsonl": lines(*({"id": key, "text": f"on {key}"} for key in keys))}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root", notes(*range(20)))


@pytest.fixture
def index(tmp_path: Path, root: Path):
    with hsum.open(tmp_path / "ix") as made:
        made.ingest(root)
        yield made


@given(st.lists(KEYS, max_size=5), st.sampled_from([b"", b"\n", b" \n\n"]))
def test_records_cover_their_file(keys: list[object], tail: bytes) -> None:
    """Joined, the records of a file are the file; without stable keys it has none."""
    data = lines(*({"key": key} for key in keys)) + tail
    found = records(data, b"a.jsonl")

    assert b"".join(data[one.start : one.end] for one in found) == (
        data if found else b""
    )
    assert bool(found) == (broken_line(data) is None and any(map(_usable, keys)))


def _usable(key: object) -> bool:
    if isinstance(key, bool) or key is None:
        return False
    return bool(str(key)) and str(key).isprintable()


@pytest.mark.parametrize("name", ["a.jsonl", "A.NDJSON", "b.jsonlines"])
@pytest.mark.parametrize("key", ["id", "_id", "key", "uuid"])
def test_a_file_is_declared_by_its_name_and_its_keys(name: str, key: str) -> None:
    """The extension, and a key in every line, make a file a list of records."""
    data = lines({key: "one"}, {key: 2})

    assert ["one", "2"] == [one.key for one in records(data, name.encode())]
    assert () == records(data, b"a.json")


def test_a_record_keeps_its_identity(index: hsum.Index, root: Path) -> None:
    """Wherever it stands in the file, and whatever it says, its document is the same."""
    before = {found.record: found.document_id for found in index.documents()}
    plant(root, {"notes.jsonl": lines({"id": 20}, {"id": 3, "text": "anew"})[:-1]})
    report = index.ingest(allow=["mass-delete"])
    after = {found.record: found.document_id for found in index.documents()}

    assert {"20", "3"} == after.keys()
    assert before["3"] == after["3"]
    assert (1, 1, 19) == (report.added, report.changed, report.dropped)


def test_the_file_is_the_list_of_its_records(index: hsum.Index, root: Path) -> None:
    """What is no longer in it is dropped; its evidence still answers."""
    gone = next(one.citation for one in index.documents() if one.record == "19")
    plant(root, notes(*range(19)))
    report = index.ingest()

    assert (1, 19) == (report.dropped, report.changed)
    assert "notes.jsonl#19" not in contents(index)
    assert b"on 19" in index.get(gone).content


def test_many_records_are_not_dropped_unasked(index: hsum.Index, root: Path) -> None:
    """The guard against mass deletion counts records as it does files."""
    plant(root, notes(*range(10)))
    with pytest.raises(hsum.InvalidInput) as refused:
        index.ingest()

    assert "CONFIRMATION_REQUIRED" == refused.value.code
    assert 20 == len(index)
    assert 10 == index.ingest(allow=["mass-delete"]).dropped


@pytest.mark.parametrize(
    "broken", [b'{"id": 20, "te', b'{"text": "no key"}\n', b'{"id": 7}\n', b"[1]\n"]
)
def test_a_broken_line_ends_no_record(
    index: hsum.Index, root: Path, broken: bytes
) -> None:
    """The file keeps its last good revision, and the line is named, until it is whole."""
    whole = notes(*range(20))["notes.jsonl"]
    plant(root, {"notes.jsonl": whole + broken})
    partial = index.ingest()
    again = index.ingest()
    told = [problem.message for problem in index.status().problems]
    plant(root, {"notes.jsonl": whole + b'{"id": 20}\n'})
    report = index.ingest()

    assert partial.partial
    assert "line 21" in partial.failed[0].detail
    assert [
        f"1 file could not be read: notes.jsonl: {partial.failed[0].detail}"
    ] == told
    assert partial.unchanged
    assert again.partial
    assert (1, 0) == (report.added, report.dropped)
    assert not report.partial


def test_a_file_that_is_no_list_any_more_is_one_document(
    index: hsum.Index, root: Path
) -> None:
    """Without a single key it is another kind of file, under the same guard."""
    plant(root, {"notes.jsonl": lines({"text": "one"}, {"text": "two"})})
    with pytest.raises(hsum.InvalidInput):
        index.ingest()
    index.ingest(allow=["mass-delete"])

    assert [None] == [one.record for one in index.documents()]
