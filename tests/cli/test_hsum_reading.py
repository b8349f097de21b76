"""search, get, status, documents ...: what the program answers, and to whom."""

from __future__ import annotations

import base64
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from adapters.cli.run import run
from tests.cli.conftest import write_corpus
from tests.cli.programs import plain

NOBODY = 65_534


def test_search_shows_place_text_and_citation(shared):
    """A hit can be read, opened and cited."""
    done = shared.ok("search", "Wick.burn")

    assert "src/wick.py:" in done.out
    assert "def burn(self, oil):" in done.out
    assert re.search(r"hsum://v1/\S+#bytes=\d+-\d+", done.out)
    assert "of generation 1" in done.err


def test_search_json_is_one_document(shared):
    """Programs get the same hits with all that is known of them."""
    found = shared.json("search", "lantern", "--limit", 1)

    assert ["hits", "generation", "stop_reason", "searched", "cursor"] == list(found)[
        :5
    ]
    assert "limit_reached" == found["stop_reason"]
    assert found["hits"][0]["untrusted_content"] is True
    assert found["hits"][0]["project_id"]


def test_pages_joined_are_one_long_page(shared):
    """A cursor goes on where a page ended."""
    first = shared.json("search", "lantern", "--limit", 1)
    rest = shared.json("search", "lantern", "--cursor", first["cursor"])
    whole = shared.json("search", "lantern")

    assert whole["hits"] == first["hits"] + rest["hits"]


def test_no_hits_is_a_success_unless_asked_otherwise(shared):
    """An empty answer is an answer; --fail-if-empty makes it 1."""
    assert 0 == shared("search", "zzzzz").status
    assert 1 == shared("search", "zzzzz", "--fail-if-empty").status
    assert 0 == shared("search", "lantern", "--fail-if-empty").status


def test_a_bad_query_names_its_column(shared):
    """The engine's own complaints are never shown."""
    done = shared("search", 'say "hi', "--json")

    assert (2, "QUERY_UNCLOSED_QUOTE", 5) == (
        done.status,
        done.json["code"],
        done.json["details"]["column"],
    )


def test_a_query_that_looks_like_an_option_follows_two_dashes(shared):
    """As with every other program."""
    assert 0 == shared("search", "--json", "--", "--flag").status
    assert 2 == shared("search", "--flag").status


def test_get_gives_the_bytes(shared):
    """Through a pipe exactly, with what is known of them on stderr."""
    hit = shared.json("search", "Pour the oil")["hits"][0]
    done = shared.raw("get", hit["citation"], "--verify")

    assert hit["text"].encode() == done.stdout
    assert b"source unchanged; cited bytes intact" in done.stderr


def test_get_finds_the_index_by_the_citation(shared, tmp_path):
    """From any folder, without an option."""
    hit = shared.json("search", "lantern")["hits"][0]
    elsewhere = shared.within(tmp_path)

    assert hit["text"] == elsewhere.json("get", hit["citation"])["text"]


def test_get_from_another_index_is_not_found(shared, hsum):
    """An index knows its own citations alone."""
    hit = shared.json("search", "lantern")["hits"][0]
    hsum.ok("init")

    done = hsum("get", hit["citation"], "--json")

    assert (1, "EVIDENCE_NOT_FOUND") == (done.status, done.json["code"])


def test_bytes_that_are_not_text_come_out_exactly(hsum):
    """JSON stays UTF-8: what text cannot say comes as base64."""
    name = os.fsencode(hsum.cwd) + b"/caf\xe9.txt"
    with open(name, "wb") as file:
        file.write(b"na\xefve lantern\n")
    hsum.ok("init")
    hit = next(
        hit
        for hit in hsum.json("search", "lantern")["hits"]
        if hit["path"].startswith("caf")
    )
    evidence = hsum.json("get", hit["citation"])

    assert "caf\\xe9.txt" == hit["path"]
    assert b"caf\xe9.txt" == base64.b64decode(hit["path_base64"])
    assert b"na\xefve lantern\n" == base64.b64decode(evidence["bytes_base64"])
    assert b"na\xefve lantern\n" == hsum.raw("get", hit["citation"]).stdout
    assert "caf\\xe9.txt" in hsum.ok("search", "lantern").out


def test_what_acts_on_terminals_is_escaped(hsum):
    """Neither escapes nor direction marks of indexed text reach a terminal raw."""
    (hsum.cwd / "evil.md").write_text(
        "lantern \x1b]0;title\x07 and \u202e backwards\n", encoding="utf-8"
    )
    hsum.ok("init")
    citation = hsum.json("search", "backwards")["hits"][0]["citation"]

    for words in (["search", "backwards"], ["get", citation]):
        _, shown = hsum.on_terminal(*words)

        assert "\x1b]" not in shown
        assert "\u202e" not in shown
        assert "\\x1b]0;title\\x07" in plain(shown)
        assert "\\u202e backwards" in plain(shown)


def test_a_terminal_gets_colour_and_a_pipe_does_not(shared):
    """Matches are marked where they can be seen."""
    status, shown = shared.on_terminal("search", "Wick.burn")
    piped = shared.ok("search", "Wick.burn").out

    assert 0 == status
    assert "\x1b[" in shown
    assert "\x1b[" not in piped
    assert all(line in plain(shown) for line in piped.splitlines())


@pytest.mark.parametrize("extra", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_refused(shared, extra):
    """NO_COLOR and TERM=dumb are obeyed."""
    _, shown = shared.within(shared.cwd, **extra).on_terminal("search", "lantern")

    assert "\x1b[" not in shown


def test_colour_can_be_forced(shared):
    """FORCE_COLOR colours a pipe too, and never JSON."""
    forced = shared.within(shared.cwd, FORCE_COLOR="1")

    assert "\x1b[" in forced.ok("search", "lantern").out
    assert "\x1b[" not in forced.ok("search", "lantern", "--json").out


def test_ingest_shows_progress_on_a_terminal_alone(hsum):
    """A pipe gets the report and nothing else."""
    hsum.ok("init")

    status, shown = hsum.on_terminal("ingest", "--rehash")

    assert 0 == status
    assert "generation 1 stands" in plain(shown)
    assert "" == hsum.ok("ingest").err


def test_a_dry_run_lists_the_plan_and_writes_nothing(hsum):
    """What would be added and dropped, path by path."""
    hsum.ok("init")
    (hsum.cwd / "new.md").write_text("new\n", encoding="utf-8")
    (hsum.cwd / "docs" / "other.md").unlink()
    done = hsum.ok("ingest", "--dry-run")

    assert "+ new.md" in done.out
    assert "- docs/other.md" in done.out
    assert 1 == hsum.json("status")["generation"]


def test_a_partial_ingest_exits_with_6(monkeypatch, capfd):
    """The generation is committed, and what failed is named."""
    with tempfile.TemporaryDirectory() as base:
        monkeypatch.setenv("HSUM_HOME", f"{base}/home")
        corpus = write_corpus(Path(base, "lantern"))
        assert 0 == run("hsum", ["init", str(corpus)])
        assert 0 == run("hsum", ["ingest", str(corpus), "--rehash"])
        guide = corpus / "docs" / "guide.md"
        guide.write_text("changed\n", encoding="utf-8")
        guide.chmod(0)
        status = as_nobody(base, ["ingest", str(corpus)])

    assert 6 == status
    assert "failed: docs/guide.md" in capfd.readouterr().err


def as_nobody(base, words):
    """Run `hsum` in a fork that has no rights, and owns all below `base`."""
    for path in (Path(base), *Path(base).rglob("*")):
        os.chown(path, NOBODY, NOBODY) if os.geteuid() == 0 else None
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        os._exit(run("hsum", words))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_status_documents_generations_skipped(shared):
    """Each listing has one key in JSON and columns for people."""
    assert 4 == shared.json("status")["documents"]
    assert 4 == len(shared.json("documents")["documents"])
    assert [1] == [g["number"] for g in shared.json("generations")["generations"]]
    assert {"skipped": []} == shared.json("skipped")
    assert "docs/guide.md" in shared.ok("documents").out
    assert "4 added" in shared.ok("generations").out


def test_status_of_an_index_not_yet_made_answers_empty(hsum, tmp_path):
    """Looking makes nothing."""
    status = hsum.json("status", "--index", tmp_path / "none")

    assert status["generation"] is None
    assert not (tmp_path / "none").exists()


def test_doctor_is_well_and_sees_damage(hsum, tmp_path):
    """A damaged lexical file is found, and mended from the database."""
    hsum.ok("init")
    well = hsum.json("doctor")
    lexical = tmp_path / "home" / "data" / "indexes" / "lantern" / "lexical"
    victim = next(iter(sorted(lexical.rglob("*.term"))))
    victim.write_bytes(b"x" * victim.stat().st_size)
    ill = hsum("doctor", "--json")
    mended = hsum.json("doctor", "--repair")

    assert (True, []) == (well["healthy"], well["problems"])
    assert (5, False) == (ill.status, ill.json["healthy"])
    assert mended["repaired"]
    assert hsum.json("doctor")["healthy"]


def test_a_closed_pipe_is_quiet(shared):
    """Whoever closed it has what they wanted."""
    process = subprocess.Popen(
        [*shared.argv, "help-error"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=shared.cwd,
        env=shared.environ,
    )
    process.stdout.close()
    _, err = process.communicate(timeout=60)

    assert (0, b"") == (process.returncode, err)


def test_an_interrupt_exits_with_130_and_leaves_the_last_generation(hsum):
    """Ctrl-C in the middle of an ingest changes nothing."""
    hsum.ok("init")
    for number in range(3_000):
        (hsum.cwd / f"{number}.txt").write_text(f"{number} word\n" * 40, "utf-8")
    process = subprocess.Popen(
        [*hsum.argv, "ingest"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=hsum.cwd,
        env=hsum.environ,
    )
    lexical = hsum.cwd.parent / "home/data/indexes/lantern/lexical"
    while process.poll() is None and len(list(lexical.iterdir())) < 2:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert 130 == process.returncode, err
    assert b"Traceback" not in err
    assert 1 == hsum.json("status")["generation"]
    assert hsum.json("doctor")["healthy"]


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["search"],
        ["search", "a", "b"],
        ["search", "a", "--limit", "many"],
        ["search", "a", "--limit", "0"],
        ["search", "a", "--mode", "vector"],
        ["get", "x"],
        ["--nonsense"],
        ["help-error", "NONSENSE"],
        ["documents", "--generation", "x"],
    ],
)
def test_bad_arguments_exit_with_2_and_say_which(shared, words):
    """A typed error, as words or as the one JSON document; never a traceback."""
    done = shared(*words)
    as_json = shared(*words, "--json")

    assert (2, "", 2) == (done.status, done.out, as_json.status)
    assert "  next: " in done.err
    assert "Traceback" not in done.err + as_json.err
    assert {"code", "message", "hint", "retryable", "details"} == set(as_json.json)
    assert done.err.startswith(as_json.json["code"])


def test_every_command_has_help_with_examples(shared):
    """What can be copied is what a newcomer reads first."""
    listing = shared.ok("--help").out
    names = re.findall(r"^  ([a-z][a-z-]+)  ", listing, re.MULTILINE)

    assert "search" in names
    for name in names:
        below = shared.ok(name, "--help").out
        assert "Examples:" in below or "Commands" in below or "add" in below, name


def test_help_error_explains_a_code(shared):
    """Cause, fix, exit status, and whether to try again."""
    done = shared.json("help-error", "writer_busy")

    assert ("WRITER_BUSY", 4, True) == (
        done["code"],
        done["exit_status"],
        done["retryable"],
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_are_a_script(shared, shell):
    """It asks the program itself what could follow."""
    assert "_HSUM_COMPLETE" in shared.ok("completions", shell).out


def test_completion_names_commands(shared):
    """What the script asks is answered."""
    asking = shared.within(
        shared.cwd,
        _HSUM_COMPLETE="bash_complete",
        COMP_WORDS="hsum sea",
        COMP_CWORD="1",
    )
    done = asking()

    assert "plain,search" == done.out.strip()


def test_an_empty_completion_variable_asks_nothing(shared):
    """As for every program of click, it is as if it were unset."""
    done = shared.within(shared.cwd, _HSUM_COMPLETE="").ok("--version")

    assert done.out.startswith("hsum ")


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"_HSUM_COMPLETE": "junk"}, "_HSUM_COMPLETE is 'junk', which no shell asks"),
        ({"_HSUM_COMPLETE": "bash_x"}, "_HSUM_COMPLETE is 'bash_x', which"),
        (
            {"_HSUM_COMPLETE": "bash_complete"},
            "bash_complete needs COMP_WORDS and COMP_CWORD as well",
        ),
        (
            {"_HSUM_COMPLETE": "fish_complete", "COMP_WORDS": "hsum sea"},
            "fish_complete needs COMP_CWORD as well",
        ),
        (
            {
                "_HSUM_COMPLETE": "zsh_complete",
                "COMP_WORDS": "hsum sea",
                "COMP_CWORD": "x",
            },
            "COMP_CWORD is 'x', which is no number",
        ),
    ],
)
def test_what_no_shell_asks_is_refused(shared, variables, said):
    """The message names the variable, and the next step is to unset it."""
    done = shared.within(shared.cwd, **variables)("--version")

    assert (2, "") == (done.status, done.out)
    assert done.err.startswith(f"INVALID_ARGUMENT: {said}")
    assert "  next: Unset _HSUM_COMPLETE; `hsum completions SHELL`" in done.err


@pytest.mark.parametrize(("words", "status"), [([], 2), (["--help"], 0), (["x"], 2)])
def test_the_two_programs_are_named_when_none_is(shared, words, status):
    """`python -m adapters.cli` says what it can run."""
    done = subprocess.run(
        [*shared.argv[:-1], *words],
        cwd=shared.cwd,
        env=shared.environ,
        capture_output=True,
        check=False,
    )

    assert status == done.returncode
    assert b"hythe ..." in done.stdout + done.stderr


def test_search_loads_no_more_than_it_needs(shared):
    """The reading path stays light: no rich, cattrs, sqlite_utils, portalocker."""
    code = (
        "import sys; from adapters.cli.run import run; run('hsum', ['search', 'oil']);"
        "heavy = {'rich', 'cattrs', 'sqlite_utils', 'portalocker', 'platformdirs'};"
        "sys.exit(','.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run(
        [shared.argv[0], "-c", code],
        cwd=shared.cwd,
        env=shared.environ,
        capture_output=True,
        check=False,
    )

    assert 0 == done.returncode, done.stderr
