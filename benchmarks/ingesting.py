"""Ingest: cold against the sum of its parts, unchanged against a walk, ten files."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import hsum
from benchmarks.corpora import Corpus, Here
from benchmarks.harness import (
    Row,
    Taken,
    at_most,
    both_in_turn,
    cpu,
    middle,
    spent,
    taken,
)
from hsum.index.decode import encoding_of
from hsum.index.entries import entries
from hsum.index.lexical import LexicalDocument, Writer
from hsum.index.passages import cut
from hsum.index.schema import BLOCK_BYTES

__all__ = ["ingest", "ingest_again", "measure", "settle", "ten_files", "walk"]

_LEVEL = 3
"""The level of deflate that bodies are stored with."""

_RACY_SECONDS = 2.1
"""Files younger than that are read again, for a later write may not show."""

_CHUNK = 64_000_000
"""So many bytes of the corpus are held at a time while the parts are measured."""


def measure(here: Here) -> Iterator[Row]:
    corpus = here.corpus()
    with (
        tempfile.TemporaryDirectory(prefix="benchmark-") as name,
        corpus.copied() as root,
    ):
        folder = Path(name)
        yield from _cold(corpus, root, folder, here.few_times)
        with hsum.open(folder / "cold") as index:
            yield from _again(index, corpus.name, root, here.times)


def ingest(corpus: Corpus, root: Path, folder: Path) -> hsum.Index:
    """Return a new index of a tree; the caller closes it."""
    index = hsum.open(folder)
    index.ingest(root, no_ignore=corpus.no_ignore, allow=["large"])
    return index


def ingest_again(index: hsum.Index) -> None:
    """Ingest the same tree."""
    index.ingest(allow=["large"])


def _cold(corpus: Corpus, root: Path, folder: Path, times: int) -> Iterator[Row]:
    with ingest(corpus, root, folder / "first") as index:
        names = dict.fromkeys(document.path for document in index.documents())
    shutil.rmtree(folder / "first")
    parts = _Parts(root, list(names), folder)

    def whole() -> None:
        shutil.rmtree(folder / "cold", ignore_errors=True)
        ingest(corpus, root, folder / "cold").close()

    rounds = [(taken(whole), parts.taken()) for _ in range(times)]
    ours = middle([whole for whole, _ in rounds])
    theirs = {
        name: middle([found[name] for _, found in rounds]) for name in rounds[0][1]
    }
    for what, clock, target in (
        ("cold ingest", _seconds, at_most(1.5)),
        ("cold ingest, CPU time", _cpu, None),
    ):
        alone = {name: clock(part) for name, part in theirs.items()}
        note = ", ".join(f"{name} {took:.2f}" for name, took in alone.items())
        yield Row(
            what,
            corpus.name,
            "s",
            clock(ours),
            "the sum of its parts",
            sum(alone.values()),
            target,
            f"{note}; of {times}",
        )


def _seconds(found: Taken) -> float:
    return found.seconds


def _cpu(found: Taken) -> float:
    return found.cpu


class _Parts:
    """What an ingest cannot do without, each alone; making the text ready is not."""

    def __init__(self, root: Path, names: list[str], folder: Path) -> None:
        self._root = root
        self._names = names
        self._folder = folder

    def taken(self) -> dict[str, Taken]:
        """Return what each part takes over all files, some of them at a time."""
        found = dict.fromkeys(
            ("read and hash", "deflate", "SQLite", "lexical"), Taken()
        )

        def add(name: str, call: Callable[[], object]) -> None:
            found[name] += taken(call)

        shutil.rmtree(self._folder / "parts", ignore_errors=True)
        writer = Writer(self._folder / "parts")
        with closing(self._database()) as connection:
            for names in self._chunks():
                data = [(self._root / name).read_bytes() for name in names]
                add("read and hash", partial(self._read, names))
                add("deflate", partial(_deflated, data))
                add("SQLite", partial(_insert, connection, _deflated(data)))
                documents = list(_prepared(names, data))
                found["lexical"] += _written(writer, documents)
            add("SQLite", connection.commit)
        add("lexical", writer.commit)
        return found

    def _chunks(self) -> Iterator[list[str]]:
        some, size = [], 0
        for name in self._names:
            some.append(name)
            size += (self._root / name).stat().st_size
            if size > _CHUNK:
                yield some
                some, size = [], 0
        yield some

    def _read(self, names: list[str]) -> None:
        for name in names:
            hashlib.sha256((self._root / name).read_bytes()).digest()

    def _database(self) -> sqlite3.Connection:
        path = self._folder / "parts.sqlite"
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE block (id INTEGER PRIMARY KEY, body BLOB)")
        return connection


def _deflated(data: list[bytes]) -> list[bytes]:
    return [
        zlib.compress(one[at : at + BLOCK_BYTES], _LEVEL)
        for one in data
        for at in range(0, len(one), BLOCK_BYTES)
    ]


def _insert(connection: sqlite3.Connection, bodies: list[bytes]) -> None:
    connection.executemany(
        "INSERT INTO block (body) VALUES (?)", ((body,) for body in bodies)
    )


def _prepared(names: list[str], data: list[bytes]) -> Iterator[LexicalDocument]:
    for key, (name, one) in enumerate(zip(names, data, strict=True)):
        path, encoding = os.fsencode(name), encoding_of(one)
        passages = cut(one, path=path, encoding=encoding)
        pieces = [one[item.start : item.end] for item in passages]
        yield from entries(key, path, pieces, encoding, passages)


def _written(writer: Writer, documents: list[LexicalDocument]) -> Taken:
    """Return what it takes to index documents, the work of the writer's thread too.

    That goes on after the call, and must not fall into what is measured next.
    """
    start, spent = time.perf_counter(), cpu()
    writer.extend(documents)
    ended = _idle_since()
    return Taken(ended - start, cpu() - spent)


def _idle_since() -> float:
    """Wait until no thread of this process works; return when that began."""
    while True:
        now, spent = time.perf_counter(), time.process_time()
        time.sleep(0.02)
        if time.process_time() - spent < 0.001:
            return now


def _again(index: hsum.Index, name: str, root: Path, times: int) -> Iterator[Row]:
    settle(index)
    unchanged, walked = both_in_turn(
        lambda: ingest_again(index), lambda: walk(root), times=times
    )
    yield Row(
        "ingest with no change",
        name,
        "ms",
        unchanged.seconds * 1e3,
        "scandir and stat",
        walked.seconds * 1e3,
        at_most(2.5),
        spent(unchanged, walked),
    )
    ten = middle([ten_files(index, root, round_) for round_ in range(times)])
    yield Row(
        "ingest with 10 files changed",
        name,
        "ms",
        ten.seconds * 1e3,
        "ingest with no change",
        unchanged.seconds * 1e3,
        at_most(1.5, plus=300),
        spent(ten, unchanged),
    )


def settle(index: hsum.Index) -> None:
    """Ingest until no file counts as racily new any more.

    Those of a copy that was just made do; what was read again later does not.
    """
    time.sleep(_RACY_SECONDS)
    for _ in range(2):
        ingest_again(index)


def walk(top: Path) -> int:
    """Ask for the status of every file below a folder, and no more."""
    count, folders = 0, [os.fspath(top)]
    while folders:
        with os.scandir(folders.pop()) as found:
            for entry in found:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    count += 1
    return count


def ten_files(index: hsum.Index, root: Path, round_: int) -> Taken:
    """Return what an ingest takes after ten files were changed."""
    for document in index.documents()[:: max(1, len(index) // 10)][:10]:
        path = root / document.path
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data + b"\n# changed in round %d\n" % round_)
    return taken(lambda: ingest_again(index))
