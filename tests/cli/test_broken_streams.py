"""What the system refuses to the program itself: streams, the working directory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

FULL = Path("/dev/full")
ZERO = Path("/dev/zero")


@pytest.mark.skipif(not FULL.exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize(
    "words", [["--help"], ["help-error"], ["help-error", "--json"]]
)
def test_output_that_cannot_be_written_is_a_full_disk(hsum, words):
    """The exit status and stderr say so, without a traceback."""
    with FULL.open("w") as full:
        done = subprocess.run(
            [*hsum.argv, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            env=hsum.environ,
            check=False,
        )

    assert 7 == done.returncode
    assert done.stderr.startswith(b"DISK_FULL: the output: ")


@pytest.mark.parametrize("descriptor", [1, 2])
def test_a_stream_that_the_caller_closed_is_no_failure(hsum, descriptor):
    """`>&-` asks for silence, and the status still tells."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {descriptor}>&-', "sh", *hsum.argv, "help-error"],
        capture_output=True,
        env=hsum.environ,
        check=False,
    )

    assert (0, b"") == (done.returncode, done.stderr)


def without_stdin(program, *words):
    return subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *program.argv, *words],
        capture_output=True,
        cwd=program.cwd,
        env=program.environ,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hsum", ["check", "-"]),
        ("hythe", ["checkpoint", "--project", "p", "--state", "-"]),
        ("hythe", ["checkpoint", "--project", "p", "--state-file", "-"]),
        ("hythe", ["observe", "billing-api", "-"]),
        ("hythe", ["import", "-"]),
    ],
)
def test_a_closed_stdin_has_nothing_to_read(request, name, words):
    """`-` is refused then, with the next step, and no store is made."""
    program = request.getfixturevalue(name)
    done = without_stdin(program, *words)

    assert (2, b"") == (done.returncode, done.stdout)
    assert done.stderr.startswith(b"INVALID_ARGUMENT: stdin is closed")
    assert b"  next: Pipe into it" in done.stderr
    assert not list(program.cwd.glob("team.hythe*"))


@pytest.mark.parametrize("name", ["hsum", "hythe"])
def test_a_server_without_stdin_ends_at_once(request, name):
    """A stdin that was never open has closed."""
    done = without_stdin(request.getfixturevalue(name), "mcp")

    assert (0, b"", b"") == (done.returncode, done.stdout, done.stderr)


@pytest.mark.skipif(not ZERO.exists(), reason="the system has no /dev/zero")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["import", "/dev/zero"], "line 1 of /dev/zero has more than 65,536 bytes"),
        (["import", "-"], "line 1 of stdin has more than 65,536 bytes"),
        (
            ["checkpoint", "--project", "p", "--state", "@/dev/zero"],
            "/dev/zero has more than 67,108,864 bytes",
        ),
        (["observe", "billing-api", "-"], "stdin has more than 16,777,216 bytes"),
    ],
)
def test_what_does_not_end_is_cut_at_the_limit(hythe, words, said):
    """A device gives bytes for ever; the limit of what is asked for is named."""
    with ZERO.open("rb") as endless:
        done = subprocess.run(
            [*hythe.argv, *words],
            stdin=endless,
            capture_output=True,
            cwd=hythe.cwd,
            env=hythe.environ,
            check=False,
            timeout=60,
        )

    assert 2 == done.returncode
    assert f"TOO_LARGE: {said}" == done.stderr.decode().splitlines()[0]


@pytest.mark.parametrize("module", ["click", "adapters.cli.run"])
def test_an_interrupt_while_the_program_loads_is_quiet(hsum, tmp_path, module):
    """Ctrl-C in the first moments ends as any other does: 130, and one line."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys, time\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "            time.sleep(60)\n"
        "sys.meta_path.insert(0, Interrupt())\n",
        encoding="utf-8",
    )
    path = f"{tmp_path}{os.pathsep}{hsum.environ['PYTHONPATH']}"
    done = hsum.within(tmp_path, PYTHONPATH=path)("status")

    assert (130, "", "interrupted\n") == (done.status, done.out, done.err)


def test_a_working_directory_that_was_removed_is_named(hsum, tmp_path):
    """A command about the working directory is refused; one that needs none works."""
    hsum.ok("init")
    gone = tmp_path / "gone"

    def removed():
        gone.mkdir()
        os.chdir(gone)
        gone.rmdir()

    def run(*words):
        return subprocess.run(
            [*hsum.argv, *words],
            preexec_fn=removed,
            capture_output=True,
            env=hsum.environ,
            check=False,
        )

    refused = run("status")

    assert 2 == refused.returncode
    assert refused.stderr.startswith(b"INVALID_ARGUMENT: the working directory: ")
    assert 0 == run("init", str(hsum.cwd)).returncode
