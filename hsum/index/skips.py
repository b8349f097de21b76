"""Why an entry of the tree is not indexed.

`REASONS` is the one ordered list; a skip is the answer of the first that matches.
`of_entry` asks those that names and rules answer, `of_size` and `of_bytes` the rest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import attrs

from hsum.index.decode import UNKNOWN, exact_text
from hsum.index.ignore import Globs

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "BY_BYTES",
    "BY_RULE",
    "REASONS",
    "Entry",
    "Policy",
    "Skip",
    "of_bytes",
    "of_entry",
    "of_size",
]

SYMLINK = "symlink"
SPECIAL = "special"
REPOSITORY = "repository"
FORGOTTEN = "forgotten"
EXCLUDED = "excluded"
NOT_INCLUDED = "not_included"
SECRET = "secret"  # noqa: S105 - a reason, not a password
IGNORED = "ignored"
HIDDEN = "hidden"
FOLDER = "folder"
TOO_LARGE = "too_large"
UNREADABLE = "unreadable"
UNSTABLE = "changed_while_read"
BINARY = "binary"
GENERATED = "generated"

BY_RULE = (
    REPOSITORY,
    FORGOTTEN,
    EXCLUDED,
    NOT_INCLUDED,
    SECRET,
    IGNORED,
    HIDDEN,
    FOLDER,
)
YIELDING = (IGNORED, HIDDEN, FOLDER)
"""A tracked file is never hidden by these; `include` lifts them."""
BY_BYTES = (BINARY, GENERATED)
REASONS = (SYMLINK, SPECIAL, *BY_RULE, TOO_LARGE, UNREADABLE, UNSTABLE, *BY_BYTES)


@attrs.frozen
class Skip:
    """One entry that is not indexed; the path of a folder ends in `/`."""

    path: bytes
    reason: str
    detail: str = ""


Answer = tuple[str, str]
"""A reason and its detail."""


# --- decided from the name and the rules ------------------------------------------


@attrs.frozen
class Policy:
    """The options of an ingest, compiled."""

    include: Globs = attrs.field(factory=lambda: Globs(()))
    exclude: Globs = attrs.field(factory=lambda: Globs(()))
    forgotten: frozenset[bytes] = frozenset()
    allow_sensitive: bool = False
    no_ignore: bool = False
    max_file_bytes: int = 2 * 1024 * 1024


@attrs.frozen
class Entry:
    """One name in a folder; `siblings` are all the names beside it.

    `tracked` is whether git tracks it or something below it, `inherited` what hides
    the untracked part of the folder, `ignored` asks the ignore files for the rule
    that hides it, `wanted` whether one takes it in by name: `!vendor/`.
    """

    path: bytes
    name: bytes
    folder: bool
    tracked: bool
    siblings: frozenset[bytes]
    inherited: Answer | None
    ignored: Callable[[], str | None]
    wanted: Callable[[], bool]


def of_entry(entry: Entry, policy: Policy) -> Answer | None:
    """Return why the entry is out by its name and the rules, or None."""
    lifted = bool(policy.include) or (entry.tracked and not entry.folder)
    for reason, predicate in _RULES[: _LIFTED if lifted else None]:
        detail = predicate(entry, policy)
        if detail is not None:
            return reason, detail
    return None if lifted else entry.inherited


def _repository(entry: Entry, _: Policy) -> str | None:
    return "" if entry.name == b".git" else None


def _forgotten(entry: Entry, policy: Policy) -> str | None:
    return "" if entry.path in policy.forgotten else None


def _excluded(entry: Entry, policy: Policy) -> str | None:
    return "" if policy.exclude.matches(entry.path, folder=entry.folder) else None


def _not_included(entry: Entry, policy: Policy) -> str | None:
    include = policy.include
    if not include or include.matches(entry.path, folder=entry.folder):
        return None
    return None if entry.folder and include.may_match_below(entry.path) else ""


_SECRET_FILES = re.compile(
    rb"""(?isx)
    (?: .*/ )? (?:
    \.env [^/]*
    | [^/]* \. (?: pem | key | p12 | pfx | jks | keystore | kdbx | ppk )
    | id_ (?: rsa | dsa | ecdsa | ed25519 ) [^/]*
    | \.netrc | _netrc | \.pgpass | \.my\.cnf | \.npmrc | \.pypirc | \.htpasswd
    | \.git-credentials | \.dockercfg | \.docker/config\.json | \.vault-token
    )"""
)
_SECRET_FOLDERS = frozenset(
    (b".ssh", b".gnupg", b".aws", b".kube", b".gcloud", b".password-store")
)


def _secret(entry: Entry, policy: Policy) -> str | None:
    if policy.allow_sensitive:
        return None
    if entry.folder:
        return "credential folder" if entry.name.lower() in _SECRET_FOLDERS else None
    return "name" if _SECRET_FILES.fullmatch(entry.path) else None


def _ignored(entry: Entry, policy: Policy) -> str | None:
    return None if policy.no_ignore else entry.ignored()


def _hidden(entry: Entry, _: Policy) -> str | None:
    return "" if entry.name.startswith(b".") else None


_ALWAYS = {b"node_modules": "installed packages", b"__pycache__": "compiled Python"}
_UNTRACKED = frozenset((b"build", b"dist", b"vendor"))
BUILD_FILES = frozenset((b"Cargo.toml", b"pom.xml"))


def _folder(entry: Entry, _: Policy) -> str | None:
    if not entry.folder:
        return None
    if entry.name == b"target" and not BUILD_FILES.isdisjoint(entry.siblings):
        return "build output"
    if entry.name in _UNTRACKED and not (entry.tracked or entry.wanted()):
        return "untracked build or vendor folder"
    return _ALWAYS.get(entry.name)


_RULES: tuple[tuple[str, Callable[[Entry, Policy], str | None]], ...] = (
    (REPOSITORY, _repository),
    (FORGOTTEN, _forgotten),
    (EXCLUDED, _excluded),
    (NOT_INCLUDED, _not_included),
    (SECRET, _secret),
    (IGNORED, _ignored),
    (HIDDEN, _hidden),
    (FOLDER, _folder),
)
_LIFTED = -len(YIELDING)


# --- decided from the size, then from the bytes -----------------------------------

_GENERATED_NAMES = re.compile(
    rb"""(?sx)
    .* [.-] min \. (?: js | mjs | cjs | css ) | .* \. (?: js | mjs | cjs | css ) \. map
    | package-lock\.json | npm-shrinkwrap\.json | yarn\.lock | pnpm-lock\.yaml
    | Cargo\.lock | poetry\.lock | uv\.lock | pdm\.lock | Pipfile\.lock
    | composer\.lock | Gemfile\.lock | go\.sum | flake\.lock
    | .* _pb2 (?: _grpc )? \.pyi? | .* \.pb\.go | .* \.pb\.(?: cc | h )
    """
)
_SNIFF = 8_000
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b") | {0x7F})
_MOST_CONTROLS = 8
_GENERATED_FROM = 64 * 1024
_LONG_LINE = 5_000


def of_size(name: bytes, size: int, policy: Policy) -> Answer | None:
    """Return why a file need not be read, from its size and its name, or None."""
    if size > policy.max_file_bytes:
        return TOO_LARGE, f"{size} bytes"
    return (GENERATED, "name") if _GENERATED_NAMES.fullmatch(name) else None


def of_bytes(data: bytes, encoding: str) -> Answer | None:
    """Return why the bytes of a file are not indexed, or None."""
    head = data[:_SNIFF]
    if encoding == UNKNOWN and b"\0" in head:
        return BINARY, "NUL byte"
    if _has_controls(head, encoding):
        return BINARY, "control bytes"
    return (GENERATED, "long lines") if _has_long_lines(data) else None


def _has_controls(head: bytes, encoding: str) -> bool:
    if encoding.startswith("utf-16"):
        # Halves of characters are bytes below 32; a lone surrogate is the sign of
        # something that is no text, so it counts as a control.
        text = exact_text(head, encoding)
        head = text.encode("latin-1", "replace") + _CONTROL[:1] * len(
            _LONE.findall(text)
        )
    controls = len(head) - len(head.translate(None, _CONTROL))
    return controls > _MOST_CONTROLS and controls * 100 > len(head)


_LONE = re.compile("[\ud800-\udfff]")


def _has_long_line(data: bytes) -> bool:
    """Look from line end to line end, as far ahead as a line may reach."""
    start, last = 0, len(data) - _LONG_LINE
    while start < last:
        start = data.rfind(b"\n", start, start + _LONG_LINE + 1) + 1
        if not start:
            return True
    return False


def _has_long_lines(data: bytes) -> bool:
    if len(data) <= _GENERATED_FROM or not _has_long_line(data):
        return False
    long = sum(len(line) for line in data.split(b"\n") if len(line) > _LONG_LINE)
    return long * 2 > len(data)
