"""One flipped bit: found by the doctor, or harmless; never wrong bytes, no traceback.

Set `HSUM_FLIPS` to try each file at that many places.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import pytest

import hsum
from hsum.index.decode import encoding_of, text_of
from tests.care.flips import FLIPS, Answers, asked, flip, flipped_copies
from tests.index.trees import TREE, plant

QUERIES = ("steer helm", "Helm.steer", '"Salt water"', "record sea", "one two", ">>>")
GONE = b"gone.txt"
KINDS = (
    "index.sqlite",
    "meta.json",
    ".managed.json",
    ".del",
    ".fast",
    ".fieldnorm",
    ".idx",
    ".pos",
    ".store",
    ".term",
)


class World(NamedTuple):
    """An index, the same with its log, and what is true of it."""

    root: Path
    index: Path
    logged: Path
    cited: list[str]
    bodies: dict[str, bytes]
    before: Answers


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
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
            "marks.txt": b">>> print()\n",
            GONE.decode(): b"to be forgotten\n",
        },
    )
    with hsum.open(folder / "ix") as index:
        index.ingest(root, exclude=["*.tmp"])
        index.projects.add("docs", include=["docs/**"])
        for turn in range(2):
            plant(root, {"notes.txt": b"one two %d\n" % turn, "docs/b.md": b"# B\n"})
            (root / "src" / "crew.py").unlink(missing_ok=True)
            index.ingest()
            if turn == 0:
                index.forget(GONE.decode())
        index.prune(keep_generations=2)
        documents = [one for n in (2, 3) for one in index.documents(n)]
        cited = sorted({str(one.citation) for one in documents})
        bodies = stored_bodies(index)
        shutil.copytree(folder / "ix", folder / "logged")
    (folder / "logged" / "index.sqlite-shm").unlink()
    before = answers(folder / "ix", cited)
    return World(root, folder / "ix", folder / "logged", cited, bodies, before)


def stored_bodies(index: hsum.Index) -> dict[str, bytes]:
    """Return every kept revision by its hash."""
    with index._store.reading() as snapshot:
        kept = (one for n in (2, 3) for one in snapshot.at(n) if one.path != GONE)
        return {one.rev: snapshot.whole(one) for one in kept}


def answers(folder: Path, cited: list[str]) -> Answers:
    """Return what an index answers."""
    with hsum.open(folder) as index:
        calls: dict[str, Callable[[], Any]] = {
            "documents": lambda: [index.documents(n) for n in (1, 2, 3, None)],
            "generations": index.generations,
            "skipped": lambda: [(skip.path, skip.reason) for skip in index.skipped()],
            "projects": index.projects.list,
            "status": lambda: [index.status().options, index.status().documents],
            **{
                f"search {query}": lambda query=query: (
                    index.search(query, timeout_ms=60_000).hits
                )
                for query in QUERIES
            },
            **{
                citation: lambda citation=citation: index.get(
                    citation, around=1, verify=True
                )
                for citation in cited
            },
            "check": lambda: index.check(" ".join(cited)).findings,
            "plan": lambda: index.ingest(dry_run=True, allow=["mass-delete"]),
            "doctor": lambda: index.doctor().problems,
        }
        return asked(calls)


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
        shown = (answer.content, answer.path, answer.lines, answer.encoding)
        return repr((*shown, answer.source_state, answer.span_state))
    if isinstance(answer, tuple):
        # A private lexical index scores in its own way what ranks alike.
        return repr(
            [
                (str(one.citation), one.path, one.lines, one.symbol, one.text)
                if isinstance(one, hsum.Hit)
                else one
                for one in answer
            ]
        )
    return repr(answer)


def wrong(before: Answers, after: Answers) -> list[str]:
    """Return the questions whose answer is another one, and no typed error."""
    return [
        name
        for name, answer in after.items()
        if name != "doctor"
        and not isinstance(answer, hsum.HsumError)
        and known(answer) != known(before[name])
    ]


def files_of(folder: Path, kind: str) -> list[str]:
    """Return the stored files of a kind; a lexical directory's by their endings."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return [
        str(path.relative_to(folder))
        for path in sorted(found)
        if path.name.endswith(kind) and path.stat().st_size
    ]


def test_every_stored_file_is_of_a_kind_that_is_tried(world: World) -> None:
    """No file of an index is left out of what follows."""
    tried = [name for kind in KINDS for name in files_of(world.index, kind)]
    stored = set(files_of(world.index, ""))

    assert sorted(stored - {"writer.lock"}) == sorted(tried)
    assert {"index.sqlite-wal"} == set(files_of(world.logged, "")) - stored
    assert () == world.before["doctor"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_is_found_or_harmless(
    world: World, tmp_path: Path, kind: str
) -> None:
    """Bytes are true, and where any answer is another one the doctor names damage.

    A lexical file that is damaged is noticed before it answers.
    """
    names = files_of(world.index, kind)
    database = kind == "index.sqlite"
    times = 10 if database else 1
    silent, false, late, found = [], [], [], 0
    for folder, what in flipped_copies(world.index, names, tmp_path, times=times):
        after = answers(folder, world.cited)
        healthy = after["doctor"] == ()
        found += not healthy
        if not all(true_bytes(answer, world.bodies) for answer in after.values()):
            false.append(what)
        if not database and (differs := wrong(world.before, after)):
            late.append((what, differs))
        if healthy and any(
            known(after[k]) != known(v) for k, v in world.before.items()
        ):
            silent.append(what)

    head = max(path.name for path in (world.index / "lexical").iterdir())
    current = [name for name in names if head in name]
    assert [] == silent
    assert [] == false
    assert [] == late
    # What SQLite does not use of its file is the greater part of a small one.
    assert found >= (FLIPS if database else FLIPS * len(current))


def test_a_flipped_bit_of_the_log_loses_whole_generations(
    world: World, tmp_path: Path
) -> None:
    """SQLite drops what follows it: bytes stay true, and the doctor tells."""
    silent, false, found = [], [], 0
    names = ["index.sqlite-wal"]
    for folder, what in flipped_copies(world.logged, names, tmp_path, times=2):
        after = answers(folder, world.cited)
        healthy = after["doctor"] == ()
        found += not healthy
        if not all(true_bytes(answer, world.bodies) for answer in after.values()):
            false.append(what)
        if healthy and wrong(world.before, after):
            silent.append(what)

    assert [] == silent
    assert [] == false
    assert found >= FLIPS // 2


def test_a_flipped_lexical_byte_is_repaired(world: World, tmp_path: Path) -> None:
    """What is derived is built again; what is stored is never touched."""
    draw = random.Random(1)
    newest = max((world.index / "lexical").iterdir(), key=lambda path: path.name)
    for path in newest.iterdir():
        if not path.stat().st_size:
            continue
        folder = tmp_path / path.name
        shutil.copytree(world.index, folder)
        flip(folder / path.relative_to(world.index), draw)
        with hsum.open(folder) as index:
            documents = index.documents()
            repaired = index.doctor(repair=True)

            assert ("lexical index",) == repaired.repaired
            assert () == repaired.problems
            assert documents == index.documents()
            assert index.search("steer helm").hits


def test_a_flipped_byte_of_the_lock_is_harmless(world: World, tmp_path: Path) -> None:
    """Not its bytes, but the lock that the system holds on it counts."""
    for folder, _ in flipped_copies(world.index, ["writer.lock"], tmp_path):
        with hsum.open(folder) as index:
            assert index.doctor().healthy
            assert index.ingest(rehash=True, allow=["mass-delete"]).generation


def test_a_flipped_byte_of_the_bindings_grants_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A binding serves what it was granted for, or is refused by name."""
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    made = hsum.initialize(world.root)
    path = tmp_path / "home" / "config" / "trust.json"
    whole = path.read_bytes()
    with hsum.open_bound(made.binding.id) as bound:
        granted = bound.context()
    draw = random.Random(5)
    for _ in range(FLIPS * 4):
        path.write_bytes(whole)
        flip(path, draw)
        try:
            with hsum.open_bound(made.binding.id) as bound:
                # What an index is called is not what it is.
                served = attrs.evolve(bound.context(), index=granted.index)
        except hsum.HsumError as fault:
            served = fault.code

        assert served in (granted, "NOT_TRUSTED", "STORE_DAMAGED", "SCHEMA_TOO_NEW")


def test_a_flipped_byte_of_a_backup_is_refused_or_harmless(
    world: World, tmp_path: Path
) -> None:
    """What is restored from it answers as the index does, or nothing is."""
    (tmp_path / "kept").mkdir()
    with hsum.open(world.index) as index:
        index.backup(tmp_path / "kept" / "copy")
    different = []
    copies = flipped_copies(tmp_path / "kept", ["copy"], tmp_path / "tried", times=3)
    for folder, what in copies:
        try:
            hsum.restore(folder / "copy", folder / "ix")
        except hsum.HsumError as fault:
            assert fault.code in ("STORE_DAMAGED", "INTEGRITY_FAILED", "SCHEMA_TOO_NEW")
            assert not (folder / "ix").exists()
            continue
        after = answers(folder / "ix", world.cited)
        if any(known(after[k]) != known(v) for k, v in world.before.items()):
            different.append(what)

    assert [] == different


@pytest.mark.parametrize("at", [0, 16, 100, -1])
def test_a_backup_with_a_flipped_byte_in_use_is_refused(
    world: World, tmp_path: Path, at: int
) -> None:
    """Of the header, the page size, the schema, or the end of what was stored last."""
    copy = tmp_path / "copy"
    with hsum.open(world.index) as index:
        index.backup(copy)
    data = bytearray(copy.read_bytes())
    data[at] ^= 0xFF
    copy.write_bytes(data)

    with pytest.raises(hsum.HsumError) as caught:
        hsum.restore(copy, tmp_path / "ix")

    assert caught.value.code in ("STORE_DAMAGED", "INTEGRITY_FAILED", "SCHEMA_TOO_NEW")
    assert not (tmp_path / "ix").exists()


def test_a_flipped_byte_of_a_lock_file_makes_nothing_stand(
    world: World, tmp_path: Path
) -> None:
    """A citation that stands, stands or is doubted; one that is gone is never `ok`."""
    page = plant(
        tmp_path / "page",
        {
            "a.py": b"one = 1\ntwo = 2\n",
            "b.py": b"three = 3\n",
            "page.md": b"See `a.py:1-2` and `b.py:1`.\n",
        },
    )
    hsum.check_files([page / "page.md"], lock=page / "citations.lock")
    plant(page, {"b.py": b"four = 4\n"})
    allowed = {
        "ok": {"ok", "moved", "ambiguous", "gone", "past_end", "unpinned"},
        "gone": {"moved", "ambiguous", "gone", "past_end", "unpinned"},
    }
    verdicts = [one.verdict for one in hsum.check_files([page / "page.md"]).findings]
    seen = set()
    for folder, what in flipped_copies(page, ["citations.lock"], tmp_path / "tried"):
        try:
            found = hsum.check_files([folder / "page.md"]).findings
        except hsum.HsumError as fault:
            seen.add(fault.code)
            continue

        assert [] == [
            (what, before, one.verdict)
            for before, one in zip(verdicts, found, strict=True)
            if one.verdict not in allowed[before]
        ]
    assert ["ok", "gone"] == verdicts
    assert seen <= {"INVALID_ARGUMENT", "STORE_DAMAGED", "SCHEMA_TOO_NEW"}
