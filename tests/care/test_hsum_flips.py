"""One flipped byte: found by the doctor, or harmless; never wrong bytes, no traceback.

Set `HSUM_FLIPS` to try each file at that many places.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hsum
from hsum.index.decode import encoding_of, text_of
from tests.index.trees import TREE, plant

FLIPS = int(os.environ.get("HSUM_FLIPS", "10"))
QUERIES = ("steer helm", "Helm.steer", '"Salt water"', "record sea", "one two")

Answers = dict[str, Any]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a root, and an index of three generations with all kinds of rows."""
    folder = tmp_path_factory.mktemp("flips")
    root = plant(folder / "root", TREE)
    rows = [{"id": f"r{at}", "text": "record of the sea"} for at in range(12)]
    plant(
        root,
        {
            "log.jsonl": b"".join(json.dumps(row).encode() + b"\n" for row in rows),
            "big.py": b"".join(
                b"def f%d(): # helm\n    pass\n" % n for n in range(900)
            ),
            "utf16.txt": "one two".encode("utf-16"),
            "bin.bin": bytes(range(256)) * 9,
            ".gitignore": b"*.log\n",
            "x.log": b"x",
        },
    )
    with hsum.open(folder / "ix") as index:
        index.ingest(root, exclude=["*.tmp"])
        index.projects.add("docs", include=["docs/**"])
        for turn in range(2):
            plant(root, {"notes.txt": b"one two %d\n" % turn, "docs/b.md": b"# B\n"})
            (root / "src" / "crew.py").unlink(missing_ok=True)
            index.ingest()
        index.prune(keep_generations=2)
    return folder


def answers(folder: Path, cited: list[str]) -> Answers:
    """Return what an index answers; a typed error is an answer."""
    found: Answers = {}

    def ask(name: str, call: Callable[[], Any]) -> None:
        try:
            found[name] = call()
        except hsum.HsumError as fault:
            found[name] = fault

    with hsum.open(folder) as index:
        ask("documents", lambda: [repr(index.documents(n)) for n in (1, 2, 3, None)])
        ask("generations", lambda: repr(index.generations()))
        ask("skipped", lambda: [(skip.path, skip.reason) for skip in index.skipped()])
        ask("projects", lambda: repr(index.projects.list()))
        ask("status", lambda: repr([index.status().options, index.status().documents]))
        for query in QUERIES:
            ask(f"search {query}", lambda query=query: index.search(query).hits)
        for citation in cited:
            ask(citation, lambda citation=citation: index.get(citation, around=1))
        ask("plan", lambda: repr(index.ingest(dry_run=True, allow=["mass-delete"])))
        ask("doctor", lambda: index.doctor().problems)
    return found


def flip(path: Path, draw: random.Random) -> int:
    data = bytearray(path.read_bytes())
    at = draw.randrange(len(data))
    data[at] ^= 1 << draw.randrange(8)
    path.write_bytes(data)
    return at


def stored_bodies(index: hsum.Index) -> dict[str, bytes]:
    """Return every kept revision by its hash."""
    with index._store.reading() as snapshot:
        return {one.rev: snapshot.whole(one) for n in (2, 3) for one in snapshot.at(n)}


def true_bytes(answer: Any, bodies: dict[str, bytes]) -> bool:
    """Tell whether what is quoted stands where its citation says."""
    if isinstance(answer, hsum.Evidence):
        cited = answer.returned
        return answer.content == bodies[cited.rev][cited.start : cited.end]
    hits = answer if isinstance(answer, tuple) else ()
    for hit in hits:
        if isinstance(hit, hsum.Hit) and hit.citation.rev in bodies:
            whole, cited = bodies[hit.citation.rev], hit.citation
            part = whole[cited.start : cited.end]
            if hit.text != text_of(part, encoding_of(whole)):
                return False
    return True


def known(answer: Any) -> str:
    """Return what of an answer must not differ unnoticed."""
    if isinstance(answer, hsum.Evidence):
        return repr((answer.content, answer.path, answer.lines, answer.encoding))
    if isinstance(answer, tuple):
        shown = [
            (str(one.citation), one.path, one.lines, one.symbol, one.text)
            if isinstance(one, hsum.Hit)
            else one
            for one in answer
        ]
        return repr(shown)
    return repr(answer)


def stored_files(folder: Path) -> list[str]:
    """Return one file of each kind, all of the newest generation."""
    newest = max((folder / "lexical").iterdir(), key=lambda path: path.name)
    kinds = {path.suffix or path.name: path for path in sorted(newest.iterdir())}
    paths = [path for path in kinds.values() if path.stat().st_size]
    return [str(path.relative_to(folder)) for path in (folder / "index.sqlite", *paths)]


def test_a_flipped_byte_is_found_or_harmless(world: Path, tmp_path: Path) -> None:
    """In every stored file, at random places."""
    draw = random.Random(7)
    with hsum.open(world / "ix") as index:
        documents = [one for n in (2, 3) for one in index.documents(n)]
        cited = sorted({str(one.citation) for one in documents})
        bodies = stored_bodies(index)
    before = answers(world / "ix", cited)
    kinds = stored_files(world / "ix")
    silent, wrong, found = [], [], 0
    for name in kinds:
        for turn in range(FLIPS * (6 if name == "index.sqlite" else 1)):
            folder = tmp_path / name.replace("/", "-") / str(turn)
            shutil.copytree(world / "ix", folder)
            at = flip(folder / name, draw)
            after = answers(folder, cited)
            healthy = after["doctor"] == ()
            found += not healthy
            differs = [key for key in before if known(before[key]) != known(after[key])]
            if healthy and differs:
                silent.append((name, turn, at, differs))
            if not all(true_bytes(value, bodies) for value in after.values()):
                wrong.append((name, turn, at))
            # A thread of tantivy may still be at work in it.
            shutil.rmtree(folder, ignore_errors=True)

    assert () == before["doctor"]
    assert len(kinds) >= 8
    assert [] == silent
    assert [] == wrong
    assert found >= len(kinds) * FLIPS // 2


def test_a_flipped_lexical_byte_is_repaired(world: Path, tmp_path: Path) -> None:
    """What is derived is built again; what is stored is never touched."""
    draw = random.Random(1)
    for name in stored_files(world / "ix")[1:]:
        folder = tmp_path / name.replace("/", "-")
        shutil.copytree(world / "ix", folder)
        flip(folder / name, draw)
        with hsum.open(folder) as index:
            documents = index.documents()
            repaired = index.doctor(repair=True)

            assert ("lexical index",) == repaired.repaired
            assert () == repaired.problems
            assert documents == index.documents()
            assert index.search("steer helm").hits


def test_a_flipped_byte_of_the_lock_is_harmless(world: Path, tmp_path: Path) -> None:
    """Not its bytes, but the lock that the system holds on it counts."""
    shutil.copytree(world / "ix", tmp_path / "ix")
    flip(tmp_path / "ix" / "writer.lock", random.Random(3))
    with hsum.open(tmp_path / "ix") as index:
        assert index.doctor().healthy
        assert index.ingest(rehash=True, allow=["mass-delete"]).generation


def test_a_flipped_byte_of_the_bindings_grants_nothing(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A binding serves what it was granted for, or is refused by name."""
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    root = world / "root"
    made = hsum.initialize(root)
    path = tmp_path / "home" / "config" / "trust.json"
    whole = path.read_bytes()
    draw = random.Random(5)
    for _ in range(FLIPS * 4):
        path.write_bytes(whole)
        flip(path, draw)
        try:
            with hsum.open_bound(made.binding.id) as bound:
                served = bound.status().source_root
        except hsum.HsumError as fault:
            served = fault.code

        assert served in (str(root), "NOT_TRUSTED", "STORE_DAMAGED", "SCHEMA_TOO_NEW")
