"""The page about an evaluation, in words and in a real browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hsum.testing import (
    CaseResult,
    CheckedCitation,
    CitationReport,
    Evaluation,
    JudgedHit,
    RetrievalCase,
    html_report,
)
from tests.plugin import pictures

SEEN = Path(__file__).with_name("page.png")
GOOD, BAD = (0x2F, 0x7D, 0x5B), (0xB3, 0x40, 0x2E)


def result(query, value, *, relevant="scopes.md", minimum=0.0):
    text = "A shielded cancel scope survives."
    hit = JudgedHit("scopes.md", (1, 3), None, 4.2, "hsum://", text, (relevant,))
    other = JudgedHit("other.md", (1, 1), "name", 1.0, "hsum://", "Nothing of note.")
    case = RetrievalCase(query, [relevant], minimum=minimum)
    hits = (hit, other) if value else (other,)
    return CaseResult(case, hits, value, value, value)


EVALUATION = Evaluation(
    (
        result("shielded scope", 1.0),
        result("lost", 0.0, minimum=0.5),
        result("half", 0.5),
    )
)
ANSWER = CitationReport(
    'It "dies" (scopes.md:3), it "survives" (scopes.md:3).',
    tuple(
        CheckedCitation("scopes.md:3", 1, at, verdict, "said", "scopes.md", quote, text)
        for at, verdict, quote, text in [
            (10, "misquoted", "dies", "A scope survives."),
            (40, "ok", "survives", "A scope survives."),
        ]
    ),
    "test_agent.py::test_answer",
)


@pytest.fixture(scope="module")
def page():
    """A page with a case that fails, one that passes, one between, and an answer."""
    return html_report(EVALUATION, [ANSWER], minima={"ndcg": 0.8})


class Tags(HTMLParser):
    """Collect what a page has, and demand that every tag is closed."""

    VOID = frozenset({"meta", "link", "br", "img", "rect", "line"})

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        assert [] == self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert tag == self.open.pop()


def test_the_page_loads_nothing(page):
    """No script, no link, no picture; the policy in it forbids the rest."""
    tags = Tags(page).seen

    names = {name for name, _ in tags}
    assert not names & {"script", "link", "img", "iframe", "object"}
    assert not any({"src", "xlink:href"} & attrs.keys() for _, attrs in tags)
    links = [attrs["href"] for name, attrs in tags if name == "a"]
    assert all(link.startswith("#") for link in links)
    assert "default-src 'none'" in page
    assert "url(" not in page


def test_failures_come_first_and_open(page):
    """Cases by their value, answers by their precision; what failed is unfolded."""
    folds = [attrs for name, attrs in Tags(page).seen if name == "details"]
    shown = re.findall(r"<summary>(.*?) <span", page)

    assert ["lost", "half", "shielded scope", ANSWER.where] == shown
    assert [True, False, False, True] == ["open" in one for one in folds]


def test_evidence_is_marked(page):
    """The words of the query are marked in hits, the quote in the cited bytes."""
    assert "A <mark>shielded</mark> cancel <mark>scope</mark> survives." in page
    assert "A scope <mark>survives</mark>." in page
    assert "- quoted: dies" in page


def test_all_means_are_plotted(page):
    """Four bars and one column for each case."""
    for name in ("nDCG@10", "MRR", "recall@10", "citation precision"):
        assert f">{name}</text>" in page
    assert 3 == page.count("<a href='#case-")


def test_an_empty_evaluation_has_a_page():
    """Nothing asked, nothing plotted."""
    assert "Nothing was evaluated." in html_report(Evaluation(()))


@pytest.mark.skipif(pictures.CHROMIUM is None, reason="chromium is not installed")
def test_it_looks_as_it_did(page, tmp_path):
    """In a browser the bars have their lengths, and the rest is where it was."""
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    profile = tmp_path / "profile"

    rows = pictures.screenshot(tmp_path / "page.html", tmp_path / "now.png", profile)

    means = [bar for bar in pictures.runs(rows[:260], GOOD, least=40) if bar]
    low = pictures.runs(rows[:260], BAD, least=40)
    # nDCG 0.5 is below its minimum; MRR, recall and precision are 0.5, too.
    assert 1 == len({round(bar / 10) for bar in (*means, *low)})
    assert (1, True) == (len(low), len(means) >= 1)
    known = pictures.pixels(SEEN.read_bytes())
    assert (len(known), len(known[0])) == (len(rows), len(rows[0]))
    apart = [
        abs(one - other)
        for one, other in zip(
            pictures.coarse(known), pictures.coarse(rows), strict=True
        )
    ]
    assert max(apart) < 0.2
    assert sum(apart) / len(apart) < 0.04
