"""Check citations of texts against the working tree, a lock and an index.

Three steps: find out what each citation was pinned to, search the tree once for all
bytes that have left their place, and judge.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, NamedTuple, Protocol

import attrs

from hsum.check.find import find
from hsum.check.fix import relined
from hsum.check.pins import Pin, key_of, line_span, pin_of
from hsum.check.places import find_places
from hsum.check.quotes import quote_beside
from hsum.check.tree import WorkingTree, candidates
from hsum.check.verdicts import Observed, State, judge
from hsum.index.decode import decode
from hsum.index.languages import language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hsum.model.check import Finding, Found
    from hsum.model.evidence import Place

# What tells the language of a file whose name does not.
_HEAD = 4_096

__all__ = ["Cited", "Indexed", "NoIndex", "Text", "check"]


class Indexed(Protocol):
    """What an index tells about citations."""

    def head(self, path: str) -> bytes | None:
        """Return the bytes of a path as indexed last; None where it never was."""

    def cited(self, uri: str) -> Cited | str:
        """Return what a URI cites, or why it does not resolve."""

    def cite(self, place: Place, data: bytes) -> str | None:
        """Return a URI for a place in a file, if `data` is what was indexed of it."""


class Cited(NamedTuple):
    """What a URI cites, as an index has it.

    Attributes:
        root: what was indexed; None where that is not known.
        path: from that root.
        whole: the cited revision.
        span: the URI's, which may run past the end.
    """

    root: bytes | None
    path: str
    whole: bytes
    span: tuple[int, int]


class NoIndex:
    """Know nothing."""

    def head(self, path: str) -> bytes | None:  # noqa: ARG002
        """Return None: no path was ever indexed."""
        return None

    def cited(self, uri: str) -> Cited | str:  # noqa: ARG002
        """Say that no index was given."""
        return "no index and no lock file knows this citation"

    def cite(self, place: Place, data: bytes) -> str | None:  # noqa: ARG002
        """Return None: nothing was indexed."""
        return None


@attrs.frozen
class Text:
    """A citing text; `file` is its path from the root, None for a bare text.

    A bare text cites as if it stood in the folder `within`.
    """

    text: str
    file: str | None = None
    within: str = ""

    @property
    def prose(self) -> bool:
        """Whether it is written for people, and not code or data."""
        if self.file is None:
            return True
        head = self.text[:_HEAD].encode("utf-8", "surrogateescape")
        return language_of(os.fsencode(self.file), head).kind == "prose"

    @property
    def folder(self) -> str:
        """The folder of the file, from the root."""
        return self.within if self.file is None else os.path.dirname(self.file)


@attrs.frozen
class Checked:
    """The findings of one text, and the pins of its citations by key."""

    text: Text
    findings: tuple[Finding, ...]
    pins: Mapping[str, Pin]


@attrs.define
class _Case:
    """One citation on its way to a verdict; `tree` is what its path starts from."""

    found: Found
    state: State
    tree: WorkingTree
    path: str | None = None
    pin: Pin | None = None
    reason: str = ""


def check(
    texts: Iterable[Text],
    tree: WorkingTree,
    *,
    lock: Mapping[str, Pin] | None = None,
    index: Indexed | None = None,
) -> list[Checked]:
    """Judge every citation of every text.

    Lines are looked for in `tree`, and what a URI cites where it was indexed. Only
    pins of `tree` are given back, for only they can be found again without an index.
    """
    known = index or NoIndex()
    with contextlib.ExitStack() as stack:
        resolver = _Resolver(_Trees(tree, stack), lock or {}, known)
        opened = [(text, resolver.cases(text)) for text in texts]
        strays: dict[WorkingTree, list[Pin]] = {}
        for _, cases in opened:
            for case in cases:
                if case.pin and not _intact(case):
                    strays.setdefault(case.tree, []).append(case.pin)
        places = {
            each: find_places(pins, each.files()) for each, pins in strays.items()
        }
        return [_judged(text, cases, tree, places, known) for text, cases in opened]


class _Trees:
    """The tree of the texts, and those of the indexes that are cited."""

    def __init__(self, own: WorkingTree, stack: contextlib.ExitStack) -> None:
        self.own = own
        self._stack = stack
        self._opened = {own.root: own}

    def at(self, root: bytes | None) -> WorkingTree:
        """Return the tree at a root; the own one where there is none any more."""
        if root is None:
            return self.own
        if root not in self._opened:
            try:
                tree = self._stack.enter_context(WorkingTree(root))
            except OSError:
                tree = self.own
            self._opened[root] = tree
        return self._opened[root]


def _judged(
    text: Text,
    cases: list[_Case],
    tree: WorkingTree,
    places: Mapping[WorkingTree, Mapping[str, tuple[Place, ...]]],
    index: Indexed,
) -> Checked:
    quoted = quote_beside(text.text, [case.found for case in cases])
    findings = []
    for case in cases:
        seen = _observed(case, places.get(case.tree, {}))
        quote = quoted.get(case.found)
        words = quote.text.strip() if quote else None
        finding = judge(case.found, seen, file=text.file, quote=words)
        findings.append(_with_replacement(finding, case.tree, index))
    pins = {case.pin.key: case.pin for case in cases if case.pin and case.tree is tree}
    return Checked(text, tuple(findings), pins)


def _with_replacement(finding: Finding, tree: WorkingTree, index: Indexed) -> Finding:
    place = finding.moved_to
    if place is None:
        return finding
    if finding.found.form == "lines":
        return attrs.evolve(finding, replacement=relined(finding))
    return attrs.evolve(
        finding, replacement=index.cite(place, tree.read(place.path) or b"")
    )


class _Resolver:
    """Tell which bytes a citation was about: by the lock first, then by the index."""

    def __init__(self, trees: _Trees, lock: Mapping[str, Pin], index: Indexed) -> None:
        self._trees = trees
        self._tree = trees.own
        self._lock = lock
        self._index = index
        self._locked_paths = {pin.path for pin in lock.values()}

    def cases(self, text: Text) -> list[_Case]:
        """Open a case for every citation of a text."""
        found = find(
            text.text,
            lambda path: self._known(path, text.folder),
            prose=text.prose,
        )
        return [
            self._uri(one) if one.form == "uri" else self._lines(one, text.folder)
            for one in found
        ]

    def _known(self, written: str, folder: str) -> bool:
        return self._place(written, folder) is not None

    def _place(self, written: str, folder: str) -> str | None:
        """Return the path that is meant, now in the tree or known from before."""
        path = self._tree.resolve(written, folder)
        if path is not None:
            return path
        for path in candidates(written, folder):
            if path in self._locked_paths or self._index.head(path) is not None:
                return path
        return None

    def _uri(self, found: Found) -> _Case:
        pin = self._lock.get(found.raw)
        if pin is not None:
            return _Case(found, "pinned", self._tree, pin.path, pin)
        known = self._index.cited(found.raw)
        if isinstance(known, str):
            return _Case(found, "unresolvable", self._tree, reason=known)
        root, path, whole, span = known
        tree = self._trees.at(root)
        if span[1] > len(whole):
            reason = f"the cited revision has only {len(whole):,} bytes"
            return _Case(found, "past_end", tree, path, reason=reason)
        return _Case(found, "pinned", tree, path, pin_of(found.raw, path, whole, span))

    def _lines(self, found: Found, folder: str) -> _Case:
        path = self._place(found.path or "", folder)
        if path is None:
            reason = f"no file {found.path} is known here"
            return _Case(found, "unresolvable", self._tree, reason=reason)
        pin = self._lock.get(key_of(found, path))
        if pin is not None:
            return _Case(found, "pinned", self._tree, path, pin)
        return self._by_bytes(found, path)

    def _by_bytes(self, found: Found, path: str) -> _Case:
        """Open the case of lines that no lock pins.

        Whether they were meant before or after the last edit, nothing tells; only
        when the file is missing can they mean nothing but what was indexed.
        """
        data = self._tree.read(path)
        whole = self._index.head(path) if data is None else data
        span = line_span(whole, found.lines or (0, 0)) if whole is not None else None
        if whole is None or span is None:
            reason = _beyond(found, path, whole)
            return _Case(found, "past_end", self._tree, path, reason=reason)
        pin = pin_of(key_of(found, path), path, whole, span)
        state: State = "pinned" if data is None else "unpinned"
        return _Case(found, state, self._tree, path, pin)


def _beyond(found: Found, path: str, data: bytes | None) -> str:
    first, last = found.lines or (0, 0)
    if last < first:
        return f"line {last} comes before line {first}"
    return f"{path} has only {_line_count(data or b''):,} lines"


def _line_count(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def _intact(case: _Case) -> bool:
    return case.pin is not None and _bytes_in_place(case) is not None


def _bytes_in_place(case: _Case) -> bytes | None:
    """Return the pinned bytes when they stand where the citation says they do."""
    pin, data = case.pin, case.tree.read(case.pin.path) if case.pin else None
    if pin is None or data is None:
        return None
    lines = case.found.lines
    span = (pin.start, pin.end) if lines is None else line_span(data, lines)
    part = None if span is None else data[slice(*span)]
    return part if part is not None and pin.matches(part) else None


def _observed(case: _Case, found: Mapping[str, tuple[Place, ...]]) -> Observed:
    if case.pin is None:
        return Observed(state=case.state, path=case.path, reason=case.reason)
    data = _bytes_in_place(case)
    stray = () if data is not None else found.get(case.pin.key, ())
    places = tuple(_as_many_lines(place, case.found.lines) for place in stray)
    standing = _bytes_at(case.tree, places[0]) if places else data
    return Observed(
        state=case.state,
        path=case.path,
        intact=data is not None,
        places=places,
        text=None if standing is None else decode(standing).text,
        reason=case.reason,
    )


def _as_many_lines(place: Place, cited: tuple[int, int] | None) -> Place:
    """Return a place with as many lines as are cited.

    An empty last line has no byte of its own that would tell it.
    """
    if cited is None:
        return place
    first = place.lines[0]
    return attrs.evolve(place, lines=(first, first + cited[1] - cited[0]))


def _bytes_at(tree: WorkingTree, place: Place) -> bytes | None:
    whole = tree.read(place.path)
    return None if whole is None else whole[place.start : place.end]
