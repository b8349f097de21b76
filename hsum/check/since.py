"""Limit findings to what has changed since a commit, by hashes of our own.

git compares a working tree through the filters that a repository's configuration
names, and these are commands. Here git only lists what the commit has; what the
files are now is read and hashed, and compared with that. Where a filter rewrites a
file when it is checked out, the file counts as changed.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from hsum._kernel.text import check_text
from hsum.check.tree import candidates
from hsum.errors import fault
from hsum.index.git import GitFailed, enclosing
from hsum.index.reading import Read, Reader
from hsum.model.ingest import Options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hsum.model.check import Finding

__all__ = ["affected"]

_SHA1_DIGITS = 40


def affected(findings: Iterable[Finding], root: Path, since: str) -> list[Finding]:
    """Return the findings whose citing or cited file is not as the commit has it.

    Raises:
        HsumError: `INVALID_ARGUMENT` without a repository, and for what names no
            commit.
    """
    check_text(since, "$.since")
    repository = enclosing(os.fsencode(root))
    if repository is None:
        raise fault("INVALID_ARGUMENT", f"{root} is in no git repository")
    try:
        blobs = repository.blobs_at(since)
    except GitFailed as exc:
        raise fault("INVALID_ARGUMENT", f"git does not know {since!r}: {exc}") from None
    with Reader(repository.top) as reader:
        files = _Files(reader, repository.top, os.fsencode(root), blobs)
        return [one for one in findings if any(map(files.changed, files.of(one)))]


class _Files:
    """The files of a working tree beside those of one commit; each is hashed once."""

    def __init__(
        self, reader: Reader, top: bytes, root: bytes, blobs: Mapping[bytes, bytes]
    ) -> None:
        self._reader = reader
        self._top = top
        self._root = root
        self._blobs = blobs
        self._known: dict[bytes, bool] = {}

    def of(self, finding: Finding) -> Iterator[bytes]:
        """Give the citing file and the cited one, from the top of the repository.

        Of a path that is not there any more, what the commit has is meant.
        """
        if finding.file is not None:
            yield self._from_top(finding.file)
        if finding.path is not None:
            yield self._from_top(finding.path)
            return
        folder = os.path.dirname(finding.file or "")
        named = candidates(finding.found.path or "", folder)
        yield from (path for path in map(self._from_top, named) if path in self._blobs)

    def _from_top(self, path: str) -> bytes:
        whole = os.path.join(self._root, os.fsencode(path))
        return os.path.relpath(whole, self._top)

    def changed(self, path: bytes) -> bool:
        """Tell whether a file is new, gone, or not what the commit has."""
        if path not in self._known:
            self._known[path] = self._is_changed(path)
        return self._known[path]

    def _is_changed(self, path: bytes) -> bool:
        blob = self._blobs.get(path)
        if blob is None:
            return True
        got = self._reader.read(path, Options().max_file_bytes)
        return not isinstance(got, Read) or _blob_id(got.data, len(blob)) != blob


def _blob_id(data: bytes, digits: int) -> bytes:
    """Return the name git gives to these bytes, in SHA-1 or SHA-256."""
    sha1 = digits == _SHA1_DIGITS
    found = hashlib.sha1(usedforsecurity=False) if sha1 else hashlib.sha256()
    found.update(b"blob %d\0" % len(data))
    found.update(data)
    return found.hexdigest().encode()
