"""A LangChain retriever over an index."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun  # noqa: TC002 - pydantic resolves it
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from hsum import Hit

__all__ = ["HsumRetriever"]


class HsumRetriever(BaseRetriever):
    """Retrieve passages of an index, each with its citation as id and metadata.

    Attributes:
        index: an open `hsum.Index`, or what `hsum.open_bound` gives.
        k: the most documents to return, 1 to 100.
        path: a gitignore pattern that paths must match.
    """

    index: Any
    k: int = 10
    path: str | None = None

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - its protocol
        k: int | None = None,
    ) -> list[Document]:
        wanted = self.k if k is None else k
        hits = self.index.search(query, limit=wanted, path=self.path)
        return [_document(hit) for hit in hits]


def _document(hit: Hit) -> Document:
    return Document(
        id=str(hit.citation),
        page_content=hit.text,
        metadata={
            "citation": str(hit.citation),
            "source": hit.path,
            "start_line": hit.lines[0],
            "end_line": hit.lines[1],
            "symbol": hit.symbol,
            "score": hit.score,
            "untrusted_content": hit.untrusted_content,
        },
    )
