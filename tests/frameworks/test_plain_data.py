"""Blocks and selectors: plain data that needs no other package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adapters.frameworks.annotation import specific_resource
from adapters.frameworks.anthropic import search_result_blocks
from hsum import Citation
from hsum.testing import corpus

ROOT = Path(__file__).resolve().parents[2]

TEXT = "# Scopes\n\nA shielded cancel scope survives: café.\n\nAnother paragraph.\n"


@pytest.fixture
def index():
    """One file with three paragraphs."""
    return corpus({"scope.md": TEXT, "empty.txt": "\n"})


def test_blocks_carry_citations(index):
    """A block's source is the citation of its text."""
    hits = index.search("shielded")

    [block] = search_result_blocks(hits)

    assert "search_result" == block["type"]
    assert index.get(block["source"]).text == block["content"][0]["text"]
    assert {"enabled": True} == block["citations"]
    assert [block] == search_result_blocks([index.get(hits[0].citation)])
    assert json.loads(json.dumps(block)) == block


def test_selectors_find_the_cited_bytes(index):
    """Both selectors lead back to what the citation names."""
    whole = index.search("shielded")[0].citation
    data = TEXT.encode()
    start = data.index(b"shielded")
    cited = Citation.parse(str(whole)).span(start, data.index(b".\n\nAno"))

    made = specific_resource(index, cited, context=10)

    position, quote = made["selector"]
    assert f"{made['source']}#bytes={position['start']}-{position['end']}" == str(cited)
    assert "shielded cancel scope survives: café" == quote["exact"]
    assert (quote["prefix"] + quote["exact"] + quote["suffix"]) in TEXT
    assert TEXT.count(quote["prefix"] + quote["exact"]) == 1


def test_the_page_about_frameworks_is_right(index):
    """What needs no other package runs as the page has it."""
    page = (ROOT / "docs/how-to/use-with-frameworks.md").read_text("utf-8")
    [code] = [part for part in page.split("```") if "search_result_blocks(" in part]
    names = {"index": index}

    exec(code.removeprefix("python\n"), names)

    assert names["blocks"][0]["source"].startswith(names["target"]["source"])
