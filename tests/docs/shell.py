"""One bash at a terminal, which runs the blocks of a page one after the other."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import termios
import time
import uuid
from pathlib import Path

PATIENCE = 60


class Shell:
    """A shell that keeps its directory and variables from block to block."""

    def __init__(self, cwd: Path, environ: dict[str, str], scripts: Path) -> None:
        self._leader, follower = pty.openpty()
        settings = termios.tcgetattr(follower)
        settings[1] &= ~termios.OPOST  # lines end as they were written
        termios.tcsetattr(follower, termios.TCSANOW, settings)
        self._process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            stdin=subprocess.PIPE, stdout=follower, stderr=follower,
            cwd=cwd, env=environ, start_new_session=True,
        )  # fmt: skip
        os.close(follower)
        self._scripts = scripts
        self._mark = uuid.uuid4().hex
        self._going: list[str] = []

    def run(self, script: str, *, strictly: bool = True) -> tuple[int, str]:
        """Run a block; give its status and all that a reader sees.

        Strictly, the first command that fails ends the block.
        """
        word = f". {self._written(script)} </dev/null"
        return self._said(f"set -eu; {word}; set +eu; true" if strictly else word)

    def begin(self, script: str) -> str:
        """Begin a block that goes on until it is stopped; give its first words."""
        name = self._written(script)
        said = name.with_suffix(".said")
        # With job control, what is begun obeys Ctrl-C.
        status, number = self._said(
            f"set -m; . {name} </dev/null >{said} 2>&1 & set +m; echo $!"
        )
        assert 0 == status, number
        self._going.append(number.strip())
        deadline = time.monotonic() + PATIENCE
        while not (said.exists() and said.stat().st_size):
            assert time.monotonic() < deadline, script
            time.sleep(0.02)
        return said.read_text("utf-8")

    def stop(self) -> list[int]:
        """Stop what goes on, as Ctrl-C does, and give the statuses."""
        ended = [
            self._said(f"kill -INT -{number}; wait {number}") for number in self._going
        ]
        self._going = []
        return [status for status, _ in ended]

    def close(self) -> None:
        """End the shell and whatever it began."""
        for number in self._going:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(int(number), signal.SIGKILL)
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._leader)

    def _written(self, script: str) -> Path:
        path = self._scripts / f"{len(list(self._scripts.iterdir()))}.sh"
        path.write_text(script, "utf-8")
        return path

    def _said(self, line: str) -> tuple[int, str]:
        self._process.stdin.write(
            f'{line}\nprintf "%s %s\\n" {self._mark} $?\n'.encode()
        )
        self._process.stdin.flush()
        end = re.compile(rf"{self._mark} (\d+)\n")
        text = self._read(end)
        found = end.search(text)
        if found is None:  # the shell is gone, as a failed command demands
            return self._process.wait(10), text
        return int(found[1]), text[: found.start()]

    def _read(self, end: re.Pattern[str]) -> str:
        """Read until a pattern appears or the shell is gone."""
        text = b""
        while not end.search(text.decode("utf-8", "replace")):
            ready, _, _ = select.select([self._leader], [], [], PATIENCE)
            assert ready, f"nothing came for {PATIENCE} s after\n{text.decode()}"
            try:
                part = os.read(self._leader, 65_536)
            except OSError:  # the other end is closed
                break
            text += part
        return text.decode("utf-8", "replace")
