"""Ingest: cold against the sum of its parts, unchanged against a walk, ten files."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import hsum
from benchmarks.corpora import Corpus, Here
from benchmarks.harness import Row, at_most, in_turn, seconds
from hsum.index.decode import encoding_of
from hsum.index.entries import entries
from hsum.index.lexical import LexicalDocument, Writer
from hsum.index.passages import cut

__all__ = ["measure"]

_BLOCK = 65_536


def measure(here: Here) -> Iterator[Row]:
    corpus = here.corpus()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        yield _cold(corpus, folder, here.times)
        yield from _again(corpus, folder / "again", here.times)


def ingest(corpus: Corpus, root: Path, folder: Path) -> hsum.Index:
    """Return a new index of a tree; the caller closes it."""
    index = hsum.open(folder)
    index.ingest(root, no_ignore=corpus.no_ignore, allow=["large"])
    return index


def ingest_again(index: hsum.Index) -> None:
    """Ingest the same tree."""
    index.ingest(allow=["large"])


def _cold(corpus: Corpus, folder: Path, times: int) -> Row:
    with ingest(corpus, corpus.root, folder / "first") as index:
        paths = [corpus.root / document.path for document in index.documents()]
    parts = _Parts(paths, folder)

    def whole() -> None:
        shutil.rmtree(folder / "cold", ignore_errors=True)
        ingest(corpus, corpus.root, folder / "cold").close()

    ours, *theirs = in_turn(whole, *parts.calls, times=times)
    note = ", ".join(
        f"{name} {took:.2f}" for name, took in zip(parts.names, theirs, strict=True)
    )
    return Row(
        "cold ingest",
        corpus.name,
        "s",
        ours,
        "the sum of its parts",
        sum(theirs),
        at_most(1.5),
        note,
    )


class _Parts:
    """What an ingest cannot do without, each alone: the text is prepared before."""

    names = ("read and hash", "deflate", "SQLite", "lexical")

    def __init__(self, paths: list[Path], folder: Path) -> None:
        self._paths = paths
        self._folder = folder
        self._data = [path.read_bytes() for path in paths]
        self._bodies = [
            zlib.compress(data[at : at + _BLOCK], 1)
            for data in self._data
            for at in range(0, len(data), _BLOCK)
        ]
        self._documents = list(self._prepared())
        self.calls = (self._read, self._deflate, self._insert, self._index)

    def _prepared(self) -> Iterator[list[LexicalDocument]]:
        for key, (path, data) in enumerate(zip(self._paths, self._data, strict=True)):
            name, encoding = os.fsencode(path.name), encoding_of(data)
            passages = cut(data, path=name, encoding=encoding)
            pieces = [data[item.start : item.end] for item in passages]
            yield list(entries(key, name, pieces, encoding, passages))

    def _read(self) -> None:
        for path in self._paths:
            hashlib.sha256(path.read_bytes()).digest()

    def _deflate(self) -> None:
        for data in self._data:
            for at in range(0, len(data), _BLOCK):
                zlib.compress(data[at : at + _BLOCK], 1)

    def _insert(self) -> None:
        path = self._folder / "parts.sqlite"
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE block (id INTEGER PRIMARY KEY, body BLOB)")
        connection.executemany(
            "INSERT INTO block VALUES (?, ?)", enumerate(self._bodies)
        )
        connection.commit()
        connection.close()

    def _index(self) -> None:
        shutil.rmtree(self._folder / "parts", ignore_errors=True)
        writer = Writer(self._folder / "parts")
        for documents in self._documents:
            writer.extend(documents)
        writer.commit()


def _again(corpus: Corpus, folder: Path, times: int) -> Iterator[Row]:
    with corpus.copied() as root, ingest(corpus, root, folder) as index:
        _settle(index)
        unchanged, walk = in_turn(
            lambda: ingest_again(index), lambda: _walk(root), times=times
        )
        yield Row(
            "ingest with no change",
            corpus.name,
            "ms",
            unchanged * 1e3,
            "scandir and stat",
            walk * 1e3,
            at_most(2.5),
        )
        ten = median(_ten_files(index, root, round_) for round_ in range(times))
        yield Row(
            "ingest with 10 files changed",
            corpus.name,
            "ms",
            ten * 1e3,
            "ingest with no change",
            unchanged * 1e3,
            at_most(1.5, plus=300),
        )


def _settle(index: hsum.Index) -> None:
    """Ingest until no file counts as racily new any more."""
    for _ in range(2):
        ingest_again(index)


def _walk(top: Path) -> int:
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


def _ten_files(index: hsum.Index, root: Path, round_: int) -> float:
    for document in index.documents()[:: max(1, len(index) // 10)][:10]:
        path = root / document.path
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data + b"\n# changed in round %d\n" % round_)
    return seconds(lambda: ingest_again(index))
