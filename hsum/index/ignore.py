"""Match paths against gitignore patterns, as git does.

The matcher follows git's own order of work (`dir.c`, `wildmatch.c`): in one file the
last pattern that matches decides, and what can never match is dropped.  All of it is
bytes: names need not be text.  A pattern compiles to a regular expression that cannot
backtrack out of hand, since ignore files come with the tree and may be hostile.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import attrs

from hsum._kernel.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Globs", "IgnoreFile", "Pattern", "parse_pattern", "parse_patterns"]

_SPECIAL = frozenset(b"*?[\\")
_UTF8_BOM = b"\xef\xbb\xbf"


@attrs.frozen
class Pattern:
    """One line of an ignore file; `body` has no `!`, no closing and no opening `/`."""

    text: bytes
    line: int
    body: bytes
    negated: bool
    folders_only: bool
    by_path: bool

    def names(self, path: bytes) -> bool:
        """Tell whether the pattern ends in the name of the entry, without wildcards."""
        return self.body.rpartition(b"/")[2] == path.rpartition(b"/")[2]


def parse_patterns(data: bytes) -> tuple[Pattern, ...]:
    """Return the patterns of an ignore file, in its order.

    Comments, blank lines and patterns that can match nothing are left out.
    """
    lines = data.removeprefix(_UTF8_BOM).split(b"\n")
    parsed = (parse_pattern(line, at) for at, line in enumerate(lines, start=1))
    return tuple(pattern for pattern in parsed if pattern is not None)


def parse_pattern(line: bytes, at: int = 1) -> Pattern | None:
    """Return the pattern of one line, or None when it can match nothing."""
    if line.startswith(b"#"):
        return None
    text = _trimmed(line.removesuffix(b"\r").partition(b"\0")[0])
    body = text.removeprefix(b"!")
    folders_only = body.endswith(b"/")
    body = body.removesuffix(b"/")
    by_path = b"/" in body
    pattern = Pattern(text, at, body, text.startswith(b"!"), folders_only, by_path)
    return pattern if body and _expression(pattern) is not None else None


def _trimmed(line: bytes) -> bytes:
    """Cut the spaces at the end that no backslash guards."""
    bare = line.rstrip(b" ")
    guards = len(bare) - len(bare.rstrip(b"\\"))
    return line[: len(bare) + 1] if guards % 2 and bare != line else bare


# --- one pattern as a regular expression ------------------------------------------

_SLASH, _STAR, _DEEP, _DEEP_SLASH = b"/", b"*", b"**", b"**/"


def _expression(pattern: Pattern) -> bytes | None:
    """Return the regular expression of a whole name or path; None matches nothing."""
    tokens = _tokens(pattern)
    return None if tokens is None else _joined(tokens)


def _tokens(pattern: Pattern) -> list[bytes] | None:
    body = pattern.body
    if pattern.by_path:
        body = body.removeprefix(b"/")
    # git compares the part before the first wildcard as it is, and matches what
    # follows as a pattern of its own: `foo**/bar` has a leading `**`.
    first = next((at for at, byte in enumerate(body) if byte in _SPECIAL), len(body))
    tokens: list[bytes] = []
    at = 0
    while at < len(body):
        step = _token(body, at, opens=at in (first, 0) or body[at - 1 : at] == b"/")
        if step is None:
            return None
        token, at = step
        tokens.append(token)
    return tokens


def _token(body: bytes, at: int, *, opens: bool) -> tuple[bytes, int] | None:
    char = body[at : at + 1]
    if char == b"/":
        return _SLASH, at + 1
    if char == b"?":
        return b"[^/]", at + 1
    if char == b"*":
        return _star(body, at, opens=opens)
    if char == b"[":
        return _bracket(body, at)
    if char == b"\\":
        at += 1
        char = body[at : at + 1]
        if char == b"/":
            return _SLASH, at + 1
    return (re.escape(char), at + 1) if char else None


def _star(body: bytes, at: int, *, opens: bool) -> tuple[bytes, int]:
    end = at
    while body[end : end + 1] == b"*":
        end += 1
    if end - at == 1 or not opens:
        return _STAR, end
    if end == len(body) or body.startswith(b"\\/", end):
        return _DEEP, end
    return (_DEEP_SLASH, end + 1) if body[end : end + 1] == b"/" else (_STAR, end)


def _joined(tokens: Sequence[bytes]) -> bytes:
    """Join tokens; each run up to the next `**` takes the first place it fits.

    That is enough, since a run is a fixed number of whole names, and it is what keeps
    a pattern of many stars from trying every combination.
    """
    runs: list[list[bytes]] = [[]]
    for token in tokens:
        if token == _DEEP_SLASH:
            runs.append([])
        else:
            runs[-1].append(token)
    head, *deep = (_names(run) for run in runs)
    parts = [b"(?:.*?/)??" + run for run in deep]
    return head + b"".join([b"(?>" + part + b")" for part in parts[:-1]] + parts[-1:])


def _names(tokens: Sequence[bytes]) -> bytes:
    names: list[list[bytes]] = [[]]
    for token in tokens:
        if token == _SLASH:
            names.append([])
        else:
            names[-1].append(token)
    return b"/".join(_name(name) for name in names)


def _name(tokens: Sequence[bytes]) -> bytes:
    chunks: list[bytes] = [b""]
    for token in tokens:
        if token == _STAR:
            chunks.append(b"")
        else:
            chunks[-1] += b".*" if token == _DEEP else token
    head, *rest = chunks
    inner = (b"(?>[^/]*?" + chunk + b")" for chunk in rest[:-1] if chunk)
    last = (b"[^/]*" + chunk for chunk in rest[-1:])
    return head + b"".join((*inner, *last))


# --- brackets ---------------------------------------------------------------------

_CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": b" \\t",
    b"cntrl": b"\\x00-\\x1f\\x7f",
    b"digit": b"0-9",
    b"graph": b"\\x21-\\x7e",
    b"lower": b"a-z",
    b"print": b"\\x20-\\x7e",
    b"punct": b"\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
    b"space": b" \\t\\n\\r",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}


def _bracket(body: bytes, at: int) -> tuple[bytes, int] | None:
    """Read a bracket expression at `at`; None when it is malformed."""
    at += 1
    negated = body[at : at + 1] in (b"!", b"^")
    at += negated
    items: list[bytes] = []
    before = b""
    first = True
    while first or body[at : at + 1] != b"]":
        first = False
        member = _member(body, at, before)
        if member is None:
            return None
        item, before, at = member
        items.append(item)
    inside = b"".join(items)
    if negated:
        return b"[^/" + inside + b"]", at + 1
    return (b"(?!/)[" + inside + b"]" if inside else b"(?!)"), at + 1


def _member(body: bytes, at: int, before: bytes) -> tuple[bytes, bytes, int] | None:
    """Return the expression of one member, what a range may start from, and its end."""
    char = body[at : at + 1]
    following = body[at + 1 : at + 2]
    if char == b"-" and before and following and following != b"]":
        return _range(body, at + 1, before)
    if char == b"[" and following == b":":
        return _named_class(body, at)
    if char == b"\\":
        at += 1
        char = following
    return (_byte(char), char, at + 1) if char else None


def _range(body: bytes, at: int, low: bytes) -> tuple[bytes, bytes, int] | None:
    at += body[at : at + 1] == b"\\"
    high = body[at : at + 1]
    if not high:
        return None
    span = _byte(low) + b"-" + _byte(high) if low <= high else b""
    return span, b"", at + 1


def _named_class(body: bytes, at: int) -> tuple[bytes, bytes, int] | None:
    end = body.find(b"]", at + 2)
    if end < 0:
        return None
    if end == at + 2 or body[end - 1 : end] != b":":
        return _byte(b"["), b"[", at + 1
    inside = _CLASSES.get(body[at + 2 : end - 1])
    return None if inside is None else (inside, b"", end + 1)


def _byte(char: bytes) -> bytes:
    return b"\\x%02x" % char[0]


# --- many patterns ----------------------------------------------------------------


class _Table:
    """The patterns that may match one kind of entry, arranged to be asked fast.

    Most patterns are a bare name or `*` and a suffix: those are looked up.  The rest
    are two alternations, in reverse, so that the first branch that matches is the
    last pattern.
    """

    def __init__(self, patterns: Iterable[tuple[int, Pattern]], *, fold: bool) -> None:
        self._fold = fold
        self._names: dict[bytes, int] = {}
        self._suffixes: dict[bytes, int] = {}
        names: list[tuple[int, bytes]] = []
        paths: list[tuple[int, bytes]] = []
        for at, pattern in patterns:
            self._place(at, pattern, names, paths)
        self._lengths = sorted({len(suffix) for suffix in self._suffixes})
        self._name = _alternation(names, fold=fold)
        self._path = _alternation(paths, fold=fold)

    def _place(
        self,
        at: int,
        pattern: Pattern,
        names: list[tuple[int, bytes]],
        paths: list[tuple[int, bytes]],
    ) -> None:
        body = pattern.body.lower() if self._fold else pattern.body
        if pattern.by_path:
            paths.append((at, _expression(pattern) or b"(?!)"))
        elif _SPECIAL.isdisjoint(body):
            self._names[body] = at
        elif body[:1] == b"*" and _SPECIAL.isdisjoint(body[1:]):
            self._suffixes[body[1:]] = at
        else:
            names.append((at, _expression(pattern) or b"(?!)"))

    def last(self, path: bytes, name: bytes) -> int:
        """Return the index of the last pattern that matches, or -1."""
        found = _branch(self._path, path)
        if self._name is not None:
            found = max(found, _branch(self._name, name))
        if self._fold:
            name = name.lower()
        found = max(found, self._names.get(name, -1))
        for length in self._lengths:
            at = self._suffixes.get(name[len(name) - length :], -1)
            if at > found and length <= len(name):
                found = at
        return found


_Alternation = tuple[re.Pattern[bytes], tuple[int, ...]]


def _alternation(
    branches: list[tuple[int, bytes]], *, fold: bool
) -> _Alternation | None:
    if not branches:
        return None
    branches.reverse()
    joined = b"|".join(b"(" + expression + b")" for _, expression in branches)
    flags = re.DOTALL | (re.IGNORECASE if fold else 0)
    return re.compile(b"(?:" + joined + b")\\Z", flags), tuple(at for at, _ in branches)


def _branch(alternation: _Alternation | None, text: bytes) -> int:
    if alternation is None:
        return -1
    found = alternation[0].match(text)
    if found is None or found.lastindex is None:
        return -1
    return alternation[1][found.lastindex - 1]


class _Matcher:
    """Patterns with their two tables, made when they are first asked."""

    def __init__(self, patterns: tuple[Pattern, ...], *, fold: bool = False) -> None:
        self.patterns = patterns
        self._fold = fold
        self._tables: dict[bool, _Table] = {}

    def last(self, path: bytes, *, folder: bool) -> Pattern | None:
        table = self._tables.get(folder)
        if table is None:
            table = self._tables[folder] = self._table(folder=folder)
        at = table.last(path, path[path.rfind(b"/") + 1 :])
        return self.patterns[at] if at >= 0 else None

    def _table(self, *, folder: bool) -> _Table:
        numbered = enumerate(self.patterns)
        return _Table(
            ((at, each) for at, each in numbered if folder or not each.folders_only),
            fold=self._fold,
        )


class IgnoreFile:
    """The patterns of one ignore file, and where in the tree they apply.

    Paths are relative to the root of the scan: their first `cut` bytes lead to the
    folder of the file.  Of a file above the root, `prefix` leads from it to the root.
    """

    def __init__(
        self,
        data: bytes,
        *,
        source: bytes,
        cut: int = 0,
        prefix: bytes = b"",
        fold: bool = False,
    ) -> None:
        self.data = data
        self.fold = fold
        self._source = source
        self._cut = cut
        self._prefix = prefix
        self._compiled: _Matcher | None = None

    @property
    def _matcher(self) -> _Matcher:
        if self._compiled is None:
            self._compiled = _Matcher(parse_patterns(self.data), fold=self.fold)
        return self._compiled

    def last(self, path: bytes, *, folder: bool) -> Pattern | None:
        """Return the last pattern that matches, which decides, or None."""
        return self._matcher.last(self._prefix + path[self._cut :], folder=folder)

    def last_above(self, folder: bytes, depth: int) -> Pattern | None:
        """Return the last pattern that matches a folder on the way to the root.

        `folder` is relative to the top, `depth` the length of the way from there.
        """
        below = folder[depth - len(self._prefix) :]
        return self._matcher.last(below, folder=True) if below else None

    def place(self, pattern: Pattern) -> str:
        """Return file, line and text of a pattern, for people."""
        shown = b"%s:%d: %s" % (self._source, pattern.line, pattern.text)
        return shown.decode("utf-8", "backslashreplace")


class Globs:
    """A union of gitignore patterns without negation.

    A file matches when it or a folder above it does: `docs/` and `docs/**` are all
    that is below `docs`, `*.md` is every Markdown file.
    """

    def __init__(self, patterns: Iterable[str | bytes]) -> None:
        """Compile; `INVALID_ARGUMENT` when a pattern is negated or matches nothing."""
        self._patterns = tuple(_glob(pattern) for pattern in patterns)
        self._matcher = _Matcher(self._patterns)

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def matches(self, path: bytes, *, folder: bool = False) -> bool:
        """Tell whether the entry at `path`, or a folder above it, matches."""
        if not self._patterns:
            return False
        if self._matcher.last(path, folder=folder) is not None:
            return True
        at = path.find(b"/")
        while at >= 0:
            if self._matcher.last(path[:at], folder=True) is not None:
                return True
            at = path.find(b"/", at + 1)
        return False

    def may_match_below(self, folder: bytes) -> bool:
        """Tell whether something below `folder` could match; True when in doubt."""
        names = folder.split(b"/")
        return any(_may_lead(pattern, names) for pattern in self._patterns)


def _encoded(pattern: str) -> bytes:
    try:
        return pattern.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as exc:
        raise Fault(
            "TEXT_INVALID",
            f"the glob has a lone surrogate at character {exc.start}",
            details={"path": "$.path", "position": exc.start},
        ) from None


def _glob(pattern: str | bytes) -> Pattern:
    raw = pattern if isinstance(pattern, bytes) else _encoded(pattern)
    parsed = None if b"\n" in raw or b"\0" in raw else parse_pattern(raw)
    if parsed is None or parsed.negated:
        shown = raw.decode("utf-8", "backslashreplace")
        raise Fault(
            "INVALID_ARGUMENT",
            f"The glob {shown!r} cannot be used: it is negated or matches nothing.",
            hint="Give gitignore patterns without `!`, such as `docs/**` or `*.md`.",
            details={"glob": shown},
        )
    return parsed


def _may_lead(pattern: Pattern, names: list[bytes]) -> bool:
    if not pattern.by_path:
        return True
    leading = pattern.body.removeprefix(b"/").split(b"/")[:-1]
    for wanted, name in zip(leading, names, strict=False):
        if not _SPECIAL.isdisjoint(wanted):
            return True
        if wanted != name:
            return False
    return len(names) <= len(leading)
