"""Get: a citation against select, inflate and SHA-256 of the same revision."""

from __future__ import annotations

import hashlib
import random
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import hsum
from benchmarks.corpora import Here
from benchmarks.harness import Row, at_most, both_in_turn, spent
from benchmarks.ingesting import ingest
from benchmarks.samples import questions, texts

__all__ = ["citations", "connected", "get_all", "measure", "select_all"]

_BODIES = """
    SELECT block.body FROM revision
    JOIN block ON block.id BETWEEN revision.id << 20 AND (revision.id << 20) + 0xFFFFF
    WHERE revision.sha256 = ? ORDER BY block.id
"""


def measure(here: Here) -> Iterator[Row]:
    corpus = here.corpus()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        with ingest(corpus, corpus.root, folder) as index:
            queries = questions(texts(index, corpus.root), 20 if here.smoke else 200)
            cited = citations(index, queries)
            with connected(folder) as connection:
                ours, theirs = both_in_turn(
                    partial(get_all, index, cited),
                    partial(select_all, connection, cited),
                    times=here.times,
                )
    yield Row(
        "get",
        corpus.name,
        "ms",
        ours.seconds / len(cited) * 1e3,
        "select, inflate, SHA-256",
        theirs.seconds / len(cited) * 1e3,
        at_most(2, plus=0.2),
        spent(ours, theirs, 1e3 / len(cited)),
    )


def citations(index: hsum.Index, queries: Sequence[str]) -> list[hsum.Citation]:
    """Return one citation for each query, out of all that the queries find."""
    hits = [hit for query in queries for hit in index.search(query, limit=3)]
    count = min(len(queries), len(hits))
    return [hit.citation for hit in random.Random(4).sample(hits, count)]


def connected(folder: Path) -> closing[sqlite3.Connection]:
    """Open the database of an index as any program could."""
    return closing(sqlite3.connect(folder / "index.sqlite"))


def get_all(index: hsum.Index, cited: Sequence[hsum.Citation]) -> None:
    for citation in cited:
        index.get(citation)


def select_all(connection: sqlite3.Connection, cited: Sequence[hsum.Citation]) -> None:
    for citation in cited:
        rows = connection.execute(_BODIES, (bytes.fromhex(citation.rev),))
        data = b"".join(zlib.decompress(body) for (body,) in rows)
        if hashlib.sha256(data).hexdigest() != citation.rev:
            raise ValueError(citation)
