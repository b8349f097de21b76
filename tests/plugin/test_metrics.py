"""Measures, cases and reports of `hsum.testing`."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hsum
from hsum.testing import (
    RetrievalCase,
    assert_cited,
    citation_report,
    corpus,
    evaluate,
    html_report,
    ndcg,
    read_cases,
    recall,
    reciprocal_rank,
    shared_corpus,
)

NAMES = st.sampled_from("abcdefgh")
RANKED = st.lists(NAMES, max_size=12)
GRADED = st.dictionaries(NAMES, st.floats(0.5, 4), min_size=1)


def plain_ndcg(ranked, grades, k):
    """The definition, written down once more."""
    seen, gain = set(), 0.0
    distinct = [one for one in ranked if not (one in seen or seen.add(one))]
    for place, name in enumerate(distinct[:k]):
        gain += grades.get(name, 0) / math.log2(place + 2)
    best = sorted(grades.values(), reverse=True)[:k]
    return gain / sum(grade / math.log2(place + 2) for place, grade in enumerate(best))


@given(RANKED, GRADED, st.integers(1, 12))
def test_measures_follow_their_definitions(ranked, grades, k):
    """All lie between 0 and 1, and nDCG is that of the textbook."""
    found = ndcg(ranked, grades, k=k)

    assert math.isclose(plain_ndcg(ranked, grades, k), found)
    for value in (found, reciprocal_rank(ranked, grades), recall(ranked, grades, k=k)):
        assert 0 <= value <= 1 + 1e-9


@given(GRADED)
def test_the_best_order_is_perfect(grades):
    """By falling grades, every measure is 1."""
    best = sorted(grades, key=grades.__getitem__, reverse=True)

    assert math.isclose(1, ndcg(best, grades))
    assert (1, 1) == (reciprocal_rank(best, grades), recall(best, grades))


def test_known_values():
    """Second place, of two relevant."""
    assert math.isclose(1 / math.log2(3) / (1 + 1 / math.log2(3)), ndcg("xa", "ab"))
    assert 0.5 == reciprocal_rank("xa", "ab") == recall("xa", "ab")
    with pytest.raises(hsum.InvalidInput):
        ndcg("a", [])


FILES = {
    "a.md": "# One\n\nA shielded cancel scope survives.\n",
    "b/c.md": "# Two\n\nChannels wait for receivers, not for scopes.\n",
}


def test_cases_name_files_lines_and_citations():
    """Each form of `relevant` is found; what is not in the index is told apart."""
    index = corpus(FILES)
    cited = str(index.search("receivers")[0].citation)

    found = evaluate(
        [
            RetrievalCase("shielded", {"a.md": 2, "b/c.md": 0}),
            RetrievalCase("shielded", "a.md:3"),
            RetrievalCase("receivers", ["b/c.md#L3-L4", cited]),
            RetrievalCase("shielded", {"b/c.md": 1, "nowhere.md:3": 2}),
        ],
        index,
    )

    assert [1, 1, 1, 0] == [round(one.ndcg, 9) for one in found]
    assert () == found[0].missed
    assert ("nowhere.md:3",) == found[3].absent
    assert 0.75 == found.recall == found.mrr
    assert "missed: b/c.md" in str(found[3])


def test_a_files_of_cases_names_the_bad_line(tmp_path):
    """Empty lines are passed over; a bad one is named with everything wrong in it."""
    path = tmp_path / "cases.jsonl"
    path.write_text('\n{"query": "x", "relevant": {"a": 2}}\n{"query": 3}\n')

    with pytest.raises(hsum.InvalidInput, match=r"cases.jsonl:3: .*; required field"):
        read_cases(path)
    path.write_text('\n{"query": "x", "relevant": {"a": 2}, "minimum": 0.5}\n')

    [(row, case)] = read_cases(path)
    assert (2, {"a": 2.0}, 0.5) == (row, case.relevant, case.minimum)
    with pytest.raises(hsum.HsumError):
        read_cases(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[1]", "a case is a JSON object"),
        ("{", "Expecting property name"),
        ('{"query": "x", "relevant": 3}', "a case names something relevant"),
        ('{"query": "x", "relevant": [3]}', "relevant names texts"),
        ('{"query": "x", "relevant": {"a": "b"}}', "with numbers for grades"),
        ('{"query": "x", "relevant": {"a": 0}}', "a case names something relevant"),
    ],
)
def test_a_case_that_makes_no_sense_is_refused(tmp_path, line, said):
    """Each with the line and what is wrong."""
    (tmp_path / "cases.jsonl").write_text(line)

    with pytest.raises(hsum.InvalidInput) as refused:
        read_cases(tmp_path / "cases.jsonl")

    assert 1 == refused.value.message.count("cases.jsonl:1: ")
    assert said in refused.value.message


def test_results_are_sequences_that_say_what_they_are(tmp_path):
    """One line each, and an index of a path as of a mapping."""
    (tmp_path / "a.md").write_text("A shielded scope survives.")
    index = corpus(tmp_path, folder=tmp_path.parent / f"{tmp_path.name}-index")
    found = evaluate([RetrievalCase("shielded", ["a.md"])], index)
    report = citation_report("`a.md:1` and `b.md:1`", index)

    assert "<CaseResult 'shielded', nDCG@10 1.00>" == repr(found[0])
    assert "<Evaluation 1 cases, nDCG 1.000, MRR 1.000, recall 1.000>" == repr(found)
    assert "<CitationReport 2 citations, precision 0.50>" == repr(report)
    assert report.citations[:1] == report[:1]
    assert found.results[:1] == found[:1]
    assert "<details" in report._repr_html_()
    assert 1 == len(shared_corpus(tmp_path, tmp_path.parent / "s").search("scope"))


def test_answers_are_held_to_their_citations():
    """Good ones pass; fabricated, misquoted, stale and missing citations do not."""
    index = corpus(FILES)
    uri = str(index.search("shielded")[0].citation)

    assert 1 == assert_cited(f'It "survives" ({uri}); see `a.md:1`.', index).precision
    with pytest.raises(AssertionError, match="0 citations, at least 1"):
        assert_cited("It survives.", index)
    with pytest.raises(AssertionError, match="at least 3 expected"):
        assert_cited(f"{uri} {uri}", index, at_least=3)
    report = citation_report(f'"perishes" {uri}\n\n`a.md:99`\n\n{uri[:-9]}', index)
    assert ["misquoted", "past_end", "unresolvable"] == [one.verdict for one in report]
    assert 0 == report.precision
    assert "- quoted: perishes" in str(report)


def test_a_quote_of_lines_is_compared_with_them():
    """The evidence of `path:line` is what those lines say."""
    index = corpus(FILES)

    [one] = citation_report('As `a.md:3` says: "A shielded cancel scope dies."', index)

    assert ("misquoted", FILES["a.md"].splitlines()[2]) == (
        one.verdict, (one.evidence or "").strip()
    )  # fmt: skip


def test_corpora_stay_where_they_are_told(tmp_path):
    """A name may not leave the folder; equal shared corpora are one."""
    with pytest.raises(hsum.InvalidInput):
        corpus({"../escaped.md": "x"}, folder=tmp_path / "one")

    first, second = (shared_corpus(FILES, tmp_path / "two") for _ in range(2))
    other = shared_corpus({**FILES, "d.md": b"more"}, tmp_path / "two")

    paths = [one.status().data_path for one in (first, second, other)]
    assert paths[0] == paths[1] != paths[2]
    assert not (tmp_path / "escaped.md").exists()


def test_everything_in_the_page_is_escaped():
    """Whatever a corpus, a query or an answer says, the page has no tag of theirs."""
    evil = '<script>alert("x")</script> <img src=x> \x1b[31m\u202e'
    index = corpus({"<b>.md": evil})
    answer = f"“<i>script</i>” {index.search('script')[0].citation}"

    page = html_report(
        evaluate([RetrievalCase(f"script {evil}".replace('"', ""), ["<b>.md"])], index),
        [citation_report(answer, index)],
        title=evil,
    )

    for tag in (
        "<script",
        "<img",
        "<b>.md",
        "<i>",
        "\x1b",
        "\u202e",
        "http:",
        "https:",
    ):
        assert tag not in page
