"""Exact search: recall and false hits against `rg -Fw` over the indexed files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import attrs

import hsum
from benchmarks.corpora import Corpus, Here
from benchmarks.harness import Row, at_least, at_most
from benchmarks.ingesting import ingest
from benchmarks.samples import crossing, identifiers, phrases, texts
from hsum.retrieve.query import parse

__all__ = ["Judge", "measure", "quoted"]

_COUNTS = {"smoke": 5, "small": 1_000, "medium": 1_000, "large": 100}
_PAGE = 100
_REACHABLE = 1_000
"""Hits of one search that can be had."""
_TOGETHER = 50
"""Files of a folder that are asked for in one search."""


@attrs.define
class Tally:
    """How many files ripgrep names, how many are found, and how many besides.

    `lacking` of the `cited` spans are not the file's bytes, or do not hold the needle.
    """

    needles: int = 0
    named: int = 0
    found: int = 0
    false: int = 0
    cited: int = 0
    lacking: int = 0

    def add(self, theirs: frozenset[str], ours: frozenset[str]) -> None:
        self.needles += bool(theirs)
        self.named += len(theirs)
        self.found += len(theirs & ours)
        self.false += len(ours - theirs)


def measure(here: Here) -> Iterator[Row]:
    if not shutil.which("rg"):
        print("ripgrep (rg) is not installed: exactness left out", file=sys.stderr)
        return
    corpus = here.corpus()
    count = here.needles or _COUNTS[corpus.name]
    with (
        tempfile.TemporaryDirectory(prefix="benchmark-") as folder,
        ingest(corpus, corpus.root, Path(folder)) as index,
    ):
        sources = texts(index, corpus.root)
        across = crossing(index, corpus.root)
        judge = Judge(index, corpus.root)
        for kind, needles, wanted in (
            ("identifiers", map(_code, identifiers(sources)), count),
            ("phrases", map(quoted, phrases(sources)), count),
            ("phrases across passages", map(quoted, across), count // 2),
        ):
            yield from _rows(kind, corpus, judge.tally(needles, wanted))


def _code(name: str) -> tuple[str, str]:
    """Return a name and the query for it: as it is, or marked where it is any word."""
    return name, name if parse(name).needles else f"`{name}`"


def quoted(phrase: str) -> tuple[str, str]:
    return phrase, f'"{phrase}"'


def _rows(kind: str, corpus: Corpus, tally: Tally) -> Iterator[Row]:
    note = f"{tally.needles} needles"
    held = tally.cited - tally.lacking
    for what, ours, against, theirs, target in (
        ("files found", tally.found, "rg -Fw", tally.named, at_least(1)),
        ("false files", tally.false, "none", 0, at_most(1)),
        ("citations whose bytes hold it", held, "cited", tally.cited, at_least(1)),
    ):
        name = f"exact {kind}, {what}"
        yield Row(name, corpus.name, "", ours, against, theirs, target, note)


class Judge:
    """Asks ripgrep and the index the same, and looks at the bytes of each answer."""

    def __init__(self, index: hsum.Index, root: Path) -> None:
        self._index = index
        self._root = root
        self._paths = {one.document_id: one.path for one in index.documents()}
        self._indexed = frozenset(self._paths.values())

    def tally(self, needles: Iterable[tuple[str, str]], count: int) -> Tally:
        """Count so many needles that ripgrep finds in the indexed files."""
        tally = Tally()
        for needle, query in needles:
            if tally.needles == count:
                break
            theirs = _ripgrep(needle, self._root) & self._indexed
            ours = self._found(needle, query, theirs, tally)
            tally.add(theirs, ours)
            if theirs != ours:
                print(f"{needle!r}: {sorted(theirs ^ ours)[:9]}", file=sys.stderr)
        return tally

    def _found(
        self, needle: str, query: str, theirs: frozenset[str], tally: Tally
    ) -> frozenset[str]:
        """Return the files of exact hits, as far as they are needed to find `theirs`.

        A thousand hits can be reached; what lies beyond them is asked for by path:
        files of one folder together, and what is too much below it folder by folder.
        """
        ours = self._reached(needle, query, theirs, None, tally)
        waiting = [("", theirs - ours)]
        while waiting:
            folder, left = waiting.pop()
            for some, globs, deeper in _parts(folder, left):
                found: frozenset[str] = frozenset()
                if len(some) <= _REACHABLE:
                    found = self._reached(needle, query, some, globs, tally)
                ours |= found
                if deeper is not None or found & some:
                    waiting.append((deeper or folder, some - found))
        return ours

    def _reached(
        self,
        needle: str,
        query: str,
        wanted: frozenset[str],
        narrowed: Sequence[str] | None,
        tally: Tally,
    ) -> frozenset[str]:
        ours: frozenset[str] = frozenset()
        for page in self._pages(query, narrowed):
            proved = [hit for hit in page if hit.ranks.exact or hit.ranks.phrase]
            for cited in _citations(proved):
                ours |= {self._paths[cited.document_id]}
                tally.cited += 1
                tally.lacking += not self._holds(cited, needle)
            if wanted and wanted <= ours:
                break
        return ours

    def _pages(self, query: str, path: Sequence[str] | None) -> Iterator[hsum.Hits]:
        cursor, more = None, True
        while more:
            page = self._index.search(
                query, limit=_PAGE, cursor=cursor, path=path, timeout_ms=60_000
            )
            yield page
            cursor = page.cursor
            more = cursor is not None

    def _holds(self, cited: hsum.Citation, needle: str) -> bool:
        evidence = self._index.get(cited, max_bytes=1 << 20)
        data = (self._root / self._paths[cited.document_id]).read_bytes()
        same = evidence.content == data[cited.start : cited.end]
        return same and needle in evidence.text


def _ripgrep(needle: str, root: Path) -> frozenset[str]:
    command = ["rg", "-Fwla", "--null", "--no-ignore", "--hidden", "--no-config"]
    command += ["--multiline"] if "\n" in needle else []
    done = subprocess.run(
        [*command, "--", needle, "."], cwd=root, capture_output=True, check=False
    )
    names = done.stdout.split(b"\0")[:-1]
    return frozenset(os.fsdecode(name).removeprefix("./") for name in names)


def _parts(
    folder: str, files: Iterable[str]
) -> Iterator[tuple[frozenset[str], list[str], str | None]]:
    """Yield files below a folder, the patterns that name them, and their own folder.

    The last is None for those that stand in the folder itself.
    """
    inside: list[str] = []
    below: dict[str, set[str]] = {}
    for path in sorted(files):
        name, slash, _ = path[len(folder) :].partition("/")
        if slash:
            below.setdefault(f"{folder}{name}/", set()).add(path)
        else:
            inside.append(path)
    for deeper, some in below.items():
        yield frozenset(some), [_glob(deeper)], deeper
    for at in range(0, len(inside), _TOGETHER):
        together = inside[at : at + _TOGETHER]
        yield frozenset(together), [*map(_glob, together)], None


def _citations(hits: Iterable[hsum.Hit]) -> Iterator[hsum.Citation]:
    for hit in hits:
        yield hit.citation
        yield from hit.duplicates


def _glob(path: str) -> str:
    """Return the gitignore pattern of one path."""
    return "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", path)
