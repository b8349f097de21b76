"""The vocabulary that the default counter is measured against."""

from __future__ import annotations

import functools
import warnings

__all__ = ["o200k"]


@functools.cache
def _encoding():
    with warnings.catch_warnings():
        # Its reading of package data is deprecated; that is its own affair.
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")


def o200k(text):
    """Count the tokens of a text by the vocabulary itself."""
    return len(_encoding().encode_ordinary(text))
