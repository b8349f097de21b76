"""What a search of one generation answers."""

from __future__ import annotations

import re
import shutil
import sysconfig
from collections import Counter
from pathlib import Path

import attrs
import pytest

import hsum
from hsum.errors import HsumError
from hsum.retrieve import search as searching
from hsum.retrieve.search import search
from hsum.retrieve.signals import CODE
from hsum.retrieve.stream import DEPTH, REACH
from tests.retrieve.trees import all_pages, indexed, paths, planted

CODE_TREE: dict[str, str | bytes] = {
    "src/engine.py": (
        "class HTTPServer:\n"
        "    def handle_request(self):\n"
        "        return parseHTMLResponse(self)\n"
    ),
    "src/user.py": "def getUserById(key):\n    return key\n",
    "src/flags.c": 'int main() { parse("--flag"); foo::bar(); return 0; }\n',
    "tests/test_engine.py": "def test_engine():\n    HTTPServer().handle_request()\n",
    "docs/guide.md": "# Guide\n\nThe engine runs requests in C++ and C#.\n",
    "CHANGELOG.md": "# Changes\n\nFixed HTTPServer.handle_request timeouts.\n",
    ".gitignore": "*.pyc\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> hsum.Index:
    """An index of a little tree of code."""
    return indexed(tmp_path_factory.mktemp("code"), CODE_TREE)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("foo::bar", "src/flags.c"),
        ("--flag", "src/flags.c"),
        ("C++", "docs/guide.md"),
        ("C#", "docs/guide.md"),
        ("HTTPServer.handle_request", "CHANGELOG.md"),
        ('"return parseHTMLResponse"', "src/engine.py"),
        ('"return 0; }"', "src/flags.c"),
    ],
)
def test_exact_hits_come_first(index: hsum.Index, query: str, path: str) -> None:
    """What stands there as it was typed comes before what has its words only."""
    hit = index.search(query)[0]

    assert path == hit.path
    assert hit.ranks.exact or hit.ranks.phrase


MENTIONED: dict[str, str | bytes] = {
    "app/net.c": (
        "/* open_link: what open_link gives to open_link goes to open_link. */\n"
        "static int before(void)\n{\n"
        + "\tstep();\n" * 90
        + "}\n\n"
        + "int open_link(struct link *one)\n{\n"
        + "\tturn(one);\n" * 120
        + "}\n"
    ),
    "app/use.c": "int use(void)\n{\n\topen_link(0);\n\topen_link(1);\n}\n",
    "docs/open_link.md": "# open_link\n\nCall open_link before open_link ends.\n",
}


@pytest.mark.parametrize("query", ["open_link", "open_link()", '"open_link"'])
def test_a_definition_comes_before_what_mentions_it(tmp_path: Path, query: str) -> None:
    """However often a comment, a caller or a heading says the name."""
    index = indexed(tmp_path, MENTIONED)
    first, *others = index.search(query)

    assert "int open_link(struct link" in first.text
    assert {"app/net.c", "app/use.c", "docs/open_link.md"} == set(map(_path, others))
    assert all(other.score <= 2 < first.score for other in others)


def _path(hit: hsum.Hit) -> str:
    return hit.path


def test_definitions_of_a_name_can_be_switched_off(tmp_path: Path) -> None:
    """The signal at 0 leaves the mentions where their words put them."""
    index = indexed(tmp_path, MENTIONED)
    off = attrs.evolve(CODE, definition=0.0)
    hits = search(index._store, "open_link", signals=off)

    assert all(hit.score <= 2 for hit in hits)
    assert "int open_link(struct link" not in hits[0].text


def test_what_the_standard_library_declares_once_is_found_by_its_name() -> None:
    """The first hit for each name of `json` and `email` is where it is declared."""
    for name in ("json", "email"):
        root = Path(sysconfig.get_path("stdlib"), name)
        index = hsum.in_memory()
        index.ingest(root, no_ignore=True)
        missed = [
            name
            for name in _declared_once(root)
            if name not in _defined(index.search(f"`{name}`", limit=1)[0].text)
        ]
        assert [] == missed


def _declared_once(root: Path) -> list[str]:
    texts = [path.read_text(encoding="utf-8") for path in root.rglob("*.py")]
    counts = Counter(name for text in texts for name in _defined(text))
    return [name for name, count in counts.items() if count == 1]


def _defined(text: str) -> list[str]:
    """Return the functions and classes of a text, and what is bound at its top."""
    found = re.findall(
        r"^(?: *(?:async )?(?:def|class) |(?=\w+ = ))(\w+)(?=\(|:| = )",
        text,
        re.MULTILINE,
    )
    return list(map(str, found))


def test_only_proven_hits_are_ranked_as_exact(index: hsum.Index) -> None:
    """`ranks.exact` is set where the bytes stand, and nowhere else."""
    hits = index.search("HTTPServer.handle_request")

    assert {"CHANGELOG.md"} == {hit.path for hit in hits if hit.ranks.exact is not None}
    assert "HTTPServer.handle_request" in hits[0].text


@pytest.mark.parametrize("query", ["user", "html response", "get user by id"])
def test_parts_of_compounds_are_words(index: hsum.Index, query: str) -> None:
    """`user` finds `getUserById`: camelCase is searchable by its parts."""
    assert paths(index.search(query))[0] in {"src/user.py", "src/engine.py"}


def test_questions_work(index: hsum.Index) -> None:
    """A question needs no operator, and not all of its words."""
    assert "src/engine.py" in paths(
        index.search("how does the server handle requests?")
    )


@pytest.mark.parametrize(
    "query",
    ["(a OR", "foo AND bar", "a:b^2", "[x TO y]", "*", "\\", "\u202e", "-", "💥", "'"],
)
def test_no_text_is_a_query_language(index: hsum.Index, query: str) -> None:
    """Operators of engines are text."""
    assert index.search(query).stop_reason == "unique_exhausted"


def test_code_comes_before_its_tests_and_documents(index: hsum.Index) -> None:
    """Tests, documents and changelogs are demoted against code ..."""
    assert "src/engine.py" == index.search("engine handle request")[0].path


def test_a_query_that_names_tests_gets_tests(index: hsum.Index) -> None:
    """... unless the query asks for them by name or by path."""
    assert "tests/test_engine.py" == index.search("engine tests")[0].path
    assert "tests/test_engine.py" == index.search("tests/test_engine.py")[0].path


def test_signals_can_be_switched(index: hsum.Index) -> None:
    """With the demotions off, a test that repeats the words comes first."""
    import attrs

    plain = attrs.evolve(CODE, tests=1.0, docs=1.0, changelog=1.0, exact=0.0)
    hits = search(index._store, "HTTPServer handle_request", signals=plain)

    assert {"tests/test_engine.py", "CHANGELOG.md"} & set(paths(hits)[:2])


def test_an_explanation_adds_up(index: hsum.Index) -> None:
    """`explain` shows the score of each field and each factor."""
    signals = index.search("engine request", explain=True)[0].ranks.signals

    assert {"file", "role", "later", "body", "path"} <= set(signals)
    assert {} == dict(index.search("engine request")[0].ranks.signals)


def test_a_hit_says_where_it_stands(index: hsum.Index) -> None:
    """Citation, path, lines, symbol and text of a hit agree."""
    hit = index.search("getUserById")[0]
    evidence = index.get(hit.citation)

    assert ("src/user.py", (1, 2), "getUserById") == (hit.path, hit.lines, hit.symbol)
    assert hit.text == evidence.text
    assert hit.untrusted_content
    assert "metadata_unchanged" == hit.source_state


def test_an_empty_answer_means_something(index: hsum.Index) -> None:
    """What was searched is counted, and so is what was not."""
    hits = index.search("zzzzz")

    assert ([], "unique_exhausted", None) == (list(hits), hits.stop_reason, hits.cursor)
    assert len(CODE_TREE) == hits.searched.documents + sum(
        hits.searched.skipped.values()
    )


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"limit": 0}, "INVALID_ARGUMENT"),
        ({"limit": 101}, "INVALID_ARGUMENT"),
        ({"limit": True}, "INVALID_ARGUMENT"),
        ({"timeout_ms": 0}, "INVALID_ARGUMENT"),
        ({"timeout_ms": 60_001}, "INVALID_ARGUMENT"),
        ({"mode": "vector"}, "INVALID_ARGUMENT"),
        ({"path": "!x"}, "INVALID_ARGUMENT"),
        ({"path": 3}, "INVALID_ARGUMENT"),
        ({"project": "nope"}, "PROJECT_UNKNOWN"),
        ({"cursor": "rubbish"}, "INVALID_ARGUMENT"),
    ],
)
def test_bad_arguments_are_refused(
    index: hsum.Index, options: dict[str, object], code: str
) -> None:
    """Each has its code."""
    with pytest.raises(HsumError) as refused:
        index.search("engine", **options)  # type: ignore[arg-type]

    assert code == refused.value.code


def test_a_search_before_the_first_generation_is_refused() -> None:
    """There is nothing to search."""
    with pytest.raises(HsumError) as refused:
        hsum.in_memory().search("x")

    assert "NO_GENERATION" == refused.value.code


# --- pages --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> hsum.Index:
    """An index in which one word is everywhere."""
    return indexed(
        tmp_path_factory.mktemp("crowd"),
        {
            f"src/f{n:04}.py": f"common_name = {n}  # {'word ' * (n % 7)}\n"
            for n in range(400)
        },
    )


@pytest.mark.parametrize("query", ["word", "common_name", '"common_name ="', "common"])
def test_pages_join_to_one_long_page(crowd: hsum.Index, query: str) -> None:
    """The order does not depend on where pages end, and no hit comes twice."""
    tens = all_pages(crowd, query, limit=10)
    hundreds = all_pages(crowd, query, limit=100)

    assert [(hit.citation, hit.score) for hit in hundreds] == [
        (hit.citation, hit.score) for hit in tens
    ]
    assert len(tens) == len({hit.citation for hit in tens})
    assert len(tens) > DEPTH


def test_scores_never_rise_and_ties_go_by_path(crowd: hsum.Index) -> None:
    """Hits are ordered by score, then path, then start."""
    hits = all_pages(crowd, "common_name", limit=100)
    order = [(-hit.score, hit.path, hit.citation.start) for hit in hits]

    assert sorted(order) == order


def test_a_further_hit_gives_a_cursor_and_the_last_page_none(crowd: hsum.Index) -> None:
    """`limit_reached` exactly when there is more, whatever the page size."""
    found = len(all_pages(crowd, "common_name", limit=100))
    for limit in (1, 7, 100):
        hits = crowd.search("common_name", limit=limit)

        assert ("limit_reached", limit) == (hits.stop_reason, len(hits))
        assert hits.cursor is not None
    assert found <= REACH


def test_a_cursor_belongs_to_its_question_and_its_state(tmp_path: Path) -> None:
    """Another query, path or generation makes it stale."""
    index = indexed(tmp_path, {f"src/{n}.py": f"word = {n}\n" for n in range(9)})
    cursor = index.search("word", limit=5).cursor
    for options in ({"query": "common"}, {"query": "word", "path": "src/"}):
        with pytest.raises(HsumError) as refused:
            index.search(cursor=cursor, **options)  # type: ignore[arg-type]

        assert "STALE_CURSOR" == refused.value.code
    planted(tmp_path / "tree", {"new.py": "word = 10\n"})
    index.ingest()
    with pytest.raises(HsumError) as refused:
        index.search("word", limit=5, cursor=cursor)

    assert "STALE_CURSOR" == refused.value.code


def test_at_most_a_thousand_hits_are_reachable(tmp_path: Path) -> None:
    """The last page that can be reached ends without a cursor."""
    lines = "".join(f"needle_x {n} {'pad ' * 300}\n" for n in range(REACH + 200))
    index = indexed(
        tmp_path, {f"{n}.txt": lines[n::8] for n in range(3)} | {"a": lines}
    )

    assert REACH == len(all_pages(index, "needle_x", limit=100))


def test_a_passed_deadline_gives_what_was_found(
    crowd: hsum.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Out of time is an answer with its reason, not an error."""
    crowd.search("common_name")
    now = iter(range(0, 10_000, 2))
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    hits = crowd.search(">>>", timeout_ms=9_000)

    assert ("deadline", None) == (hits.stop_reason, hits.cursor)


def test_what_was_proved_in_time_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where few candidates hold the needle, those found before the end are hits."""
    files = {f"n{n:03}.txt": f"about c number {n}\n" for n in range(450)}
    files |= {f"a{n}.txt": f"C++ and c, number {n}\n" for n in range(30)}
    index = indexed(tmp_path, files)
    now = iter(range(10_000_000))
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    hits = index.search("C++", timeout_ms=60_000, limit=100)
    proved = [hit for hit in hits if "C++" in hit.text]

    assert "deadline" == hits.stop_reason
    assert 0 < len(proved) < 60


# --- scopes -------------------------------------------------------------------------


def test_path_narrows_and_loses_nothing(crowd: hsum.Index) -> None:
    """A filter is applied before anything is cut off, however deep its hits are."""
    for path in ("src/f0399.py", "f0399.*", "src/f039*"):
        found = all_pages(crowd, "word common", path=path, limit=100)

        assert "src/f0399.py" in {hit.path for hit in found}
        assert all(hit.path.startswith("src/f039") for hit in found)
    assert 0 == len(crowd.search("word", path="nowhere/"))


def test_a_project_sees_its_documents_only(index: hsum.Index) -> None:
    """Its globs are a filter, and `searched` counts what it has."""
    index.projects.add("docs", include=["docs/**", "*.md"])
    hits = index.search("engine request", project="docs")

    assert {"docs/guide.md", "CHANGELOG.md"} >= set(paths(hits)) > set()
    assert 2 == hits.searched.documents


def test_equal_passages_are_one_hit(tmp_path: Path) -> None:
    """Equal bytes are shown once, with citations of the others, all resolvable."""
    text = "def twin_function():\n    return 2\n"
    index = indexed(tmp_path, {f"{name}/x.py": text for name in "abc"})
    hits = index.search("twin_function")

    assert ["a/x.py"] == [hit.path for hit in hits]
    assert ["b/x.py", "c/x.py"] == [
        index.get(citation).path for citation in hits[0].duplicates
    ]


def test_later_passages_of_a_file_come_later(tmp_path: Path) -> None:
    """A file that says it often does not fill the page."""
    often = "".join(f"def topic_{n}():\n    pass\n{'#' * 900}\n\n" for n in range(20))
    index = indexed(
        tmp_path, {"a.py": often} | {f"b{n}.py": f"topic = {n}\n" for n in range(4)}
    )

    assert 5 == len(paths(index.search("topic", limit=8)))


# --- what is looked for exactly -----------------------------------------------------


def test_a_needle_without_words_is_found_by_scanning(tmp_path: Path) -> None:
    """`>>>` has no token; the bytes are looked through."""
    index = indexed(tmp_path, {"a.md": "x\n>>> f()\n", "b.md": "> > >\n"})

    assert ["a.md"] == paths(index.search(">>>"))


def test_a_word_too_long_for_the_index_is_found_by_scanning(tmp_path: Path) -> None:
    """So is a word of 201 bytes and more."""
    long = "x1" * 150
    index = indexed(tmp_path, {"a.py": f"{long} = 1\n", "b.py": f"{long}y = 1\n"})
    hits = index.search(long)

    assert ["a.py"] == paths(hits)
    assert hits[0].ranks.exact is not None


def test_a_phrase_across_a_border_cites_the_smallest_run(tmp_path: Path) -> None:
    """The hit is the whole passages that hold it, and no more."""
    text = "".join(f"line{n} alpha{n} beta{n} gamma{n}\n" for n in range(400))
    index = indexed(tmp_path, {"a.txt": text})
    with index._store.reading() as snapshot:
        (version,) = snapshot.live()
        passages = snapshot.passages(version)
    at = passages[3].start
    phrase = " ".join(text[at - 20 : at + 20].split())
    phrase = text[text.index(phrase.split()[1]) :][:30].rpartition(" ")[0]
    hit = index.search(f'"{phrase}"')[0]

    assert (passages[2].start, passages[3].end) == (
        hit.citation.start,
        hit.citation.end,
    )
    assert phrase in hit.text


def test_case_and_accents_are_folded_for_words_alone(tmp_path: Path) -> None:
    """BM25 finds `naïve` by `NAIVE`; an exact needle is what was typed."""
    index = indexed(tmp_path, {"a.txt": "a naïve idea\n", "b.py": "Some_Name = 1\n"})

    assert ["a.txt"] == paths(index.search("NAIVE"))
    assert index.search("some_name")[0].ranks.exact is None
    assert index.search("Some_Name")[0].ranks.exact is not None


def test_both_normal_forms_are_found(tmp_path: Path) -> None:
    """A query in NFC finds text in NFD, and the other way round."""
    index = indexed(tmp_path, {"c.txt": "caf\u00e9\n", "d.txt": "cafe\u0301\n"})

    for query in ("caf\u00e9", "cafe\u0301"):
        assert {"c.txt", "d.txt"} == set(paths(index.search(query)))


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("云工开物 优惠券", "a.txt"),
        ("초과근무OvertimeService", "b.txt"),
        ("ﾊﾝｶｸ", "c.txt"),
        ("㐁㐂", "d.txt"),
    ],
)
def test_other_scripts_are_searched(tmp_path: Path, query: str, path: str) -> None:
    """Runs of Han, Kana and Hangul match in part; a missing segment costs score."""
    index = indexed(
        tmp_path,
        {
            "a.txt": "云工开物 300 元学生券\n",
            "b.txt": "초과근무OvertimeService\n",
            "c.txt": "ﾊﾝｶｸカナ\n",
            "d.txt": "㐀㐁㐂\n",
        },
    )

    assert path == index.search(query)[0].path


def test_utf_16_files_have_exact_hits(tmp_path: Path) -> None:
    """A needle is encoded as the file is; spans are raw bytes."""
    data = "\ufeffint some_name = 1;\r\n".encode("utf-16-le")
    index = indexed(tmp_path, {"a.c": data})
    hit = index.search("some_name")[0]

    assert hit.ranks.exact is not None
    assert data == index.get(hit.citation).content


def test_records_do_not_leak_into_each_other(tmp_path: Path) -> None:
    """A needle is looked for within one record of a JSON-lines file."""
    lines = '{"id": "a", "text": "first_word"}\n{"id": "b", "text": "second_word"}\n'
    index = indexed(tmp_path, {"data.jsonl": lines})
    hits = index.search("second_word")

    assert hits[0].ranks.exact is not None
    assert '"b"' in hits[0].text
    assert '"a"' not in hits[0].text


# --- the lexical index as derived data ----------------------------------------------


@pytest.fixture
def stored(tmp_path: Path) -> hsum.Index:
    """An index in a directory."""
    index = hsum.open(tmp_path / "index")
    index.ingest(planted(tmp_path / "tree", CODE_TREE))
    return index


def lexical_folder(index: hsum.Index) -> Path:
    """Return the lexical directory that is published."""
    with index._store.reading() as snapshot:
        return index._store.lexical_of(snapshot.require_head())


@pytest.mark.parametrize("damage", ["missing", "truncated", "emptied"])
def test_a_damaged_lexical_index_is_built_again_in_private(
    stored: hsum.Index, damage: str
) -> None:
    """The answer is the same, and nothing is written into the index."""
    expected = [(hit.citation, hit.score) for hit in stored.search("engine request")]
    folder = lexical_folder(stored)
    if damage == "missing":
        shutil.rmtree(folder)
    for file in list(folder.glob("*.term")):
        data = file.read_bytes()
        file.unlink()  # the old file may be mapped into memory
        file.write_bytes(data[:20] if damage == "truncated" else b"")
    searching._SHELVES.clear()
    before = sorted(path.name for path in folder.parent.rglob("*"))
    found = [(hit.citation, hit.score) for hit in stored.search("engine request")]

    assert expected == found
    assert before == sorted(path.name for path in folder.parent.rglob("*"))


def test_no_time_to_build_is_told_with_the_fix(
    stored: hsum.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the deadline passes first, the refusal names the repair."""
    shutil.rmtree(lexical_folder(stored))
    searching._SHELVES.clear()
    now = iter(range(0, 10_000, 2))
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    with pytest.raises(HsumError) as refused:
        stored.search("engine", timeout_ms=1_000)

    assert "LEXICAL_UNAVAILABLE" == refused.value.code
    assert "doctor --repair" in refused.value.hint


def test_the_same_tree_ranks_alike(tmp_path: Path) -> None:
    """Two indexes made of one tree from nothing give equal orders and scores."""
    tree = planted(tmp_path / "tree", CODE_TREE)
    answers = []
    for _ in range(2):
        index = hsum.in_memory()
        index.ingest(tree)
        hits = index.search("engine request handle user")
        answers.append([(hit.path, hit.lines, hit.score) for hit in hits])

    assert answers[0] == answers[1]


def test_a_needle_that_is_rare_among_its_candidates_comes_first(tmp_path: Path) -> None:
    """`C++` is found among hundreds of files that say `c`."""
    files = {f"c{n}.txt": f"c or C or {n}\n" for n in range(DEPTH + 60)}
    index = indexed(tmp_path, files | {"zz.txt": "but C++ is another\n"})
    hits = all_pages(index, "C++", limit=100)

    assert ["zz.txt"] == [hit.path for hit in hits if hit.ranks.exact is not None]
    assert "zz.txt" == hits[0].path


@pytest.mark.parametrize("text", ["x" * 6_000, "\u00e9" * 3_000])
@pytest.mark.parametrize("name", ["needle1", "tail_7"])
def test_what_holds_nothing_of_the_query_is_no_hit(
    tmp_path: Path, text: str, name: str
) -> None:
    """Neighbours of a passage that may hold it are looked at, and not returned."""
    index = indexed(tmp_path, {"a.txt": f"{text} {name}\n", "b.txt": "other words\n"})
    (hit,) = index.search(name)

    assert name in hit.text
    assert hit.ranks.exact
    assert hit.ranks.bm25


def test_a_numeral_beside_a_word_does_not_hide_it(tmp_path: Path) -> None:
    """`x` stands alone in `x²`: a superscript is no word character."""
    index = indexed(tmp_path, {"a.txt": "the value x² grows\n", "b.txt": "xy\n"})

    assert index.search('"x"')[0].ranks.phrase is not None


def test_threads_share_a_handle_while_another_ingests(tmp_path: Path) -> None:
    """Each search sees one generation, whole, whatever is published meanwhile."""
    from concurrent.futures import ThreadPoolExecutor

    tree = planted(tmp_path / "tree", {f"{n}.py": "word = 0\n" for n in range(8)})
    index = hsum.open(tmp_path / "index")
    index.ingest(tree)

    def write() -> None:
        for number in range(1, 6):
            planted(tree, {f"{n}.py": f"word = {number}\n" for n in range(8)})
            index.ingest()

    def read() -> list[tuple[int, str]]:
        return [(hits.generation, hits[0].text) for hits in _searches(index, 15)]

    with ThreadPoolExecutor(4) as pool:
        done = pool.submit(write)
        answers = [
            answer
            for job in [pool.submit(read) for _ in range(3)]
            for answer in job.result()
        ]
        done.result()

    assert {f"word = {number - 1}\n" for number, _ in answers} == {
        text for _, text in answers
    }
    assert all(text == f"word = {number - 1}\n" for number, text in answers)


def _searches(index: hsum.Index, count: int) -> list[hsum.Hits]:
    return [index.search("word") for _ in range(count)]
