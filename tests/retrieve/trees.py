"""Small trees, and the indexes made of them."""

from __future__ import annotations

from pathlib import Path

import hsum


def planted(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(data)
    return folder


def indexed(folder: Path, files: dict[str, str | bytes]) -> hsum.Index:
    """Return an index of a new tree."""
    index = hsum.in_memory()
    index.ingest(planted(folder / "tree", files))
    return index


def paths(hits: hsum.Hits) -> list[str]:
    """Return the files of hits, each once, in order."""
    return list(dict.fromkeys(hit.path for hit in hits))


def all_pages(index: hsum.Index, query: str, **options: object) -> list[hsum.Hit]:
    """Return the hits of every page."""
    found: list[hsum.Hit] = []
    cursor = None
    while True:
        page = index.search(query, cursor=cursor, **options)  # type: ignore[arg-type]
        found += page
        if page.cursor is None:
            return found
        cursor = page.cursor
