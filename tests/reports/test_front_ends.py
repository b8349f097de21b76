"""What reached clients, terminals and test runs through other tools' front ends."""

from __future__ import annotations

import json
import subprocess

import pytest

import hsum
from tests.cli.programs import Program
from tests.plugin import projects
from tests.reports.trees import plant
from tests.servers.sessions import (
    INITIALIZE,
    PROGRAM,
    answer,
    call,
    client,
    fault,
    frames,
    run,
)

WORDS = "a needle and an emoji 💥, Зоны\n"
STATE = {"objective": "ship 💥", "status": "green", "owner": "planner"}


@pytest.fixture
def binding(tmp_path, monkeypatch):
    """The binding of a tree of two files, with a home of its own."""
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HSUM_BINDING", raising=False)
    tree = plant(tmp_path / "tree", {"a.md": WORDS, "b.md": "nothing\n"})
    return hsum.initialize(tree).context.binding


# --- frames -------------------------------------------------------------------------


def test_frames_are_utf_8_wherever_the_server_runs(binding, monkeypatch):
    """Emoji in an answer break no frame, whatever encoding the streams were given."""
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    monkeypatch.setenv("LC_ALL", "C")
    replies, done = frames(
        ["hsum", "mcp", "--binding", binding],
        [*INITIALIZE, call(1, "evidence_search", query="needle")],
    )

    assert WORDS == replies[-1]["result"]["structuredContent"]["hits"][0]["text"]
    assert 0 == done.returncode


@pytest.mark.parametrize(
    "words",
    [
        ["hsum", "mcp", "--bogus"],
        ["hythe", "mcp"],
        ["hythe", "mcp", "--store", "/dev/null", "--agent", "not an id"],
        ["hythe", "mcp", "--store", "/nowhere/at/all.hythe", "--agent", "planner"],
    ],
)
def test_a_start_that_fails_leaves_stdout_to_frames(words, monkeypatch):
    """Whatever keeps a server from starting is said on stderr, or in a frame."""
    for name in ("HYTHE_STORE", "HYTHE_AGENT"):
        monkeypatch.delenv(name, raising=False)
    done = subprocess.run(
        [*PROGRAM, *words], input=b"", capture_output=True, check=False, timeout=60
    )

    assert all(json.loads(line)["jsonrpc"] for line in done.stdout.splitlines())
    assert b"Traceback" not in done.stderr


def test_programs_print_what_a_narrow_stream_cannot_say(tmp_path):
    """JSON stays UTF-8 and words for people do not fail on an emoji."""
    tree = plant(tmp_path / "tree", {"a.md": WORDS})
    program = Program(
        "hsum", tmp_path / "home", tree, PYTHONIOENCODING="cp1252", LC_ALL="C"
    )
    program.ok("init")

    raw = program.raw("search", "needle", "--json").stdout
    words = program.raw("search", "needle")

    assert WORDS == json.loads(raw.decode("utf-8"))["hits"][0]["text"]
    assert 0 == words.returncode
    assert b"needle and an emoji" in words.stdout


# --- tools --------------------------------------------------------------------------


def test_no_evidence_tool_names_a_folder_or_writes(binding):
    """Neither an ingest nor another root can be asked for: a client reads its binding."""

    async def work():
        async with client("hsum", "mcp", "--binding", binding) as session:
            refused = fault(
                await session.call_tool(
                    "evidence_search", {"query": "key", "root": "~/.ssh"}
                )
            )
            return (await session.list_tools()).tools, refused

    tools, refused = run(work)
    arguments = {name for tool in tools for name in tool.input_schema["properties"]}

    assert "INVALID_ARGUMENT" == refused["code"]
    assert not arguments & {"root", "folder", "directory", "index", "binding"}
    assert all(tool.annotations.read_only_hint for tool in tools)


def test_a_server_answers_while_an_ingest_runs(binding, tmp_path):
    """Indexing is another process's work: no call waits for it."""
    plant(tmp_path / "tree", {f"new/{n}.md": f"file {n}\n" * 50 for n in range(1_500)})
    command = [*PROGRAM, "hsum", "ingest", "--index", "tree"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as ingesting:
        replies, _ = frames(
            ["hsum", "mcp", "--binding", binding],
            [
                *INITIALIZE,
                *(call(n, "evidence_search", query="needle") for n in range(1, 6)),
            ],
        )

    assert 0 == ingesting.returncode
    assert ["a.md"] * 5 == [
        reply["result"]["structuredContent"]["hits"][0]["path"]
        for reply in replies
        if reply.get("id", 0) > 0
    ]


def test_an_error_has_a_code_and_no_structure(binding):
    """A refused call carries the fault as text, and nothing that a schema refuses."""

    async def work():
        async with client("hsum", "mcp", "--binding", binding) as session:
            return await session.call_tool("evidence_search", {"query": '"'})

    result = run(work)

    assert result.is_error
    assert result.structured_content is None
    assert "QUERY_UNCLOSED_QUOTE" == json.loads(result.content[0].text)["code"]


def test_programs_and_servers_give_the_same_answers(binding, tmp_path):
    """Search, get, check and status are equal through MCP and on the command line."""
    program = Program("hsum", tmp_path / "home", tmp_path / "tree")
    uri = program.json("search", "needle")["hits"][0]["citation"]
    claim = f'It holds "a needle" ({uri}).'

    async def work():
        async with client("hsum", "mcp", "--binding", binding) as session:
            return [
                answer(await session.call_tool(tool, arguments))
                for tool, arguments in (
                    ("evidence_search", {"query": "needle"}),
                    ("evidence_get", {"citation": uri}),
                    ("evidence_check", {"text": claim}),
                    ("evidence_status", {}),
                )
            ]

    found, got, checked, status = run(work)

    assert program.json("search", "needle") == found
    assert program.json("get", uri) == got
    # Whatever a client is given is marked; these have no mark of their own.
    marked = {"untrusted_content": True}
    assert program.json("check", "-", input=claim) | marked == checked
    assert program.json("status") | marked == status


def test_a_first_checkpoint_is_the_same_through_either_door(tmp_path):
    """A scope made through MCP or by the program resumes with equal keys and values."""
    path = tmp_path / "team.hythe"
    program = Program(
        "hythe", tmp_path / "home", tmp_path, HYTHE_STORE=str(path), HYTHE_AGENT="a"
    )
    words = ["--objective", "ship 💥", "--status", "green", "--owner", "planner"]
    program.ok("checkpoint", "--project", "one", *words)

    async def work():
        served = client("hythe", "mcp", "--store", str(path), "--agent", "a")
        async with served as session:
            made = {"project": "two", "state": STATE, "key": "k", "createScope": True}
            answer(await session.call_tool("checkpoint", made))
            resumed = await session.call_tool("resume", {"project": "one"})
            return answer(resumed)

    through_mcp = run(work)
    by_program = [program.json("resume", "--project", name) for name in ("one", "two")]

    assert by_program[0].keys() == through_mcp.keys()
    assert by_program[0]["working"] == through_mcp["working"]
    assert by_program[0]["working"] == by_program[1]["working"]


# --- pytest -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        (["-p", "xdist", "-p", "hsum_hythe"], 2),
        (["-p", "xdist", "-p", "hsum_hythe", "-n", "4"], 2),
        (["-p", "no:xdist", "-p", "hsum_hythe"], 2),
        (["-p", "xdist", "-p", "no:hsum_hythe", "-k", "plain"], 1),
    ],
)
def test_the_plugin_works_with_and_without_its_neighbours(tmp_path, words, passed):
    """With xdist and without, on four workers, and switched off: each run passes."""
    projects.write(tmp_path, {"test_own.py": OWN})
    ran = projects.pytest(tmp_path, alone=("-p", "no:cacheprovider", *words))

    assert (0, passed) == (ran.status, ran.counts()["passed"]), ran.text


OWN = """
def test_plain(): pass


def test_corpus(hsum_corpus):
    assert 1 == len(hsum_corpus({"a.md": "a needle"}).search("needle"))
"""


# --- citations of lines -------------------------------------------------------------

MODULE = "def one():\n    first = 1\n    second = 2\n    third = 3\n    return third\n"


def test_two_citations_in_one_function_shift_alike(tmp_path):
    """Five lines above move both by five; neither is drawn to the other's line."""
    notes = "See `m.py:2` and `m.py:4`.\n"
    plant(tmp_path, {"m.py": MODULE, "notes.md": notes})
    hsum.check_files([tmp_path / "notes.md"], lock=tmp_path / "citations.lock")
    plant(tmp_path, {"m.py": "# new\n" * 5 + MODULE})
    report = hsum.check_files(
        [tmp_path / "notes.md"], lock=tmp_path / "citations.lock", fix=True
    )

    assert ["moved", "moved"] == [each.verdict for each in report]
    assert "See `m.py:7` and `m.py:9`.\n" == (tmp_path / "notes.md").read_text()


def test_an_ambiguous_citation_is_reported_and_left(tmp_path):
    """A cited line that stands in two places now is rewritten to neither."""
    notes = "See `m.py:2`.\n"
    plant(tmp_path, {"m.py": MODULE, "notes.md": notes})
    lock = tmp_path / "citations.lock"
    hsum.check_files([tmp_path / "notes.md"], lock=lock)
    moved = MODULE.replace("    first = 1\n", "")
    plant(tmp_path, {"m.py": moved + "    first = 1\n#\n    first = 1\n"})
    report = hsum.check_files([tmp_path / "notes.md"], lock=lock, fix=True)

    assert ["ambiguous"] == [each.verdict for each in report]
    assert notes == (tmp_path / "notes.md").read_text()


def test_a_true_sentence_on_a_wrong_line_is_misquoted(tmp_path):
    """A quote that stands eighty lines below the line it names does not pass."""
    lines = [f"ordinary line number {n}\n" for n in range(1, 121)]
    lines[99] = "the verdict was unanimous and final\n"
    plant(
        tmp_path,
        {
            "m.txt": "".join(lines),
            "right.md": 'It says "the verdict was unanimous" (m.txt:100).\n',
            "wrong.md": 'It says "the verdict was unanimous" (m.txt:20).\n',
        },
    )
    pages = [tmp_path / "right.md", tmp_path / "wrong.md"]
    lock = tmp_path / "citations.lock"
    hsum.check_files(pages, lock=lock)
    report = hsum.check_files(pages, lock=lock)

    assert ["ok", "misquoted"] == [each.verdict for each in report]


def test_the_line_of_a_hit_is_that_of_its_bytes(tmp_path):
    """Lines are counted from the span: the bytes above it hold as many line feeds."""
    text = "".join(f"line {n}: é {'x' * (n % 90)}\n" for n in range(1, 400))
    tree = plant(tmp_path / "tree", {"a.txt": text + "the verdict_line\n"})
    index = hsum.in_memory()
    index.ingest(tree)
    hit = index.search("verdict_line")[0]
    above = text.encode()[: hit.citation.start]

    assert above.count(b"\n") + 1 == hit.lines[0]
    assert 400 == hit.lines[1]
