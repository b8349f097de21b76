"""What ingesting decides, without a disk: blocks, records, renames, plans, the chain."""

from __future__ import annotations

import json
import zlib
from collections import Counter

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum._kernel.faults import Fault
from hsum.index.blocks import block_ids, joined, split
from hsum.index.chain import GENESIS, chained
from hsum.index.plan import Fresh, Live, Piece, Plan, decide
from hsum.index.records import records
from hsum.index.renames import renames
from hsum.index.schema import BLOCK_BYTES

# --- blocks ---------------------------------------------------------------------------


@given(
    st.binary(max_size=400).map(lambda seed: seed * 800),
    st.tuples(st.integers(0, 320_000), st.integers(0, 320_000)),
)
def test_any_span_comes_back_from_its_blocks(
    data: bytes, ends: tuple[int, int]
) -> None:
    """The blocks that hold a span give exactly its bytes, and no other is needed."""
    start, end = sorted(min(place, len(data)) for place in ends)
    first, last = block_ids(7, start, end)
    needed = [block for block in split(7, data) if first <= block.id <= last]

    raw = [zlib.decompress(block.body) for block in split(7, data)]

    assert data[start:end] == joined(needed, start, end)
    assert data == b"".join(raw)
    assert all(BLOCK_BYTES == len(block) for block in raw[:-1])


@given(st.binary(min_size=1, max_size=2_000), st.data())
def test_no_damaged_block_gives_wrong_bytes(data: bytes, draw: st.DataObject) -> None:
    """A flipped bit in a stored block is `INTEGRITY_FAILED`, or changes nothing."""
    (block,) = split(1, data)
    at = draw.draw(st.integers(0, len(block.body) - 1))
    bit = draw.draw(st.integers(0, 7))
    body = bytearray(block.body)
    body[at] ^= 1 << bit
    try:
        found = joined([block._replace(body=bytes(body))], 0, len(data))
    except Fault as refusal:
        assert "INTEGRITY_FAILED" == refusal.code
    else:
        assert data == found


def test_a_missing_block_is_noticed() -> None:
    """Fewer bytes than the span is damage, not a short answer."""
    with pytest.raises(Fault, match="missing"):
        joined([], 0, 1)


# --- records --------------------------------------------------------------------------


@given(
    st.lists(
        st.one_of(st.integers(), st.text(st.characters(min_codepoint=33), min_size=1)),
        unique_by=str,
        min_size=1,
        max_size=8,
    ),
    st.booleans(),
)
def test_records_cover_their_file_in_order(keys: list, final: bool) -> None:  # noqa: FBT001 - Hypothesis gives it
    """Spans join to the whole file; keys are those of the lines."""
    lines = [json.dumps({"id": key, "text": "x"}) for key in keys]
    data = "\n".join(lines).encode() + b"\n" * final
    found = records(data, b"data.jsonl")
    printable = all(str(key).isprintable() for key in keys)

    assert bool(found) == printable
    if found:
        assert [str(key) for key in keys] == [record.key for record in found]
        assert data == b"".join(data[one.start : one.end] for one in found)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b'{"id": 1}\n{"id": 1}\n',
        b'{"id": 1}\n{"name": 2}\n',
        b'{"id": 1}\nnot json\n',
        b'{"id": null}\n',
        b'{"id": true}\n',
        b'{"id": ""}\n',
        b'{"id": [1]}\n',
        b"[1]\n",
        b'{"id": "a\\nb"}\n',
        b"[" * 100_000,
    ],
)
def test_a_file_without_stable_keys_is_one_document(text: bytes) -> None:
    """One line without a key of its own makes the file a plain text."""
    assert () == records(text, b"data.jsonl")


def test_only_json_lines_files_have_records() -> None:
    """The extension decides."""
    line = b'{"id": 1}\n'

    assert () == records(line, b"data.json")
    assert 1 == len(records(line, b"DATA.NDJSON"))


def test_blank_lines_belong_to_the_record_before() -> None:
    """The first record begins with the file."""
    data = b'\n\n{"id": 1}\n\n{"_id": 2}\n\n'

    assert [("1", 0, 13), ("2", 13, 25)] == [
        tuple(one) for one in records(data, b".jsonl")
    ]


# --- renames --------------------------------------------------------------------------

_HASHES = st.dictionaries(st.binary(min_size=1, max_size=2), st.sampled_from("abcd"))


@given(_HASHES, _HASHES)
def test_renames_are_beyond_doubt(
    vanished: dict[bytes, str], appeared: dict[bytes, str]
) -> None:
    """Each pair has equal bytes that nothing else on either side has."""
    found = renames(vanished, appeared)
    before, after = Counter(vanished.values()), Counter(appeared.values())

    for new, old in found.items():
        assert vanished[old] == appeared[new]
        assert 1 == before[vanished[old]] == after[appeared[new]]
    assert len(found) == sum(
        before[content] == after[content] == 1 for content in "abcd"
    )


def test_empty_files_never_move() -> None:
    """All empty files are alike."""
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    assert {} == renames({b"a": empty}, {b"b": empty})


# --- plans ----------------------------------------------------------------------------


@attrs.frozen
class _World:
    """Files by path before and after, each a letter for its bytes."""

    before: dict[bytes, str]
    after: dict[bytes, str]


_PATHS = st.sampled_from([bytes([97 + at]) for at in range(8)])
_FILES = st.dictionaries(_PATHS, st.sampled_from("stuvwxyz"))
_WORLDS = st.builds(_World, _FILES, _FILES)


def _decided(world: _World) -> tuple[Plan, dict[bytes, Live]]:
    lives = {
        path: Live(key, path, key, f"d{key}", "", letter, ord(letter), 1)
        for key, (path, letter) in enumerate(sorted(world.before.items()), 1)
    }
    fresh = [
        Fresh(path, letter, ord(letter), 0, 0, (Piece("", 100 + at, 0, 1),))
        for at, (path, letter) in enumerate(sorted(world.after.items()))
        if world.before.get(path) != letter
    ]
    gone = [path for path in world.before if path not in world.after]
    concerned = {file.path for file in fresh} | set(gone)
    standing = {path: (lives[path],) for path in concerned if path in lives}
    sources = [file.path for file in fresh if file.path in lives]
    return decide(standing, fresh, gone, sources), lives


@given(_WORLDS)
def test_a_plan_turns_what_stood_into_what_stands(world: _World) -> None:
    """Ending and beginning what it says gives exactly the files of the tree."""
    plan, lives = _decided(world)
    ended = {live.key for live in plan.ended}
    result = {live.path: live.rev for live in lives.values() if live.key not in ended}
    result |= {item.fresh.path: item.fresh.rev for item in plan.begun}

    assert world.after == result
    assert len(plan.ended) == len(ended)
    assert len(world.after) - len(world.before) == plan.documents == plan.passages
    assert plan.bytes == sum(map(ord, world.after.values())) - sum(
        map(ord, world.before.values())
    )


@given(_WORLDS)
def test_a_plan_counts_every_change_once(world: _World) -> None:
    """Added and dropped balance the documents; nothing is told twice."""
    plan, _ = _decided(world)
    kinds = plan.counts()
    paths = [change.path for change in plan.changes()]

    assert kinds["added"] - kinds["dropped"] == plan.documents
    assert kinds["renamed"] == len(plan.moved)
    assert kinds["changed"] == sum(
        world.after.get(path, letter) != letter for path, letter in world.before.items()
    )
    assert len(set(paths)) == len(paths)


@given(_WORLDS)
def test_a_document_is_never_begun_twice(world: _World) -> None:
    """Each live document has one version, also where files swap and move."""
    plan, _ = _decided(world)
    documents = [item.document for item in plan.begun if item.document is not None]

    assert len(documents) == len(set(documents))
    assert set(documents) <= {live.document for live in plan.ended}


@given(_WORLDS)
def test_the_same_world_gives_an_empty_plan(world: _World) -> None:
    """Without a change nothing is planned."""
    plan, _ = _decided(_World(world.before, world.before))

    assert Plan() == plan


# --- the chain ------------------------------------------------------------------------


def test_the_digest_depends_on_all_that_happened() -> None:
    """Whatever is added, left out or moved to the other side changes the digest."""
    begun, ended = [("a", "1"), ("b", "2")], [("c", "3")]
    digest = chained(GENESIS, 1, begun, ended)

    others = {
        chained(digest, 1, begun, ended),
        chained(GENESIS, 2, begun, ended),
        chained(GENESIS, 1, begun[:1], ended),
        chained(GENESIS, 1, ended, begun),
        chained(GENESIS, 1, begun, []),
    }

    assert 5 == len(others - {digest})
