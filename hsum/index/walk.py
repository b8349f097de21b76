"""The walk itself: one visit to every folder, with what was known of it at hand.

Each folder is held open while the walk is in it, and the next is opened below it
without following links.  Where neither the signature of a file nor the rules of its
folder changed, nothing is asked again.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

import attrs

from hsum.index import seen, skips
from hsum.index.reading import open_folder, signature_of
from hsum.index.rules import Rulebook, Rules
from hsum.index.seen import (
    ENTERED,
    INDEXED,
    NONE,
    UNREAD,
    UNSETTLED,
    Folder,
    Unread,
)
from hsum.index.skips import Answer, Entry, Policy, Skip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hsum.index.seen import Signature, Verdict

__all__ = ["File", "Walk"]

_DEEPEST = 200
"""Folders within each other; each holds a descriptor while the walk is below it."""


@attrs.frozen
class File:
    """A regular file that must be read, by its path relative to the root."""

    path: bytes
    signature: Signature


_Names = dict[bytes, os.DirEntry[str]]

_NAME_ENCODING = (sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())


@attrs.define
class _Here:
    """The folder the walk is in: its rules, what was known of it, what is new."""

    path: bytes
    rules: Rules
    key: bytes
    known: Folder
    names: _Names
    fresh: dict[bytes, tuple[Signature, Verdict]] = attrs.field(factory=dict)
    details: dict[bytes, str] = attrs.field(factory=dict)
    gone: list[bytes] = attrs.field(factory=list)
    kept: int = 0
    _siblings: frozenset[bytes] | None = None

    @property
    def same_rules(self) -> bool:
        return self.key == self.known.key

    @property
    def siblings(self) -> frozenset[bytes]:
        if self._siblings is None:
            self._siblings = frozenset(self.names)
        return self._siblings

    def recall(self, name: bytes) -> Answer | None:
        """Return why the entry was out the last time."""
        reason = seen.reason_of(self.known.entries[name][1])
        return None if reason is None else (reason, self.known.details.get(name, ""))

    def note(
        self, name: bytes, now: tuple[Signature, Verdict], detail: str = ""
    ) -> None:
        """Keep what is found of an entry, and whether that is news."""
        stands = self.known.entries.get(name) == now
        if stands and self.known.details.get(name, "") == detail:
            self.kept += 1
            return
        self.fresh[name] = now
        self.details[name] = detail

    def vanished(self) -> list[bytes]:
        """Return the names that were known and stand no longer."""
        now = {_key_of(name, entry) for name, entry in self.names.items()}
        now.difference_update(self.gone)
        return [name for name in self.known.entries if name not in now]


def _key_of(name: bytes, entry: os.DirEntry[str]) -> bytes:
    return name + b"/" if entry.is_dir(follow_symlinks=False) else name


class Walk:
    """One walk, and all that it finds."""

    def __init__(
        self,
        policy: Policy,
        book: Rulebook,
        folders: Mapping[bytes, bytes],
        progress: Callable[[int], None] | None,
        *,
        rehash: bool,
    ) -> None:
        self._policy = policy
        self._book = book
        self._remaining = dict(folders)
        self._progress = progress
        self._rehash = rehash
        self.changed: list[File] = []
        self.vanished: list[bytes] = []
        self.skips: list[Skip] = []
        self.failed: list[Skip] = []
        self.records: dict[bytes, Unread | bytes | None] = {}
        self.unchanged = 0
        self.unchanged_bytes = 0

    def finish(self) -> None:
        """Drop the folders that were known and have not been found."""
        for path, record in self._book.records.items():
            if record != self._remaining.pop(path, None):
                self.records[path] = record
        for path, record in self._remaining.items():
            self.records[path] = None
            known = seen.unpack(record) or seen.NOTHING
            self.vanished += [path + name for name in _indexed(known.entries)]

    # --- folders ------------------------------------------------------------------

    def enter(self, descriptor: int, path: bytes, rules: Rules) -> None:
        """Visit an open folder and all below it; `OSError` when it cannot be listed."""
        self._visit(descriptor, path, _listed(descriptor), rules, depth=0)

    def _visit(
        self, descriptor: int, path: bytes, names: _Names, rules: Rules, *, depth: int
    ) -> None:
        entered = self._book.entered(rules, descriptor, path, names)
        if not isinstance(entered, Rules):
            self.skips.append(Skip(path, *entered))
            return
        known = seen.unpack(self._remaining.pop(path, b"")) or seen.NOTHING
        here = _Here(path, entered, entered.key_among(names), known, names)
        for name in self._files(here):
            self._folder(descriptor, here, name, depth + 1)
        self._leave(here)

    def _folder(self, parent: int, here: _Here, name: bytes, depth: int) -> None:
        path = here.path + name + b"/"
        answer, enters = self._folder_answer(here, name)
        if not enters and answer is not None:
            self._out(here, name + b"/", (NONE, seen.verdict_of(answer[0])), answer)
            return
        try:
            descriptor, names = _opened(name, parent, depth)
        except OSError as error:
            self._lost(here, name, error)
            return
        try:
            rules = here.rules.below(answer)
            self._visit(descriptor, path, names, rules, depth=depth)
        finally:
            os.close(descriptor)
        verdict = seen.verdict_of(answer[0]) | ENTERED if answer else INDEXED
        here.note(name + b"/", (NONE, verdict), answer[1] if answer else "")

    def _folder_answer(self, here: _Here, name: bytes) -> tuple[Answer | None, bool]:
        """Return what hides a folder, and whether it is entered all the same."""
        old = here.known.entries.get(name + b"/")
        if old is not None and here.same_rules and not old[1] & UNSETTLED:
            answer = here.recall(name + b"/")
            return answer, answer is None or bool(old[1] & ENTERED)
        answer = self._judge(here, name, folder=True)
        if answer is None or answer[0] not in skips.YIELDING:
            return answer, answer is None
        return answer, here.rules.tracks(here.path + name)

    def _lost(self, here: _Here, name: bytes, error: OSError) -> None:
        """Report a folder that cannot be listed; what is known below it stays known."""
        path = here.path + name + b"/"
        self._fail(here, name + b"/", (NONE, 0), error)
        for folder in [each for each in self._remaining if each.startswith(path)]:
            known = seen.unpack(self._remaining.pop(folder)) or seen.NOTHING
            for indexed in _indexed(known.entries):
                self._keep(known.entries[indexed][0])

    def _fail(
        self,
        here: _Here,
        name: bytes,
        now: tuple[Signature, Verdict],
        error: OSError,
    ) -> None:
        skip = Skip(here.path + name, skips.UNREADABLE, error.strerror or str(error))
        self.skips.append(skip)
        self.failed.append(skip)
        here.note(name, (now[0], now[1] | UNSETTLED), skip.detail)

    def _leave(self, here: _Here) -> None:
        news = here.fresh or not here.same_rules
        if news or here.kept < len(here.known.entries):
            self._record(here)
        if self._progress is not None:
            self._progress(len(self.changed) + self.unchanged)

    def _record(self, here: _Here) -> None:
        gone = frozenset(here.vanished())
        lost = {name: here.known.entries[name] for name in gone}
        self.vanished += [here.path + name for name in _indexed(lost)]
        entries = {**here.known.entries, **here.fresh}
        details = {**here.known.details, **here.details}
        for name in gone:
            del entries[name]
        key = here.key if here.rules.holds else seen.NO_KEY
        record = seen.pack(Folder(key, entries, details))
        unread = any(verdict == UNREAD for _, verdict in here.fresh.values())
        self.records[here.path] = Unread(record) if unread else record

    # --- files --------------------------------------------------------------------

    def _files(self, here: _Here) -> list[bytes]:
        """Look at all but the folders, and return the names of those."""
        folders = []
        trusted = here.same_rules and not self._rehash
        known = here.known.entries.get if trusted else _unknown
        kept = size = 0
        for name, entry in here.names.items():
            try:
                if entry.is_file(follow_symlinks=False):
                    now = signature_of(entry.stat(follow_symlinks=False))
                    if known(name) == (now, INDEXED):
                        kept += 1
                        size += now[0]
                    else:
                        self._file(here, name, now)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                else:
                    self._other(here, name, entry)
            except OSError as error:
                self._unseen(here, name, error)
        here.kept += kept
        self.unchanged += kept
        self.unchanged_bytes += size
        return folders

    def _keep(self, signature: Signature) -> None:
        self.unchanged += 1
        self.unchanged_bytes += signature[0]

    def _file(self, here: _Here, name: bytes, now: Signature) -> None:
        old = here.known.entries.get(name)
        answer = self._ruled(here, name, old) or skips.of_size(
            name, now[0], self._policy
        )
        if answer is None and self._is_proven(old, now):
            answer = here.recall(name)
        elif answer is None:
            here.fresh[name] = (now, UNREAD)
            self.changed.append(File(here.path + name, now))
            return
        if answer is None:
            here.note(name, (now, INDEXED))
            self._keep(now)
            return
        self._out(here, name, (now, seen.verdict_of(answer[0])), answer)
        if old is not None and old[1] & ~UNSETTLED == INDEXED:
            self.vanished.append(here.path + name)

    def _out(
        self,
        here: _Here,
        name: bytes,
        now: tuple[Signature, Verdict],
        answer: Answer,
    ) -> None:
        here.note(name, now, answer[1])
        self.skips.append(Skip(here.path + name, *answer))

    def _ruled(
        self, here: _Here, name: bytes, old: tuple[Signature, Verdict] | None
    ) -> Answer | None:
        if old is None or not here.same_rules:
            return self._judge(here, name, folder=False)
        reason = seen.reason_of(old[1])
        return here.recall(name) if reason in skips.BY_RULE else None

    def _is_proven(self, old: tuple[Signature, Verdict] | None, now: Signature) -> bool:
        """Tell whether the bytes must be those that were read the last time."""
        if old is None or self._rehash or old[0] != now or old[1] & UNSETTLED:
            return False
        return old[1] == INDEXED or seen.reason_of(old[1]) in skips.BY_BYTES

    def _judge(self, here: _Here, name: bytes, *, folder: bool) -> Answer | None:
        path = here.path + name
        rules = here.rules
        entry = Entry(
            path=path,
            name=name,
            folder=folder,
            tracked=rules.tracks(path),
            siblings=here.siblings,
            inherited=rules.inherited,
            ignored=lambda: rules.hides(path, folder=folder),
            wanted=lambda: rules.wants(path),
        )
        return skips.of_entry(entry, self._policy)

    def _other(self, here: _Here, name: bytes, entry: os.DirEntry[str]) -> None:
        reason = skips.SYMLINK if entry.is_symlink() else skips.SPECIAL
        self._out(here, name, (NONE, seen.verdict_of(reason)), (reason, ""))
        old = here.known.entries.get(name)
        if old is not None and old[1] & ~UNSETTLED == INDEXED:
            self.vanished.append(here.path + name)

    def _unseen(self, here: _Here, name: bytes, error: OSError) -> None:
        """Report an entry whose status cannot be had; it stays what it was."""
        old = here.known.entries.get(name)
        if isinstance(error, FileNotFoundError):
            here.gone.append(name)
        elif old is not None and old[1] & ~UNSETTLED == INDEXED:
            self._fail(here, name, old, error)
            self._keep(old[0])
        else:
            self._fail(here, name, (NONE, seen.verdict_of(skips.UNREADABLE)), error)


def _listed(descriptor: int) -> _Names:
    with os.scandir(descriptor) as listing:
        return {entry.name.encode(*_NAME_ENCODING): entry for entry in listing}


def _opened(name: bytes, parent: int, depth: int) -> tuple[int, _Names]:
    """Open and list the folder `name` of the open folder `parent`."""
    if depth > _DEEPEST:
        raise OSError(errno.ENAMETOOLONG, f"more than {_DEEPEST} folders deep")
    descriptor = open_folder(name, parent)
    try:
        return descriptor, _listed(descriptor)
    except OSError:
        os.close(descriptor)
        raise


def _unknown(_: bytes) -> None:
    return None


def _indexed(entries: Mapping[bytes, tuple[Signature, Verdict]]) -> Iterator[bytes]:
    for name, (_, verdict) in entries.items():
        if verdict & ~UNSETTLED == INDEXED and not name.endswith(b"/"):
            yield name
