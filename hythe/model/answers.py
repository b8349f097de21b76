"""What every answer is made of: pages of a listing, warnings of a write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeVar, final

import attrs

T = TypeVar("T")


@final
@attrs.frozen
class WriteWarning:
    """Something to know about a write that was done all the same."""

    code: Literal["secret_warning", "evidence_unresolved"]
    message: str
    path: str

    def __repr__(self) -> str:
        return f"<WriteWarning {self.code} {self.path}>"

    def __str__(self) -> str:
        return f"{self.code} {self.path}: {self.message}"


@attrs.frozen
class Page(Sequence[T]):
    """A part of a listing; give `next` back as `cursor` to go on, None is the end."""

    items: tuple[T, ...]
    next: str | None = None

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __repr__(self) -> str:
        return f"<Page {len(self.items)} items, {'more' if self.next else 'complete'}>"
