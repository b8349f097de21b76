"""Exact bytes by their citation, and what has become of them."""

from __future__ import annotations

import os
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hsum
from hsum.errors import HsumError
from hsum.index.passages import cut
from hsum.retrieve.get import get, widened
from hsum.retrieve.lines import lines_of
from hsum.retrieve.moved import judged, places_of
from tests.retrieve.trees import indexed, planted

TEXT = "".join(f"def function_{n}(a):\n    return a + {n}\n\n\n" for n in range(200))


@pytest.fixture
def index(tmp_path: Path) -> hsum.Index:
    """An index of a long file and a short one."""
    return indexed(tmp_path, {"long.py": TEXT, "uni.txt": "één twee drie\n"})


def cited(index: hsum.Index, path: str) -> hsum.Citation:
    """Return the citation of a whole document."""
    return next(found.citation for found in index.documents() if found.path == path)


def test_the_bytes_of_any_span_come_back(index: hsum.Index) -> None:
    """Text, lines and content are those of the span, to the byte."""
    start = TEXT.index("def function_7(")
    citation = cited(index, "long.py").span(start, start + 16)
    evidence = index.get(citation)

    assert (citation, citation) == (evidence.requested, evidence.returned)
    assert (b"def function_7(a", (29, 29)) == (evidence.content, evidence.lines)
    assert evidence.untrusted_content


def test_around_adds_whole_passages_left_and_right_in_turn(index: hsum.Index) -> None:
    """Each step adds one neighbour; what `get` returns can be given to `get`."""
    passages = cut(TEXT.encode(), path=b"long.py", encoding="utf-8")
    own = passages[2]
    citation = cited(index, "long.py").span(own.start + 3, own.end - 3)
    spans = {1: (1, 2), 2: (1, 3), 3: (0, 3), 4: (0, 4)}
    for around, (first, last) in spans.items():
        returned = index.get(citation, around=around).returned

        assert (passages[first].start, passages[last].end) == (
            returned.start,
            returned.end,
        )
        assert returned == index.get(returned).returned


def test_neighbours_never_cost_what_was_asked_for(index: hsum.Index) -> None:
    """A neighbour that `max_bytes` has no room for is left out, not cut."""
    citation = cited(index, "long.py").span(3_000, 3_100)
    evidence = index.get(citation, around=5, max_bytes=200)

    assert (citation, False) == (evidence.returned, evidence.truncated)


@given(st.data())
def test_widening_covers_the_span_and_starts_at_passages(data: st.DataObject) -> None:
    """The widened span holds the span, within the limit or not widened at all."""
    raw = TEXT.encode()
    passages = cut(raw, path=b"x.py", encoding="utf-8")
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, len(raw)))
    around = data.draw(st.integers(1, 6))
    most = data.draw(st.integers(1, 9_000))
    own = range(len(passages))
    low, high = widened(passages, own, (start, end), around, most)

    assert low <= start <= end <= high
    assert (low, high) == (start, end) or high - low <= most


def test_a_long_span_is_cut_at_a_character(index: hsum.Index) -> None:
    """`é` is two bytes: one and a half are one character less."""
    citation = cited(index, "uni.txt")
    texts = [index.get(citation, max_bytes=size).text for size in (1, 2, 3, 4, 5)]

    assert ["", "é", "é", "éé", "één"] == texts
    assert index.get(citation, max_bytes=3).truncated
    assert not index.get(citation, max_bytes=16).truncated


@pytest.mark.parametrize(
    "options",
    [{"around": -1}, {"around": True}, {"max_bytes": 0}, {"max_bytes": 1.5}],
)
def test_bad_numbers_are_refused(index: hsum.Index, options: dict[str, int]) -> None:
    """Each is an invalid argument."""
    with pytest.raises(HsumError) as refused:
        index.get(cited(index, "uni.txt"), **options)

    assert "INVALID_ARGUMENT" == refused.value.code


def test_what_does_not_belong_together_is_not_found(index: hsum.Index) -> None:
    """Index, source, document, revision and span must all be those of one thing."""
    one, other = cited(index, "long.py"), cited(index, "uni.txt")
    wrong = [
        attrs.evolve(one, source_id=other.source_id),
        attrs.evolve(one, document_id=other.document_id),
        attrs.evolve(one, rev=other.rev),
        attrs.evolve(one, index_id=one.source_id),
        one.span(0, len(TEXT) + 1),
    ]
    for citation in wrong:
        with pytest.raises(HsumError) as refused:
            index.get(citation)

        assert "EVIDENCE_NOT_FOUND" == refused.value.code


def test_a_project_has_its_own_documents_only(index: hsum.Index) -> None:
    """A citation of another project's document is as unknown as a made-up one."""
    index.projects.add("texts", include=["*.txt"])
    found = get(index._store, cited(index, "uni.txt"), project="texts")
    with pytest.raises(HsumError) as refused:
        get(index._store, cited(index, "long.py"), project="texts")

    assert "EVIDENCE_NOT_FOUND" == refused.value.code
    assert "uni.txt" == found.path


def test_damage_is_never_wrong_bytes(tmp_path: Path) -> None:
    """A stored revision that is not what its hash says is refused as a whole."""
    import sqlite3

    index = hsum.open(tmp_path / "index")
    index.ingest(planted(tmp_path / "tree", {"a.txt": "one\n", "b.txt": "two\n"}))
    citation = cited(index, "a.txt")
    index.close()
    with sqlite3.connect(tmp_path / "index" / "index.sqlite") as raw:
        rows = raw.execute("SELECT id, sha256, body FROM block ORDER BY id").fetchall()
        raw.execute(
            "UPDATE block SET sha256 = ?, body = ? WHERE id = ?",
            (*rows[1][1:], rows[0][0]),
        )
    raw.close()
    with hsum.open(tmp_path / "index") as again, pytest.raises(HsumError) as refused:
        again.get(citation)

    assert "INTEGRITY_FAILED" == refused.value.code


# --- the source ---------------------------------------------------------------------


def states(index: hsum.Index, citation: hsum.Citation) -> tuple[str, str]:
    """Return the state of the source without and with verification."""
    return (
        index.get(citation).source_state,
        index.get(citation, verify=True).source_state,
    )


def test_the_state_of_a_source_is_that_of_its_file(
    index: hsum.Index, tmp_path: Path
) -> None:
    """One `lstat`, or the hash when asked: unchanged, touched, changed, gone, a link."""
    path = tmp_path / "tree" / "uni.txt"
    citation = cited(index, "uni.txt")
    seen = [states(index, citation)]
    os.utime(path, ns=(1, 1))
    seen.append(states(index, citation))
    path.write_text("other\n", encoding="utf-8")
    seen.append(states(index, citation))
    path.unlink()
    seen.append(states(index, citation))
    path.symlink_to("long.py")
    seen.append(states(index, citation))

    assert [
        ("metadata_unchanged", "unchanged"),
        ("metadata_changed", "unchanged"),
        ("metadata_changed", "changed"),
        ("missing", "missing"),
        ("blocked", "blocked"),
    ] == seen


def test_an_old_revision_is_not_the_file_of_today(
    index: hsum.Index, tmp_path: Path
) -> None:
    """A file that was ingested again is changed for a citation of what it was."""
    citation = cited(index, "uni.txt")
    planted(tmp_path / "tree", {"uni.txt": "een twee\n"})
    index.ingest()

    assert ("metadata_changed", "changed") == states(index, citation)
    assert "één twee drie\n" == index.get(citation).text


def test_a_folder_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    """Verification never leaves the root, by whatever name."""
    index = indexed(tmp_path, {"sub/a.txt": "inside\n"})
    citation = cited(index, "sub/a.txt")
    outside = planted(tmp_path / "outside", {"a.txt": "inside\n"})
    (tmp_path / "tree" / "sub" / "a.txt").unlink()
    (tmp_path / "tree" / "sub").rmdir()
    (tmp_path / "tree" / "sub").symlink_to(outside)
    evidence = index.get(citation, verify=True)

    assert ("blocked", "gone") == (evidence.source_state, evidence.span_state)


def test_a_root_that_is_gone_leaves_the_evidence(tmp_path: Path) -> None:
    """The bytes are the index's own; the source is missing, the span gone."""
    index = indexed(tmp_path, {"a.txt": "text\n"})
    citation = cited(index, "a.txt")
    (tmp_path / "tree").rename(tmp_path / "elsewhere")
    evidence = index.get(citation, verify=True)

    assert ("text\n", "missing", "gone") == (
        evidence.text,
        evidence.source_state,
        evidence.span_state,
    )


# --- the span -----------------------------------------------------------------------


def moved(index: hsum.Index, start: int, end: int) -> hsum.Evidence:
    """Return the verified evidence of a span of the long file."""
    return index.get(cited(index, "long.py").span(start, end), verify=True)


def test_a_span_is_intact_moved_ambiguous_or_gone(
    index: hsum.Index, tmp_path: Path
) -> None:
    """The cited bytes are looked for where they were, then everywhere."""
    tree = tmp_path / "tree"
    start = TEXT.index("def function_9(")
    end = TEXT.index("def function_10(")
    piece = TEXT[start:end]

    assert "intact" == moved(index, start, end).span_state
    planted(tree, {"long.py": "# five\n# new\n# lines\n\n\n" + TEXT})
    evidence = moved(index, start, end)
    assert ("moved", "long.py") == (evidence.span_state, evidence.moved_to.path)
    assert (evidence.lines[0] + 5, evidence.lines[1] + 5) == evidence.moved_to.lines
    planted(tree, {"new/other.py": f"x = 1\n{piece}"})
    evidence = moved(index, start, end)
    assert ("ambiguous", None) == (evidence.span_state, evidence.moved_to)
    assert ["long.py", "new/other.py"] == [place.path for place in evidence.places]
    (tree / "long.py").unlink()
    evidence = moved(index, start, end)
    assert ("moved", "new/other.py", (2, 5)) == (
        evidence.span_state,
        evidence.moved_to.path,
        evidence.moved_to.lines,
    )
    planted(tree, {"new/other.py": piece.replace("return", "yield")})
    assert ("gone", ()) == (
        moved(index, start, end).span_state,
        moved(index, start, end).places,
    )


def test_a_change_elsewhere_in_the_file_leaves_the_span_intact(
    index: hsum.Index, tmp_path: Path
) -> None:
    """The bytes stand where they stood, though the file is another."""
    planted(tmp_path / "tree", {"long.py": TEXT + "# more\n"})
    evidence = moved(index, 100, 200)

    assert ("changed", "intact") == (evidence.source_state, evidence.span_state)


def test_an_ignored_file_is_no_place(index: hsum.Index, tmp_path: Path) -> None:
    """Only what is indexed or would be counts."""
    (tmp_path / "tree" / "long.py").rename(tmp_path / "tree" / "long.log")
    planted(tmp_path / "tree", {".gitignore": "*.log\n"})

    assert "gone" == moved(index, 100, 200).span_state


@given(st.binary(max_size=60), st.binary(max_size=60), st.data())
def test_a_judgement_never_guesses(
    then: bytes, now: bytes, data: st.DataObject
) -> None:
    """It says `moved` exactly when the bytes stand at one place and not their own."""
    end = data.draw(st.integers(0, len(then)))
    start = data.draw(st.integers(0, end))
    cited_bytes = then[start:end]
    verified = judged(now, then, (start, end), lambda: iter([(b"f", now)]))
    count = len(list(places_of(cited_bytes, now, 1_000))) if cited_bytes else 0

    if len(now) >= end and now[start:end] == cited_bytes:
        assert "intact" == verified.span_state
    else:
        expected = "gone" if not count else "moved" if count == 1 else "ambiguous"
        assert expected == verified.span_state


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_only_a_line_feed_ends_a_line(encoding: str) -> None:
    """CR, VT, FF and U+2028 do not; a line feed belongs to the line it ends."""
    text = "a\rb\x0b\x0c\u2028\u0a00c\r\nd\n"
    data = text.encode(encoding)
    third = len("a\rb\x0b\x0c\u2028\u0a00c\r\n".encode(encoding))

    assert (1, 1) == lines_of(data, encoding, 0, third)
    assert (2, 2) == lines_of(data, encoding, third, len(data))
    assert (1, 2) == lines_of(data, encoding, 0, len(data))


def test_a_root_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    """Another folder under the root's name is another folder."""
    index = indexed(tmp_path, {"a.txt": "inside\n"})
    citation = cited(index, "a.txt")
    (tmp_path / "tree").rename(tmp_path / "was")
    (tmp_path / "tree").symlink_to(tmp_path / "was")
    plain, verified = index.get(citation), index.get(citation, verify=True)

    assert "blocked" == plain.source_state
    assert ("blocked", "gone") == (verified.source_state, verified.span_state)
