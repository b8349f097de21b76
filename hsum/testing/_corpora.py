"""Small corpora for tests, from a mapping of names to texts or from a path."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hsum._kernel.canonical import digest
from hsum._kernel.faults import guarded
from hsum._kernel.files import as_path
from hsum._kernel.lock import exclusive
from hsum.errors import family, fault

if TYPE_CHECKING:
    from hsum._api import Index

__all__ = ["CorpusSource", "corpus", "plant", "shared_corpus"]

CorpusSource = Mapping[str, str | bytes] | str | os.PathLike[str]

# Ingesting what one test session shares takes seconds, not minutes.
_BUILD_TIMEOUT_MS = 600_000


def corpus(
    source: CorpusSource,
    *,
    folder: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Index:
    """Return an index of a few files.

    Args:
        source: file names and their texts or bytes; or the path of a directory,
            which is ingested where it is.
        folder: where files and index are kept; None for a temporary directory that
            goes when the index is collected.
        options: those of `Index.ingest`.

    Raises:
        HsumError: `INVALID_ARGUMENT` for a name that leaves the folder; what
            ingesting raises.
    """
    if folder is not None:
        return _ingested(source, Path(folder), **options)
    made = tempfile.mkdtemp(prefix="hsum-corpus-")
    index = _ingested(source, Path(made), **options)
    weakref.finalize(index, shutil.rmtree, made, ignore_errors=True)
    return index


def shared_corpus(
    source: CorpusSource, folder: str | os.PathLike[str], **options: Any
) -> Index:
    """Return a read-only index that the first of many processes builds.

    Args:
        source: as of `corpus`.
        folder: the directory that the processes share.
        options: those of `Index.ingest`.
    """
    from hsum._api import open_index

    home = Path(folder) / f"hsum-{_name_of(source, options)}"
    home.mkdir(parents=True, exist_ok=True)
    with exclusive(home / "build.lock", timeout_ms=_BUILD_TIMEOUT_MS):
        with open_index(home / "index") as index:
            built = bool(index.generations())
        if not built:
            _ingested(source, home, **options).close()
    return open_index(home / "index", read_only=True)


shared_corpus = guarded(family, shared_corpus)


def _ingested(source: CorpusSource, folder: Path, **options: Any) -> Index:
    from hsum._api import open_index

    root = _root(source, folder)
    index = open_index(folder / "index")
    index.ingest(root, **options)
    return index


def _root(source: CorpusSource, folder: Path) -> Path:
    if not isinstance(source, Mapping):
        return Path(source)
    plant(source, folder / "root")
    return folder / "root"


def plant(files: Mapping[str, str | bytes], root: Path) -> None:
    """Write files below a directory; names have `/` between their parts."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = Path(os.path.normpath(root / name))
        if not path.is_relative_to(root):
            raise fault("INVALID_ARGUMENT", f"{name!r} is not below the corpus")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_bytes(content))


def _name_of(source: CorpusSource, options: Mapping[str, Any]) -> str:
    """Return a name that equal corpora share."""
    if isinstance(source, Mapping):
        files = sorted((name, _bytes(content)) for name, content in source.items())
        told: object = [(name, digest(data)) for name, data in files]
    else:
        told = str(as_path(source, "$.source"))
    return digest(repr((told, sorted(options.items()))).encode())[:16]


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
