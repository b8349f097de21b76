"""The indexes that one test makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hsum.testing import corpus

if TYPE_CHECKING:
    from pathlib import Path

    from hsum import Index
    from hsum.testing import CorpusSource

__all__ = ["Corpora", "placed"]


class Corpora:
    """Make indexes for one test; `made` holds them in order."""

    def __init__(self, folder: Path, base: Path) -> None:
        self._folder = folder
        self._base = base
        self.made: list[Index] = []

    def __call__(self, source: CorpusSource, **options: Any) -> Index:
        """Return an ingested index of a mapping of names to texts, or of a path.

        A relative path begins at the root directory of the test run; `options` are
        those of `Index.ingest`.
        """
        folder = self._folder / f"hsum-corpus-{len(self.made) + 1}"
        index = corpus(placed(source, self._base), folder=folder, **options)
        self.made.append(index)
        return index


def placed(source: CorpusSource, base: Path) -> CorpusSource:
    """Return a source whose relative path begins at `base`."""
    return base / source if isinstance(source, str) else source
