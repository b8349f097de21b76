"""The digest that chains a generation to all before it."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

__all__ = ["GENESIS", "chained"]

GENESIS = "0" * 64


def chained(
    previous: str,
    number: int,
    begun: Iterable[tuple[str, str]],
    ended: Iterable[tuple[str, str]],
) -> str:
    """Return the digest of a generation in hex.

    Args:
        previous: the digest of the one before, `GENESIS` for the first.
        number: its number.
        begun: document id and `rev` of each version that begins with it.
        ended: the same of those that it ends.
    """
    lines = [f"+{document} {rev}" for document, rev in begun]
    lines += [f"-{document} {rev}" for document, rev in ended]
    text = "\n".join([previous, str(number), *sorted(lines)])
    return sha256(text.encode()).hexdigest()
