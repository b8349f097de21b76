"""The lexical directory of a generation: written once, read by many."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hsum._kernel.faults import Fault
from hsum.index.expressions import AnyOf, Boosted, Phrase, Preferring, Term, Within
from hsum.index.lexical import (
    LONGEST_TOKEN,
    LexicalDocument,
    Reader,
    Writer,
    analyze,
)
from hsum.index.lexical_files import damaged_files


def written(directory: Path, *bodies: str, base: Path | None = None) -> dict[str, str]:
    """Write one passage for each body; its version is its place, from 1."""
    writer = Writer(directory, base=base)
    writer.extend(
        LexicalDocument(version, 0, body, digest=len(body))
        for version, body in enumerate(bodies, 1)
    )
    return writer.commit()


def versions(reader: Reader, expression: object, depth: int = 10) -> list[int]:
    return sorted(match.version for match in reader.search(expression, depth))  # type: ignore[arg-type]


def test_what_was_committed_is_found(tmp_path: Path) -> None:
    """Terms, phrases, sums and filters are answered."""
    written(tmp_path / "g1-1", "red green", "green red", "blue")
    reader = Reader(tmp_path / "g1-1")

    assert 3 == reader.alive
    assert [1, 2] == versions(reader, Term("body", "red"))
    assert [1] == versions(reader, Phrase("body", ((0, "red"), (1, "green"))))
    assert [3] == versions(reader, Phrase("body", ((0, "blue"),)))
    red_or_blue = AnyOf((Term("body", "red"), Boosted(Term("body", "blue"), 9.0)))
    assert 3 == reader.search(red_or_blue, 5)[0].version
    assert [2] == versions(reader, Within(red_or_blue, (2,)))
    assert [1, 2] == versions(
        reader, Preferring(Term("body", "red"), Term("body", "blue"))
    )
    assert [] == versions(reader, Within(red_or_blue, ()))


def test_all_that_tie_with_the_last_are_returned(tmp_path: Path) -> None:
    """Ties are for the caller to order, so none is cut off."""
    written(tmp_path / "g1-1", *["same words here"] * 100, "same")
    reader = Reader(tmp_path / "g1-1")

    assert 101 == len(reader.search(Term("body", "same"), 2))
    assert 1 == len(reader.search(Term("body", "same"), 1))


def test_batches_hold_everything_once(tmp_path: Path) -> None:
    """However many there are, best first."""
    written(tmp_path / "g1-1", *(f"word {'x ' * n}" for n in range(50)))
    reader = Reader(tmp_path / "g1-1")
    batches = list(reader.batches(Term("body", "word"), 3))

    assert list(range(1, 51)) == sorted(m.version for batch in batches for m in batch)
    assert [3, 12] == [len(batch) for batch in batches[:2]]


def test_a_generation_does_not_see_the_next(tmp_path: Path) -> None:
    """A directory made from another shares files with it, and changes none."""
    first = written(tmp_path / "g1-1", "red", "green")
    before = Reader(tmp_path / "g1-1")
    writer = Writer(tmp_path / "g2-1", base=tmp_path / "g1-1")
    writer.delete(1)
    writer.extend([LexicalDocument(3, 0, "red again")])
    second = writer.commit(first)
    after = Reader(tmp_path / "g2-1")

    assert [] == damaged_files(tmp_path / "g1-1", first)
    assert [] == damaged_files(tmp_path / "g2-1", second)
    assert ([1], [3]) == (
        versions(before, Term("body", "red")),
        versions(after, Term("body", "red")),
    )
    assert [1] == versions(Reader(tmp_path / "g1-1"), Term("body", "red"))
    shared = [name for name in set(first) & set(second) if not name.endswith(".json")]
    assert all(
        (tmp_path / "g1-1" / name).samefile(tmp_path / "g2-1" / name) for name in shared
    )


def test_an_aborted_writer_leaves_nothing(tmp_path: Path) -> None:
    """Neither its directory nor a change to the base."""
    first = written(tmp_path / "g1-1", "red")
    writer = Writer(tmp_path / "g2-1", base=tmp_path / "g1-1")
    writer.extend([LexicalDocument(2, 0, "green")])
    writer.abort()

    assert not (tmp_path / "g2-1").exists()
    assert [] == damaged_files(tmp_path / "g1-1", first)


def test_every_changed_byte_is_named(tmp_path: Path) -> None:
    """tantivy does not notice a flipped byte; the hashes do."""
    files = written(tmp_path / "g1-1", "red", "green")
    for name in sorted(files):
        path = tmp_path / "g1-1" / name
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
        assert [name] == damaged_files(tmp_path / "g1-1", files)
        path.write_bytes(data)
    (tmp_path / "g1-1" / name).unlink()

    assert [name] == damaged_files(tmp_path / "g1-1", files)


@pytest.mark.parametrize("kind", ["term", "idx", "store", "fast", "meta.json"])
def test_a_broken_directory_is_unavailable(tmp_path: Path, kind: str) -> None:
    """What tantivy raises has our code and names the directory."""
    written(tmp_path / "g1-1", "red", "green")
    path = next((tmp_path / "g1-1").glob(f"*{kind}"))
    path.unlink()
    path.write_bytes(b"x")
    with pytest.raises(Fault) as refused:
        Reader(tmp_path / "g1-1").search(Term("body", "red"), 5)

    assert "LEXICAL_UNAVAILABLE" == refused.value.code


def test_a_missing_directory_is_unavailable(tmp_path: Path) -> None:
    """It can be built again."""
    with pytest.raises(Fault) as refused:
        Reader(tmp_path / "g9-1")

    assert "LEXICAL_UNAVAILABLE" == refused.value.code


def test_a_damaged_base_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    """A generation cannot be made from what is no lexical index."""
    (tmp_path / "g1-1").mkdir()
    with pytest.raises(Fault) as refused:
        Writer(tmp_path / "g2-1", base=tmp_path / "g1-1")

    assert "LEXICAL_UNAVAILABLE" == refused.value.code
    assert not (tmp_path / "g2-1").exists()


def test_an_open_reader_outlives_its_directory(tmp_path: Path) -> None:
    """What was opened stays whole when the directory is swept."""
    written(tmp_path / "g1-1", "red")
    reader = Reader(tmp_path / "g1-1")
    for path in (tmp_path / "g1-1").iterdir():
        path.unlink()
    (tmp_path / "g1-1").rmdir()

    assert [1] == versions(reader, Term("body", "red"))


def test_a_directory_that_cannot_be_written_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """tantivy needs a lock file to open; the copy is kept for the next time."""
    written(tmp_path / "g1-1", "red")
    before = sorted(os.listdir(tmp_path / "g1-1"))
    monkeypatch.setattr("os.access", lambda *_: False)
    for _ in range(2):
        reader = Reader(tmp_path / "g1-1", cache=lambda: tmp_path / "cache")

        assert [1] == versions(reader, Term("body", "red"))
    assert before == sorted(os.listdir(tmp_path / "g1-1"))
    assert ["g1-1"] == os.listdir(tmp_path / "cache")


def test_twins_are_passages_of_equal_digest(tmp_path: Path) -> None:
    """One alone has no twin."""
    written(tmp_path / "g1-1", "red", "sea", "green")
    reader = Reader(tmp_path / "g1-1")

    assert [1, 2] == sorted(match.version for match in reader.twins(3))
    assert [] == reader.twins(5)


def test_tokens_are_those_of_the_index() -> None:
    """Positions count what is dropped, so that phrases keep their distances."""
    long = "x" * (LONGEST_TOKEN + 1)
    found = [(token.position, token.text) for token in analyze(f"Don't {long} Café_b")]

    assert [(0, "don"), (1, "t"), (3, "cafe"), (4, "b")] == found
    assert ["run"] == [token.text for token in analyze("running", "stem")]
