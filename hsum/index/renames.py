"""Tell a renamed file from one that vanished and one that is new."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

__all__ = ["renames"]


def renames(
    vanished: Mapping[bytes, str], appeared: Mapping[bytes, str]
) -> dict[bytes, bytes]:
    """Return old path by new path, for each rename that is beyond doubt.

    Bytes that exactly one vanished path had and exactly one new path has moved.
    Empty files are all alike and never moved.

    Args:
        vanished: the content hash by path of files that are gone.
        appeared: the same of files at paths that no source ever had.
    """
    before, after = _by_hash(vanished), _by_hash(appeared)
    return {
        after[content][0]: paths[0]
        for content, paths in before.items()
        if len(paths) == 1 and len(after.get(content, ())) == 1 and content != _EMPTY
    }


_EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def _by_hash(hashes: Mapping[bytes, str]) -> dict[str, list[bytes]]:
    paths: dict[str, list[bytes]] = defaultdict(list)
    for path, content in hashes.items():
        paths[content].append(path)
    return paths
