"""Other rankings of whole files: tantivy, SQLite FTS5 and bm25s as they come."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec

import tantivy

__all__ = ["Ranker", "content_peers", "tantivy_with_path"]

Ranker = Callable[[str], Sequence[str]]
"""Gives the names of the best ten files for a query."""

_BEST = 10
_WORD = re.compile(r"\w+")


def content_peers(files: Mapping[str, str]) -> dict[str, Ranker]:
    """Return the rankings that see the text of *files* (by name) alone."""
    peers = {"tantivy": tantivy_content(files), "FTS5": _fts5(files)}
    if find_spec("bm25s"):
        peers["bm25s"] = _bm25s(files)
    return peers


def tantivy_content(files: Mapping[str, str]) -> Ranker:
    return _tantivy(files, ("body",))


def tantivy_with_path(files: Mapping[str, str]) -> Ranker:
    return _tantivy(files, ("body", "path"))


def _tantivy(files: Mapping[str, str], fields: Sequence[str]) -> Ranker:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("name", stored=True, tokenizer_name="raw")
    for field in ("body", "path"):
        builder.add_text_field(field)
    index = tantivy.Index(builder.build())
    writer = index.writer(50_000_000, 1)
    for name, text in files.items():
        writer.add_document(tantivy.Document(name=name, body=text, path=name))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher, schema = index.searcher(), index.schema
    analyzer = (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(40))
        .filter(tantivy.Filter.lowercase())
        .build()
    )

    def rank(query: str) -> Sequence[str]:
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, field, word))
            for word in dict.fromkeys(analyzer.analyze(query))
            for field in fields
        ]
        hits = searcher.search(tantivy.Query.boolean_query(terms), _BEST).hits
        return [str(searcher.doc(address)["name"][0]) for _, address in hits]

    return rank


def _fts5(files: Mapping[str, str]) -> Ranker:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE found USING fts5(name UNINDEXED, body)")
    connection.executemany("INSERT INTO found VALUES (?, ?)", files.items())

    def rank(query: str) -> Sequence[str]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(query)))
        rows = connection.execute(
            "SELECT name FROM found WHERE found MATCH ? ORDER BY rank LIMIT ?",
            (words, _BEST),
        )
        return [str(name) for (name,) in rows]

    return rank


def _bm25s(files: Mapping[str, str]) -> Ranker:
    import bm25s

    names = list(files)
    model = bm25s.BM25()
    model.index(
        bm25s.tokenize(list(files.values()), show_progress=False), show_progress=False
    )

    def rank(query: str) -> Sequence[str]:
        asked = bm25s.tokenize([query], show_progress=False)
        most = min(_BEST, len(names))
        found, scores = model.retrieve(asked, k=most, show_progress=False)
        ranked = zip(found[0], scores[0], strict=True)
        return [names[at] for at, score in ranked if score > 0]

    return rank
