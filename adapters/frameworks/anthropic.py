"""Search-result blocks of Anthropic's Messages API, which its answers then cite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hsum import Evidence, Hit, visible_path

__all__ = ["search_result_blocks"]


def search_result_blocks(found: Iterable[Hit | Evidence]) -> list[dict[str, Any]]:
    """Return content blocks for a message or a tool result, one for each passage.

    `source` is the citation, so the `search_result_location` of an answer names
    exact bytes. Empty passages are left out, which the API refuses.
    """
    return [_block(one) for one in found if one.text.strip()]


def _block(one: Hit | Evidence) -> dict[str, Any]:
    citation = one.citation if isinstance(one, Hit) else one.returned
    first, last = one.lines
    return {
        "type": "search_result",
        "source": str(citation),
        "title": f"{visible_path(one.path)}:{first}-{last}",
        "content": [{"type": "text", "text": one.text}],
        "citations": {"enabled": True},
    }
