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
    facts: Iterable[int] = (),
) -> str:
    """Return the digest of a generation in hex.

    Args:
        previous: the digest of the one before, `GENESIS` for the first.
        number: its number.
        begun: document id and `rev` of each version that begins with it, sorted.
        ended: the same of those that it ends.
        facts: when it was committed, and its counts.
    """
    numbers = " ".join(map(str, (number, *facts)))
    digest = sha256(f"{previous}\n{numbers}\n".encode())
    for mark, steps in (("+", begun), ("-", ended)):
        for document, rev in steps:
            digest.update(f"{mark}{document} {rev}\n".encode())
    return digest.hexdigest()
