"""Forgetting: no byte of it is left in any file of the index, however it is stored."""

from __future__ import annotations

import random
import re
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import hsum
from hsum.index.lexical import Reader
from hsum.index.store import Store
from hsum.trust.places import cache_folder
from tests.index.trees import plant

MARK = b"zanzibar"
_STREAM = re.compile(rb"\x78[\x01\x5e\x9c\xda]")


def streams(data: bytes) -> Iterator[bytes]:
    """Yield what inflates at any place, as far as it does: torn streams, too."""
    for found in _STREAM.finditer(data):
        inflater, inflated = zlib.decompressobj(), b""
        try:
            for at in range(found.start(), min(len(data), found.start() + 9_000), 64):
                inflated += inflater.decompress(data[at : at + 64])
        except zlib.error:
            pass
        yield inflated


def traces(folder: Path) -> list[str]:
    """Return the files that hold the mark, plain or deflated."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [
        path.name
        for path in files
        for data in [path.read_bytes()]
        if MARK in data.lower() or any(MARK in part.lower() for part in streams(data))
    ]


def words(folder: Path) -> list[str]:
    """Return the lexical directories whose dictionaries, packed as they are, know it."""
    directories = (path for path in (folder / "lexical").iterdir() if path.is_dir())
    return [
        path.name
        for path in directories
        if Reader(path).frequency("body", MARK.decode())
    ]


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("index.sqlite*"))


def prose(draw: random.Random, mark: str) -> bytes:
    count = draw.choice([1, 3, 20, 60, 150, 2_000])
    return "".join(f"{mark} {at} {draw.random()}\n" for at in range(count)).encode()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root", {"a.txt": b"public\n", "vault/b.txt": MARK * 9})


@pytest.fixture
def index(tmp_path: Path, root: Path):
    with hsum.open(tmp_path / "ix") as made:
        made.ingest(root)
        yield made


@pytest.mark.parametrize("reopened", [False, True])
def test_no_byte_is_left(tmp_path: Path, *, reopened: bool) -> None:
    """After generations of many sizes, pruned or not, checkpointed or not."""
    draw = random.Random(reopened)
    root, folder = tmp_path / "root", tmp_path / "ix"
    index = hsum.open(folder)
    for turn in range(4):
        for at in range(60 if turn == 0 else 15):
            number = at if turn == 0 else draw.randrange(60)
            public = {f"pub/p{number}.txt": prose(draw, "public")}
            secret = {f"vault/s{number}.txt": prose(draw, "Zanzibar")}
            plant(root, public | secret)
        index.ingest(root)
        if reopened:
            index.close()
            index = hsum.open(folder)
            index.prune(keep_generations=2)
    cited = [one.citation for one in index.documents() if "vault" in one.path]
    held, known, before = traces(folder), words(folder), size(folder)
    report = index.forget("vault")

    assert "index.sqlite" in held or "index.sqlite-wal" in held
    assert known
    assert [] == traces(folder) == words(folder)
    assert 60 == len(report.paths)
    assert size(folder) < before
    for citation in cited[:5]:
        with pytest.raises(hsum.NotFound) as forgotten:
            index.get(citation)
        assert "EVIDENCE_FORGOTTEN" == forgotten.value.code
    assert not index.search("zanzibar").hits
    assert index.doctor().healthy
    index.close()
    assert [] == traces(folder)


def test_a_reader_that_keeps_the_log_is_waited_for(
    index: hsum.Index, tmp_path: Path
) -> None:
    """The log is empty when `forget` returns, not when the last reader has gone."""
    other = Store(tmp_path / "ix")
    reading, release = threading.Event(), threading.Event()

    def read() -> None:
        with other.reading() as snapshot:
            snapshot.require_head()
            reading.set()
            release.wait(30)

    reader = threading.Thread(target=read)
    reader.start()
    reading.wait(30)
    forgetting = threading.Thread(target=index.forget, args=("vault/b.txt",))
    forgetting.start()
    forgetting.join(1)
    waits = forgetting.is_alive()
    release.set()
    reader.join()
    forgetting.join(30)
    other.close()

    assert waits
    assert [] == traces(tmp_path / "ix")


def test_a_reader_that_stays_is_named(
    index: hsum.Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The evidence is forgotten all the same; forgetting again empties the log."""
    monkeypatch.setattr("hsum.care.forget._READERS_S", 0.2)
    cited = next(one.citation for one in index.documents() if "vault" in one.path)
    other = Store(tmp_path / "ix")
    with other.reading() as snapshot:
        snapshot.require_head()
        with pytest.raises(hsum.Busy):
            index.forget("vault")
    other.close()
    index.forget("vault")

    assert cited not in index
    assert [] == traces(tmp_path / "ix")
    assert index.doctor().healthy


def test_copies_and_caches_go_too(
    index: hsum.Index,
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a migration kept, and what readers without write permission made."""
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    old = tmp_path / "ix" / "index.sqlite.before-schema-2"
    old.write_bytes((tmp_path / "ix" / "index.sqlite").read_bytes() + MARK)
    index_id = str(index.status().index_id)
    cache = plant(cache_folder() / "lexical" / index_id, {"g1-1/x.term": MARK})
    index.forget("vault")

    assert not old.exists()
    assert not cache.exists()


@pytest.mark.parametrize("spelled", ["./vault/b.txt", "vault//b.txt", "{root}/vault"])
def test_a_path_is_known_by_any_spelling(
    index: hsum.Index, root: Path, spelled: str
) -> None:
    """Absolute below the root, with dots or doubled slashes."""
    report = index.forget(spelled.format(root=root))

    assert ("vault/b.txt",) == report.paths


@pytest.mark.parametrize("wrong", [7, None, "\ud800", "", ".", "..", "/etc/passwd"])
def test_what_is_no_indexed_path_is_refused(index: hsum.Index, wrong: object) -> None:
    """Nothing is forgotten by accident, least of all everything."""
    with pytest.raises(hsum.HsumError) as refused:
        index.forget(wrong)

    assert refused.value.code in (
        "EVIDENCE_NOT_FOUND",
        "INVALID_ARGUMENT",
        "TEXT_INVALID",
    )
    assert 2 == len(index)


def test_records_are_forgotten_with_their_file(tmp_path: Path) -> None:
    """A JSON-lines file goes with all its records."""
    root = plant(tmp_path / "root", {"r.jsonl": b'{"id":1,"t":"zanzibar"}\n{"id":2}\n'})
    plant(root, {"a.txt": b"public\n"})
    with hsum.open(tmp_path / "ix") as index:
        index.ingest(root)
        index.forget("r.jsonl")

        assert [] == traces(tmp_path / "ix")
        assert ["a.txt"] == [one.path for one in index.documents()]
        assert index.doctor().healthy
