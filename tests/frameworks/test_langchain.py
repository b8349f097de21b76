"""The LangChain retriever, by LangChain's own standard tests."""

from __future__ import annotations

import pytest

import hsum
from hsum.testing import corpus

pytest.importorskip("langchain_core")
suite = pytest.importorskip("langchain_tests.integration_tests")

from adapters.frameworks.langchain import HsumRetriever  # noqa: E402

FILES = {
    f"{name}.md": f"# {name}\n\nA shielded cancel scope, as {name} has it.\n"
    for name in ("trio", "anyio", "curio", "asyncio")
}


@pytest.mark.filterwarnings("default")
class TestStandard(suite.RetrieversIntegrationTests):
    """The suite that LangChain gives to all retrievers."""

    index = corpus(FILES)

    @property
    def retriever_constructor(self):
        """The class under test."""
        return HsumRetriever

    @property
    def retriever_constructor_params(self):
        """Four files, one index."""
        return {"index": self.index}

    @property
    def retriever_query_example(self):
        """Words that all four files have."""
        return "shielded cancel scope"


def test_documents_carry_their_citation():
    """The id of a document resolves to its text."""
    index = corpus(FILES)

    [document] = HsumRetriever(index=index, k=1, path="curio.md").invoke("shielded")

    assert document.page_content == index.get(document.id).text
    assert {"source": "curio.md", "untrusted_content": True}.items() <= (
        document.metadata.items()
    )


def test_refusals_are_those_of_the_index():
    """A query that cannot be asked raises what the index raises."""
    with pytest.raises(hsum.InvalidInput):
        HsumRetriever(index=corpus(FILES)).invoke('"unclosed')
