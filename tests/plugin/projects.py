"""Run pytest as a user would: in a directory of its own, in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import attrs

ROOT = Path(__file__).resolve().parents[2]
# Other plugins of this environment are not what these tests are about.
_ALONE = ("-p", "no:cacheprovider", "-p", "hsum_hythe", "-p", "xdist")
_KEPT_OUT = ("PYTEST_", "HSUM_", "HYTHE_")


@attrs.frozen
class Ran:
    """What a run left: its exit status and all it printed."""

    status: int
    text: str

    def counts(self) -> dict[str, int]:
        """Return how many tests had each outcome, from the last line."""
        last = self.text.rstrip().rsplit("\n", 1)[-1]
        found = re.findall(r"(\d+) (passed|failed|errors?|skipped)", last)
        return {name: int(number) for number, name in found}


def pytest(folder, *words, alone=_ALONE, **extra):
    """Run pytest in a folder, with our plugin and xdist by their entry points."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith(_KEPT_OUT)}
    environ |= {"HSUM_HOME": str(folder / ".home"), "COLUMNS": "100"}
    environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **extra}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *alone, *words],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    return Ran(done.returncode, done.stdout)


def write(folder, files):
    """Write files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
