"""Write what was read: bodies and cuts into SQLite, passages into the lexical index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs

from hsum.index.blocks import split
from hsum.index.entries import entries
from hsum.index.languages import language_of
from hsum.index.packing import pack, unpack
from hsum.index.passages import CUT_VERSION, Passage, cut
from hsum.index.plan import Fresh, Piece
from hsum.index.records import Record, records

if TYPE_CHECKING:
    import sqlite3

    from hsum.index.generations import Draft
    from hsum.index.lexical import LexicalDocument

__all__ = ["Content", "Recorder"]


class Content(NamedTuple):
    """The stable bytes of one file, their SHA-256 in hex and their encoding."""

    path: bytes
    data: bytes
    rev: str
    encoding: str


class Recorder:
    """Record files as they are read, in one transaction and one draft of a lexical index.

    Nothing of it counts before rows of `version` name it and are committed.
    """

    def __init__(self, connection: sqlite3.Connection, draft: Draft) -> None:
        self._connection = connection
        self._draft = draft
        (last,) = connection.execute("SELECT max(id) FROM version").fetchone()
        self._next_key = (last or 0) + 1

    def record(self, content: Content) -> Fresh:
        """Record one file."""
        revision = self._revision(content)
        parts = records(content.data, content.path)
        cut_id, passages = self._cut(content, parts, revision)
        pieces = tuple(self._pieces(content, parts, passages))
        return Fresh(
            content.path, content.rev, len(content.data), revision, cut_id, pieces
        )

    def _revision(self, content: Content) -> int:
        digest = bytes.fromhex(content.rev)
        row = self._connection.execute(
            "SELECT id, gone FROM revision WHERE sha256 = ?", (digest,)
        ).fetchone()
        if row is None:
            return self._new_revision(content, digest)
        if row[1] is not None:
            self._bring_back(content, row[0])
        return int(row[0])

    def _new_revision(self, content: Content, digest: bytes) -> int:
        done = self._connection.execute(
            "INSERT INTO revision (sha256, size, encoding) VALUES (?, ?, ?)",
            (digest, len(content.data), content.encoding),
        )
        revision = int(done.lastrowid or 0)
        self._store(revision, content.data)
        return revision

    def _bring_back(self, content: Content, revision: int) -> None:
        """Store again the bytes that were pruned or forgotten and are here again."""
        self._connection.execute(
            "UPDATE revision SET gone = NULL WHERE id = ?", (revision,)
        )
        self._store(revision, content.data)

    def _store(self, revision: int, data: bytes) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO block (id, sha256, body) VALUES (?, ?, ?)",
            split(revision, data),
        )

    def _cut(
        self, content: Content, parts: Sequence[Record], revision: int
    ) -> tuple[int, Sequence[Passage]]:
        language = language_of(content.path, content.data[:4_096])
        name = f"{language.name}/{language.kind}{'/records' if parts else ''}"
        row = self._connection.execute(
            "SELECT id, body FROM cut"
            " WHERE revision = ? AND language = ? AND version = ?",
            (revision, name, CUT_VERSION),
        ).fetchone()
        if row is not None:
            return int(row[0]), unpack(row[1])
        passages = _passages(content, parts)
        done = self._connection.execute(
            "INSERT INTO cut (revision, language, version, body) VALUES (?, ?, ?, ?)",
            (revision, name, CUT_VERSION, pack(passages)),
        )
        return int(done.lastrowid or 0), passages

    def _pieces(
        self,
        content: Content,
        parts: Sequence[Record],
        passages: Sequence[Passage],
    ) -> Iterator[Piece]:
        for record, first, last in _ranges(parts, passages):
            key, self._next_key = self._next_key, self._next_key + 1
            self._draft.writer.extend(
                lexical_entries(
                    key,
                    content.path,
                    content.data,
                    content.encoding,
                    passages,
                    first,
                    last,
                )
            )
            yield Piece(record, key, first, last - first)


def lexical_entries(
    key: int,
    path: bytes,
    data: bytes,
    encoding: str,
    passages: Sequence[Passage],
    first: int,
    last: int,
) -> Iterator[LexicalDocument]:
    """Yield the lexical documents of a version from `first` to before `last`."""
    own = passages[first:last]
    pieces = [data[item.start : item.end] for item in own]
    return entries(key, path, pieces, encoding, own, first)


def _passages(content: Content, parts: Sequence[Record]) -> tuple[Passage, ...]:
    data, path, encoding = content.data, content.path, content.encoding
    if not parts:
        return cut(data, path=path, encoding=encoding)
    found: list[Passage] = []
    lines = 0
    for part in parts:
        own = data[part.start : part.end]
        pieces = cut(own, path=path, encoding=encoding)
        found += (_shifted(piece, part.start, lines) for piece in pieces)
        lines += own.count(b"\n")
    return tuple(found)


def _shifted(passage: Passage, offset: int, lines: int) -> Passage:
    return attrs.evolve(
        passage,
        start=passage.start + offset,
        end=passage.end + offset,
        first_line=passage.first_line + lines,
        last_line=passage.last_line + lines,
    )


def _ranges(
    parts: Sequence[Record], passages: Sequence[Passage]
) -> Iterator[tuple[str, int, int]]:
    """Yield record key, first passage and the one after the last, of each document."""
    if not parts:
        yield "", 0, len(passages)
        return
    first = 0
    for part in parts:
        last = first
        while last < len(passages) and passages[last].end <= part.end:
            last += 1
        yield part.key, first, last
        first = last
