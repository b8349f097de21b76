"""Run the real programs, as a newcomer would: processes, pipes, terminals."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import attrs

ROOT = Path(__file__).resolve().parents[2]
# Compiled modules, kept for all the processes that the tests start.
COMPILED = Path(tempfile.gettempdir(), f"hsum-hythe-compiled-{os.getuid()}")
_OURS = (
    "HSUM_", "HYTHE_", "NO_COLOR", "FORCE_COLOR", "PYTHONDONTWRITEBYTECODE"
)  # fmt: skip
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@attrs.frozen
class Done:
    """What a process left: its status and both streams."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out)


class Program:
    """One of the two programs, with an environment and a working directory."""

    def __init__(self, name: str, home: Path, cwd: Path, **extra: str) -> None:
        self.name = name
        self.cwd = cwd
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(_OURS)
        }
        self.environ = {
            **kept,
            "HSUM_HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "PYTHONPYCACHEPREFIX": str(COMPILED),
            "TERM": "xterm-256color",
            "COLUMNS": "100",
            **extra,
        }

    @property
    def argv(self) -> list[str]:
        """What starts the program."""
        return [sys.executable, "-m", "adapters.cli", self.name]

    def within(self, cwd: Path, **extra: str) -> Program:
        """Return the program in another directory, with more variables."""
        other = Program(self.name, Path(self.environ["HSUM_HOME"]), cwd)
        other.environ = {**self.environ, **extra}
        return other

    def __call__(self, *words: Any, input: str | bytes = b"") -> Done:  # noqa: A002
        """Run it to its end, with pipes for streams."""
        raw = self.raw(*words, input=input)
        out, err = raw.stdout.decode(), raw.stderr.decode()
        return Done(raw.returncode, out, err)

    def raw(
        self,
        *words: Any,
        input: str | bytes = b"",  # noqa: A002
    ) -> subprocess.CompletedProcess[bytes]:
        """Run it to its end and keep the bytes."""
        data = input.encode() if isinstance(input, str) else input
        return subprocess.run(
            [*self.argv, *map(os.fspath, map(_word, words))],
            input=data,
            capture_output=True,
            cwd=self.cwd,
            env=self.environ,
            check=False,
            timeout=120,
        )

    def ok(self, *words: Any, input: str | bytes = b"") -> Done:  # noqa: A002
        """Run it and demand success."""
        done = self(*words, input=input)
        assert 0 == done.status, done
        return done

    def json(self, *words: Any, input: str | bytes = b"") -> Any:  # noqa: A002
        """Run it with --json and return the one document of a success."""
        return self.ok(*words, "--json", input=input).json

    def on_terminal(self, *words: Any) -> tuple[int, str]:
        """Run it with a terminal for its streams; give status and all it wrote."""
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            [*self.argv, *map(str, words)],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            cwd=self.cwd,
            env=self.environ,
        )
        os.close(follower)
        written = _drained(leader)
        os.close(leader)
        return process.wait(60), written.decode("utf-8", "replace")


def _word(word: Any) -> Any:
    return str(word) if isinstance(word, int) else word


def _drained(descriptor: int) -> bytes:
    written = b""
    while select.select([descriptor], [], [], 60)[0]:
        try:
            part = os.read(descriptor, 65_536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    return written


def plain(text: str) -> str:
    """Return what a terminal shows, without its colours."""
    return ANSI.sub("", text).replace("\r\n", "\n")
