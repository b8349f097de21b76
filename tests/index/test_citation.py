"""Citations: one spelling each, and a column for whatever else is written."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hsum
from hsum import Citation

UUID = "0f3a9c1e-8b7d-4c6a-9e5f-1a2b3c4d5e6f"
REV = "a" * 64
WHOLE = f"hsum://v1/{UUID}/{UUID}/{UUID}?rev={REV}#bytes=3-17"


def _citations() -> st.SearchStrategy[Citation]:
    uuids = st.uuids().map(str)
    revs = st.binary(min_size=32, max_size=32).map(bytes.hex)
    spans = st.tuples(st.integers(0, 2**63), st.integers(0, 2**63)).map(sorted)
    return st.builds(
        lambda a, b, c, rev, span: Citation(a, b, c, rev, *span),
        uuids,
        uuids,
        uuids,
        revs,
        spans,
    )


@given(_citations())
def test_parse_and_str_are_inverses(citation: Citation) -> None:
    """What str writes, parse reads back as the same value."""
    text = str(citation)

    assert citation == Citation.parse(text)
    assert text == str(Citation.parse(text))


@given(_citations(), st.data())
def test_nothing_but_the_canonical_spelling_is_read(
    citation: Citation, data: st.DataObject
) -> None:
    """A changed character gives another citation or a refusal with its column."""
    text = str(citation)
    at = data.draw(st.integers(0, len(text) - 1))
    changed = text[:at] + data.draw(st.characters()) + text[at + 1 :]
    try:
        read = Citation.parse(changed)
    except hsum.InvalidInput as refusal:
        assert "CITATION_MALFORMED" == refusal.code
        assert 1 <= refusal.details["column"] <= len(changed) + 1
    else:
        assert changed == str(read)


@pytest.mark.parametrize(
    ("text", "column", "part"),
    [
        ("", 1, "scheme"),
        ("http://v1/", 2, "scheme"),
        (WHOLE.replace("v1", "v2"), 9, "scheme"),
        (WHOLE.upper(), 1, "scheme"),
        (WHOLE.replace(UUID, UUID.upper(), 1), 12, "index_id"),
        (WHOLE.replace("?rev=", "?sha="), 122, "document_id"),
        (WHOLE.replace("aaa#", "aa#"), 189, "rev"),
        (WHOLE.replace("=3-", "=03-"), 198, "start"),
        (WHOLE.replace("=3-", "=-"), 197, "start"),
        (WHOLE.replace("=3-", "=+3-"), 197, "start"),
        (WHOLE.replace("-17", "-"), 199, "end"),
        (WHOLE.replace("-17", "-2"), 199, "end"),
        (WHOLE + " ", 201, "end"),
        (WHOLE + "\n", 201, "end"),
    ],
)
def test_refusals_name_the_column(text: str, column: int, part: str) -> None:
    """The first character that cannot stand is named by column, from 1, and part."""
    with pytest.raises(hsum.InvalidInput) as caught:
        Citation.parse(text)

    assert "CITATION_MALFORMED" == caught.value.code
    assert {"column": column, "part": part} == caught.value.details


def test_no_citation_is_longer_than_1024_bytes() -> None:
    """A longer text is refused before it is looked at."""
    with pytest.raises(hsum.InvalidInput, match="at most 1,024 bytes"):
        Citation.parse(WHOLE + "1" * 1_000)


@pytest.mark.parametrize("value", ["3", 3.0, True, None])
def test_spans_are_integers(value: object) -> None:
    """A span of anything else is an argument error."""
    with pytest.raises(hsum.InvalidInput, match="start must be an integer"):
        Citation(UUID, UUID, UUID, REV, value, 17)  # type: ignore[arg-type]


def test_only_text_is_parsed() -> None:
    """Bytes are no citation."""
    with pytest.raises(hsum.InvalidInput, match="a citation is a string"):
        Citation.parse(WHOLE.encode())  # type: ignore[arg-type]


def test_a_citation_cannot_be_made_that_could_not_be_read() -> None:
    """The constructor refuses what parse would refuse."""
    with pytest.raises(hsum.InvalidInput, match="rev"):
        Citation(UUID, UUID, UUID, "A" * 64, 0, 1)


def test_citations_are_values() -> None:
    """They hash, sort, pickle, and give other spans of the same revision."""
    citation = Citation.parse(WHOLE)
    wider = citation.span(0, 40)

    assert {citation} == {pickle.loads(pickle.dumps(citation))}
    assert [wider, citation] == sorted([citation, wider])
    assert f"<Citation {WHOLE}>" == repr(citation)
