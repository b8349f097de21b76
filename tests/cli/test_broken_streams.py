"""What the system refuses to the program itself: streams, the working directory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

FULL = Path("/dev/full")


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
