"""Trees that were reported, and the indexes made of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import hsum


def plant(root: Path, files: dict[str, str | bytes]) -> Path:
    """Write files below `root` and return it."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
    return root


def indexed(root: Path, files: dict[str, str | bytes]) -> hsum.Index:
    """Return an index, in memory, of a new tree."""
    index = hsum.in_memory()
    index.ingest(plant(root, files))
    return index


def paths(index: hsum.Index) -> list[str]:
    """Return the path of each document, sorted."""
    return sorted(found.path for found in index.documents())


def found(index: hsum.Index, query: str) -> list[str]:
    """Return the files that a search finds, in order, each once."""
    return list(dict.fromkeys(hit.path for hit in index.search(query, limit=100)))


def git(folder: Path, *words: str) -> bytes:
    """Run git as a user would, apart from the user's own settings."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    done = subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True
    )
    return done.stdout


def listed_by_git(folder: Path) -> list[str]:
    """Return what `git ls-files -co --exclude-standard` names, sorted."""
    names = git(folder, "ls-files", "-co", "--exclude-standard", "-z")
    return sorted(names.decode().split("\0")[:-1])
