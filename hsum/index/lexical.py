"""The BM25 index of one generation: the only module that knows tantivy.

A lexical directory is derived data. It holds one document for each passage of each
living version, and can be rebuilt from SQLite at any time. Each generation has a
directory of its own, hard-linked from the one before, so that a reader keeps what
it opened whatever is written later.
"""

from __future__ import annotations

import contextlib
import json
from errno import ENOENT, ENOTDIR
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import tantivy

from hsum._kernel.faults import Fault
from hsum._kernel.files import fsync_dir, os_fault, translating_os
from hsum.index.expressions import AnyOf, Boosted, Phrase, Preferring, Term, Within
from hsum.index.lexical_files import (
    MUTABLE,
    damaged_small_files,
    files_of,
    fsync_file,
    inherit,
    lockable,
    sha256,
)
from hsum.index.matches import Match, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from hsum.index.expressions import Expression
    from hsum.index.languages import Kind

__all__ = [
    "LEXICAL_VERSION",
    "LONGEST_TOKEN",
    "LexicalDocument",
    "Reader",
    "Token",
    "Writer",
    "analyze",
    "dead_passages",
]

# Raised whenever the same passages would be indexed otherwise.
LEXICAL_VERSION = 2

# Bytes of UTF-8. Longer ones are base64 and the like: they would fill the term
# dictionary, and are found by scanning.
LONGEST_TOKEN = 200
# One thread writes: what prepares passages keeps another core busy, segments do not
# depend on chance, and so few of them need no merging, which would map them all.
_HEAP_BYTES = 150_000_000
_THREADS = 1
# Read when a directory is first opened: some 4 ms, and all there is of a small index.
_VOUCHED_BYTES = 4 * 1024 * 1024
# Nearly always enough to see the score drop after the last one asked for.
_TIES = 16
_FIELDS = (
    ("body", "words", "position"),
    ("border", "words", "position"),
    ("parts", "words", "freq"),
    ("cjk", "spaced", "freq"),
    ("stem", "stems", "position"),
    ("symbols", "words", "freq"),
    ("declares", "words", "position"),
    ("path", "words", "freq"),
    ("kind", "raw", "basic"),
)


@attrs.frozen
class LexicalDocument:
    """One passage as the lexical index sees it.

    Attributes:
        version: the key of the document's version; `Writer.delete` takes it.
        ordinal: the place of the passage in its revision, from 0.
        body: the search view of the passage.
        border: the last tokens of the text before it and the first from it on.
        parts: the parts of its camelCase names.
        cjk: bigrams of Han, Kana and Hangul, separated by spaces.
        stem: the body again where it is prose, to be stemmed; else empty.
        symbols: the names it declares and those that enclose it.
        declares: the names it declares.
        path: the words of the path.
        kind: what sort of text it is.
        digest: a signed 64-bit number that equal bytes share.
    """

    version: int
    ordinal: int
    body: str
    border: str = ""
    parts: str = ""
    cjk: str = ""
    stem: str = ""
    symbols: str = ""
    declares: str = ""
    path: str = ""
    kind: Kind = "code"
    digest: int = 0


@attrs.frozen
class Token:
    """One token of a text; positions count dropped tokens too."""

    position: int
    text: str


@contextlib.contextmanager
def translating_tantivy(directory: Path) -> Iterator[None]:
    """Turn what tantivy raises, panics included, into `LEXICAL_UNAVAILABLE`."""
    try:
        yield
    except (ValueError, OSError) as exc:
        raise _fault_of(exc, directory) from exc
    except BaseException as exc:
        # A panic of Rust code is a BaseException of a class that cannot be imported.
        if type(exc).__name__ != "PanicException":
            raise
        raise _fault_of(exc, directory) from exc


def _fault_of(exc: BaseException, directory: Path) -> Fault:
    text = str(exc)
    if _KILLED in text:
        # A worker of the writer died, and tantivy does not say what of.
        with translating_os(directory):
            _probe(directory)
    if isinstance(exc, OSError) and exc.errno not in (None, ENOENT, ENOTDIR):
        return os_fault(exc, directory)
    for mark, code in _MARKS.items():
        if mark in text:
            return Fault(code, f"the lexical index could not be written: {text}")
    return Fault(
        "LEXICAL_UNAVAILABLE",
        f"the lexical index {directory.name} cannot be used: {text}",
        details={"directory": directory.name},
    )


def _probe(directory: Path) -> None:
    """Raise the `OSError` that writing into the directory gives, if any."""
    path = directory / ".tmp-probe"
    try:
        path.write_bytes(bytes(_PROBE_BYTES))
    finally:
        path.unlink(missing_ok=True)


_KILLED = "writer was killed"
_PROBE_BYTES = 65_536
_MARKS = {
    "StorageFull": "DISK_FULL",
    "No space left": "DISK_FULL",
    "os error 28": "DISK_FULL",
    "os error 27": "QUOTA_EXCEEDED",
    "os error 122": "QUOTA_EXCEEDED",
    "LockBusy": "WRITER_BUSY",
}


def _analyzers() -> dict[str, tantivy.TextAnalyzer]:
    def simple() -> tantivy.TextAnalyzerBuilder:
        builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        return (
            builder.filter(tantivy.Filter.remove_long(LONGEST_TOKEN + 1))
            .filter(tantivy.Filter.lowercase())
            .filter(tantivy.Filter.ascii_fold())
        )

    return {
        "words": simple().build(),
        "stems": simple().filter(tantivy.Filter.stemmer("english")).build(),
        "raw": tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).build(),
        "spaced": tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build(),
    }


_ANALYZERS = _analyzers()
_ANALYZER_OF = {name: _ANALYZERS[tokenizer] for name, tokenizer, _ in _FIELDS}


def analyze(text: str, field: str = "body") -> tuple[Token, ...]:
    """Cut a text into the tokens that `field` holds for it."""
    if text.isascii():
        words = _ANALYZER_OF[field].analyze(text)
        if not _may_have_dropped(text):
            return tuple(Token(at, word) for at, word in enumerate(words))
    cut = _ANALYZER_OF[field].pre_tokenize(text)
    return tuple(Token(token.position, token.text) for token in cut.tokens)


def _may_have_dropped(text: str) -> bool:
    return len(text) > LONGEST_TOKEN


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    # Deleting by an integer term deletes nothing, in silence: hence the text key.
    builder.add_text_field("version", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("place", fast=True)
    builder.add_integer_field("digest", fast=True, indexed=True)
    for name, tokenizer, option in _FIELDS:
        builder.add_text_field(name, tokenizer_name=tokenizer, index_option=option)
    return builder.build()


_SCHEMA = _schema()


class Writer:
    """Write the lexical directory of one generation; use it once.

    It becomes visible only when the caller publishes the directory's name.
    Another thread may not use it at the same time.
    """

    def __init__(
        self, directory: Path | str, *, base: Path | str | None = None
    ) -> None:
        """Make `directory`, with what `base` holds.

        Raises:
            Fault: `LEXICAL_UNAVAILABLE` (a damaged base), `DISK_FULL` and others
                of the OS; nothing is left behind.
        """
        self.directory = Path(directory)
        self._inherited: frozenset[str] = frozenset()
        with translating_os(self.directory):
            self.directory.mkdir(mode=0o700, parents=True)
        try:
            if base is not None:
                self._inherited = inherit(Path(base), self.directory)
            self._writer = self._open()
        except BaseException:
            self.abort()
            raise

    def _open(self) -> tantivy.IndexWriter:
        with translating_tantivy(self.directory):
            index = _open_index(self.directory, create=not self._inherited)
            return index.writer(_HEAP_BYTES, _THREADS)

    def delete(self, version: int) -> None:
        """Remove all passages of a version."""
        with translating_tantivy(self.directory):
            self._writer.delete_documents_by_term("version", str(version))

    def extend(self, passages: Iterable[LexicalDocument]) -> None:
        """Add passages."""
        documents = [_document(passage) for passage in passages]
        with translating_tantivy(self.directory):
            for document in documents:
                self._writer.add_document(document)

    def commit(self, known: Mapping[str, str] | None = None) -> dict[str, str]:
        """Make all of it durable; return the SHA-256 of each file by its name.

        Args:
            known: the hashes of the base's files, which are not computed again.
        """
        with translating_tantivy(self.directory):
            self._writer.commit()
            self._writer.wait_merging_threads()
            self._drop_merged()
        with translating_os(self.directory):
            return self._flush(known or {})

    def _drop_merged(self) -> None:
        # Segments that were merged stay on the disk until the next collection.
        writer = _open_index(self.directory).writer(15_000_000, 1)
        writer.garbage_collect_files()
        writer.wait_merging_threads()

    def _flush(self, known: Mapping[str, str]) -> dict[str, str]:
        hashes = {}
        for path in files_of(self.directory):
            old = path.name in self._inherited and path.name not in MUTABLE
            if not old:
                fsync_file(path)
            hashes[path.name] = (known.get(path.name) if old else None) or sha256(path)
        fsync_dir(self.directory)
        fsync_dir(self.directory.parent)
        return hashes

    def abort(self) -> None:
        """Give up: remove the directory."""
        with contextlib.suppress(AttributeError):
            del self._writer
        import shutil

        shutil.rmtree(self.directory, ignore_errors=True)


def _document(passage: LexicalDocument) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("version", str(passage.version))
    document.add_integer(
        "place", place_of(passage.version, passage.ordinal, passage.kind)
    )
    document.add_integer("digest", passage.digest)
    for name, _, _ in _FIELDS:
        text = getattr(passage, name)
        if text:
            document.add_text(name, text)
    return document


def _open_index(directory: Path, *, create: bool = False) -> tantivy.Index:
    if create:
        index = tantivy.Index(_SCHEMA, str(directory), reuse=False)
    else:
        index = tantivy.Index.open(str(directory))
    for name, analyzer in _ANALYZERS.items():
        index.register_tokenizer(name, analyzer)
    return index


_NOTHING = AnyOf(()), tantivy.Query.empty_query()
_FEW = 2

# Many are made in each search: `Match` itself takes three times as long.
_match: Callable[[tuple[Any, ...]], Match] = partial(tuple.__new__, Match)


class Reader:
    """Search one lexical directory, as it was when it was opened.

    It stays usable when the directory is removed. Threads may share it.
    """

    def __init__(
        self,
        directory: Path | str,
        *,
        cache: Callable[[], Path] | None = None,
        hashes: Mapping[str, str] | None = None,
    ) -> None:
        """Open a directory.

        Args:
            directory: what a `Writer` committed.
            cache: tells where to keep a copy of it if it cannot be written, for
                opening takes a lock file. None stands for a copy that is dropped
                again.
            hashes: what its files must be. The smallest are read first and held to
                them, for tantivy believes what it reads: a flipped bit is another
                order, or a length that aborts the process.

        Raises:
            Fault: `LEXICAL_UNAVAILABLE` when it is missing or damaged.
        """
        self.directory = Path(directory)
        with translating_tantivy(self.directory):
            if not (self.directory / "meta.json").is_file():
                raise ValueError("it is missing")
            found = damaged_small_files(self.directory, hashes or {}, _VOUCHED_BYTES)
            if found:
                raise ValueError(f"damaged: {', '.join(found)}")
            self.dead = dead_passages(self.directory)
            with lockable(self.directory, cache) as usable:
                self._index = tantivy.Index.open(str(usable))
                self._searcher = self._index.searcher()
            self._schema = self._index.schema
        self._last: tuple[AnyOf, tantivy.Query] = _NOTHING

    def __repr__(self) -> str:
        return f"<Reader {self.directory.name}: {self.alive} passages>"

    @property
    def alive(self) -> int:
        """Return the number of passages that can be found."""
        return self._searcher.num_docs

    def frequency(self, field: str, token: str) -> int:
        """Return in how many passages a token stands, dead ones included."""
        with translating_tantivy(self.directory):
            return self._searcher.doc_freq(field, token)

    def twins(self, digest: int) -> list[Match]:
        """Return the passages whose bytes have this digest, if there are several."""
        with translating_tantivy(self.directory):
            most = self._searcher.doc_freq("digest", digest)
            if most < 2:
                return []
            query = tantivy.Query.term_query(self._schema, "digest", digest)
            hits = self._searcher.search(query, most, count=False).hits
            return self._matches(hits)

    def count(self, expression: Expression) -> int:
        """Return how many passages an expression finds."""
        with translating_tantivy(self.directory):
            # The attribute is missing from the library's type stubs.
            found: Any = self._searcher.search(
                self._compiled(expression), 1, count=True
            )
            return int(found.count)

    def search(self, expression: Expression, depth: int) -> list[Match]:
        """Return the best `depth` passages, and all that tie with the last of them.

        Equal scores come in no order that means anything.
        """
        with translating_tantivy(self.directory):
            query = self._compiled(expression)
            wanted = depth + _TIES
            while True:
                hits = self._searcher.search(query, wanted, count=False).hits
                if len(hits) < wanted or hits[-1][0] < hits[depth - 1][0]:
                    break
                wanted *= 4
            floor = hits[depth - 1][0] if len(hits) > depth else 0.0
            return self._matches([hit for hit in hits if hit[0] >= floor])

    def batches(self, expression: Expression, first: int) -> Iterator[list[Match]]:
        """Yield all passages, best first, in growing batches."""
        done, size = 0, first
        while True:
            with translating_tantivy(self.directory):
                query = self._compiled(expression)
                hits = self._searcher.search(query, size, count=False, offset=done).hits
                matches = self._matches(hits)
            if matches:
                yield matches
            if len(hits) < size:
                return
            done, size = done + size, 4 * size

    def _matches(self, hits: list[tuple[Any, tantivy.DocAddress]]) -> list[Match]:
        scores = map(itemgetter(0), hits)
        addresses = [hit[1] for hit in hits]
        places: Any = self._searcher.fast_field_values("place", addresses)
        digests: Any = self._searcher.fast_field_values("digest", addresses)
        return list(map(_match, zip(scores, places, digests, strict=True)))

    def _compiled(self, expression: Expression) -> tantivy.Query:
        compiled, schema = self._compiled, self._schema
        match expression:
            case Boosted(part, factor):
                return tantivy.Query.boost_query(compiled(part), factor)
            case Term(field, token):
                return tantivy.Query.term_query(schema, field, token)
            case Phrase(field, ((_, token),)):
                # tantivy panics on a phrase of one word.
                return tantivy.Query.term_query(schema, field, token)
            case Phrase(field, tokens):
                return tantivy.Query.phrase_query(schema, field, list(tokens))
            case Within(part, versions):
                return self._within(compiled(part), versions)
            case AnyOf():
                return self._any_of(expression)
            case Preferring(part, extra):
                return tantivy.Query.boolean_query(
                    [
                        (tantivy.Occur.Must, compiled(part)),
                        (tantivy.Occur.Should, compiled(extra)),
                    ]
                )

    def _any_of(self, expression: AnyOf) -> tantivy.Query:
        # The words of a query are asked in several searches of it, one after the other.
        kept, query = self._last
        if kept is not expression:
            parts = map(self._compiled, expression.parts)
            query = _joined(tantivy.Occur.Should, parts)
            if len(expression.parts) > _FEW:
                self._last = expression, query
        return query

    def _within(self, query: tantivy.Query, versions: Iterable[int]) -> tantivy.Query:
        keys = [str(version) for version in versions]
        allowed = tantivy.Query.term_set_query(self._schema, "version", keys)
        silent = tantivy.Query.const_score_query(allowed, 0.0)
        return _joined(tantivy.Occur.Must, (query, silent))


def _joined(occur: tantivy.Occur, queries: Iterable[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(occur, query) for query in queries])


def dead_passages(directory: Path) -> int:
    """Return how many deleted passages a directory still holds."""
    meta = json.loads((directory / "meta.json").read_text("utf-8"))
    try:
        deletes = [segment.get("deletes") for segment in meta["segments"]]
        return sum(found["num_deleted_docs"] for found in deletes if found)
    except (AttributeError, LookupError, TypeError) as exc:
        raise ValueError("meta.json is damaged") from exc
