"""Trees for the tests of ingesting."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

import hsum

TREE: Mapping[str, bytes] = {
    "README.md": b"# Atlas\n\nHow to sail.\n",
    "src/helm.py": b"class Helm:\n    def steer(self):\n        return 'west'\n",
    "src/crew.py": b"def hire(name):\n    return name\n",
    "docs/sea.md": b"# Sea\n\nSalt water.\n",
    "notes.txt": b"one\ntwo\n",
}


def plant(root: Path, files: Mapping[str, bytes] = TREE) -> Path:
    """Write files below `root` and return it."""
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def contents(index: hsum.Index, generation: int | None = None) -> dict[str, bytes]:
    """Return what each document of a generation holds, by path and record."""
    return {
        f"{found.path}#{found.record}" if found.record else found.path: stored(
            index, found.citation
        )
        for found in index.documents(generation)
    }


def stored(index: hsum.Index, citation: hsum.Citation) -> bytes:
    """Return the stored bytes of a citation, whatever their length."""
    with index._store.reading() as snapshot:
        version = snapshot.resolve(citation)
        return snapshot.read(version, citation.start, citation.end)


def ids(index: hsum.Index) -> dict[str, tuple[str, str]]:
    """Return source and document id of each document by path."""
    return {
        found.path: (found.source_id, found.document_id) for found in index.documents()
    }


def everything_below(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and modification time of all files, to see that none was touched."""
    return {
        os.path.join(base, name): (found.st_size, found.st_mtime_ns)
        for base, _, names in os.walk(folder)
        for name in names
        for found in [os.lstat(os.path.join(base, name))]
    }


def settle() -> None:
    """Wait until a later write must show in a file's times."""
    time.sleep(0.03)
