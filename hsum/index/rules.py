"""Which rules hold in which folder of a scan.

The rules of a folder are those of its parent and its own ignore file; a repository
within the tree starts anew.  Each set of rules has a key, made of all that can change
a verdict: while the key stands, verdicts of an earlier scan do too.
"""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING

import attrs

from hsum.index import skips
from hsum.index.git import (
    GitFailed,
    Repository,
    Settings,
    Tracked,
    enclosing,
    repository_at,
)
from hsum.index.ignore import IgnoreFile
from hsum.index.reading import Read, read_stable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from hsum.index.skips import Answer, Policy

__all__ = ["Rulebook", "Rules"]

_VERSION = b"2"
"""Raise it when the predicates of `skips` change their mind."""

_NAME = b".gitignore"
_LARGEST = 16 * 1024 * 1024
_VENV: Answer = (skips.FOLDER, "virtual environment")


_KEY_BYTES = 16


def _key(*parts: bytes) -> bytes:
    hashed = hashlib.blake2b(digest_size=_KEY_BYTES)
    for part in parts:
        hashed.update(len(part).to_bytes(8, "little") + part)
    return hashed.digest()


class _Tracking:
    """The tracked set of one repository, asked of git only when it must be.

    `known` is the `record` of an earlier scan: while git's index stands as it was, the
    digest of the tracked set does too.
    """

    def __init__(
        self,
        repository: Repository,
        folder: bytes,
        prefix: bytes,
        warnings: list[str],
        known: bytes,
    ) -> None:
        self._repository = repository
        self._folder = folder
        self._prefix = prefix
        self._warnings = warnings
        self._answer: Tracked | None = None
        self.failed = False
        stamp = b"\0" + _key(repository.stamp())
        self.record = known if known.startswith(stamp) else stamp + self._digest()

    @property
    def _tracked(self) -> Tracked:
        if self._answer is None:
            self._answer = self._ask()
        return self._answer

    def _ask(self) -> Tracked:
        try:
            return self._repository.tracked(self._folder, self._prefix)
        except GitFailed as error:
            self.failed = True
            _warn_of_git(self._warnings, self._repository, error)
            return Tracked()

    def _digest(self) -> bytes:
        return _key(*sorted(self._tracked.files))

    @property
    def digest(self) -> bytes:
        """Stands for the tracked set."""
        return self.record[-_KEY_BYTES:]

    def holds(self, path: bytes) -> bool:
        return self._tracked.holds(path)


def _warn_of_git(warnings: list[str], repository: Repository, error: GitFailed) -> None:
    top = repository.top.decode("utf-8", "backslashreplace")
    warnings.append(
        f"git could not be asked about {top} ({error}): the ignore files alone decide."
    )


@attrs.frozen
class Rules:
    """The rules of one folder; `ignores` has the nearest file first."""

    key: bytes
    ignores: tuple[IgnoreFile, ...] = ()
    inherited: Answer | None = None
    _tracking: _Tracking | None = None

    @property
    def holds(self) -> bool:
        """Tell whether verdicts may be kept: git gave an answer when it was asked."""
        return self._tracking is None or not self._tracking.failed

    def tracks(self, path: bytes) -> bool:
        """Tell whether git tracks the path or something below it."""
        return self._tracking is not None and self._tracking.holds(path)

    def hides(self, path: bytes, *, folder: bool) -> str | None:
        """Return the place and text of the ignore rule that hides the path, or None."""
        for file in self.ignores:
            pattern = file.last(path, folder=folder)
            if pattern is not None:
                return None if pattern.negated else file.place(pattern)
        return None

    def wants(self, folder: bytes) -> bool:
        """Tell whether the rule that decides takes the folder in by its very name."""
        found = (file.last(folder, folder=True) for file in self.ignores)
        pattern = next((each for each in found if each is not None), None)
        return pattern is not None and pattern.negated and pattern.names(folder)

    def below(self, answer: Answer | None) -> Rules:
        """Return the rules below a folder that is entered though `answer` hides it."""
        if answer is None or answer == self.inherited:
            return self
        key = _key(self.key, b"inherited", repr(answer).encode())
        return attrs.evolve(self, key=key, inherited=answer)

    def with_file(self, data: bytes, folder: bytes) -> Rules:
        """Return the rules with those of the ignore file of `folder` before them."""
        fold = bool(self.ignores) and self.ignores[-1].fold
        file = IgnoreFile(data, source=folder + _NAME, cut=len(folder), fold=fold)
        key = _key(self.key, b"file", data)
        return attrs.evolve(self, key=key, ignores=(file, *self.ignores))

    def key_among(self, names: Collection[bytes]) -> bytes:
        """Return the key for a folder with these names, which bear on `target`."""
        if any(name in names for name in skips.BUILD_FILES):
            return _key(self.key, b"build files")
        return self.key


class Rulebook:
    """Reads the rules of a root as the walk comes to them."""

    def __init__(
        self,
        root: bytes,
        policy: Policy,
        options: bytes,
        folders: Mapping[bytes, bytes],
    ) -> None:
        """Take the compiled policy, the bytes that stand for all options, the records."""
        self._root = root
        self._policy = policy
        self._base = Rules(_key(_VERSION, options))
        self._folders = folders
        self.warnings: list[str] = []
        self.records: dict[bytes, bytes | None] = {}
        """What to remember of each repository, in the name of its `.git/`."""

    def at_root(self) -> Rules:
        """Return what holds at the root, from the repository around it."""
        if self._policy.include:
            return self._base
        repository = enclosing(self._root)
        if repository is None:
            return self._base
        return self._of_repository(repository, self._root, b"")

    def entered(
        self, rules: Rules, descriptor: int, path: bytes, names: Collection[bytes]
    ) -> Rules | Answer:
        """Return the rules of an open folder, or why it is left again."""
        if self._policy.include:
            return rules
        if path and b".git" in names:
            rules = self._nested(path) or rules
        if path and b"pyvenv.cfg" in names:
            if not rules.tracks(path[:-1]):
                return _VENV
            rules = rules.below(_VENV)
        if _NAME in names and not self._policy.no_ignore:
            data = self._ignore_file(descriptor, path)
            rules = rules.with_file(data, path) if data else rules
        return rules

    def _nested(self, path: bytes) -> Rules | None:
        folder = os.path.join(self._root, path[:-1])
        repository = repository_at(folder)
        if repository is None:
            return None
        return self._of_repository(repository, folder, path)

    def _ignore_file(self, descriptor: int, path: bytes) -> bytes:
        got = read_stable(descriptor, _NAME, _LARGEST)
        if isinstance(got, Read):
            return got.data
        shown = (path + _NAME).decode("utf-8", "backslashreplace")
        self.warnings.append(f"{shown} has no effect: {got[1] or got[0]}.")
        return b""

    def _of_repository(
        self, repository: Repository, folder: bytes, path: bytes
    ) -> Rules:
        """Return the rules of a repository at `folder`, its top or a folder in it.

        `path` is that of the folder below the root.
        """
        above = folder[len(repository.top.rstrip(b"/")) :].strip(b"/")
        prefix = above + b"/" if above else b""
        files = () if self._policy.no_ignore else self._files(repository, prefix, path)
        inherited = _hidden_above(files, prefix)
        contents = (file.data for file in files)
        tracking = self._tracking(repository, folder, path)
        key = _key(self._base.key, tracking.digest, repr(inherited).encode(), *contents)
        return Rules(key, files, inherited, tracking)

    def _tracking(
        self, repository: Repository, folder: bytes, path: bytes
    ) -> _Tracking:
        name = path + b".git/"
        known = self._folders.get(name, b"")
        tracking = _Tracking(repository, folder, path, self.warnings, known)
        self.records[name] = None if tracking.failed else tracking.record
        return tracking

    def _files(
        self, repository: Repository, prefix: bytes, path: bytes
    ) -> tuple[IgnoreFile, ...]:
        """Return the ignore files above a folder, nearest first, then the settings'."""
        settings = self._settings(repository)
        sources = [(b"%s%s" % (above, _NAME), above) for above in _above(prefix)]
        named = [(os.path.join(repository.top, name), name, at) for name, at in sources]
        outside = (repository.exclude_file, settings.excludes_file)
        named += [(file, file, b"") for file in outside if file is not None]
        return tuple(
            IgnoreFile(
                _contents(file),
                source=name,
                cut=len(path),
                prefix=prefix[len(at) :],
                fold=settings.ignore_case,
            )
            for file, name, at in named
        )

    def _settings(self, repository: Repository) -> Settings:
        try:
            return repository.settings()
        except GitFailed as error:
            _warn_of_git(self.warnings, repository, error)
            return Settings(None, ignore_case=False)


def _above(prefix: bytes) -> list[bytes]:
    """Return the folders above the one `prefix` leads to, nearest first.

    Relative to the top and ending in `/`; the folder itself is left to the walk.
    """
    names = prefix.split(b"/")[:-1]
    return [b"".join(b"%s/" % name for name in names[:at]) for at in range(len(names))][
        ::-1
    ]


def _contents(path: bytes) -> bytes:
    """Return an ignore file of git's own; nothing when it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            return file.read(_LARGEST) if regular else b""
    except OSError:
        return b""


def _hidden_above(files: tuple[IgnoreFile, ...], prefix: bytes) -> Answer | None:
    """Return what hides the root when a rule of its repository does."""
    end = prefix.find(b"/")
    while end >= 0:
        folder = prefix[:end]
        for file in files:
            pattern = file.last_above(folder, len(prefix))
            if pattern is not None:
                if not pattern.negated:
                    return skips.IGNORED, file.place(pattern)
                break
        end = prefix.find(b"/", end + 1)
    return None
