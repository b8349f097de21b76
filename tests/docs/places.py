"""A place where a page can be followed: a home, some folders, the programs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import attrs

from tests.cli.programs import COMPILED
from tests.docs.pages import PACKAGES, ROOT

# A small tree under the name of a well-known one.
TRIO = {
    "README.md": "# Trio\n\nThe shield is set in `src/trio/scopes.py:8`.\n",
    "docs/scopes.md": (
        "# Cancel scopes\n\n"
        "A scope is made shielded in `src/trio/scopes.py:7-8`.\n"
        "It ignores a deadline from outside.\n"
    ),
    "docs/deadlines.md": "# Deadlines\n\nA deadline is a time on the clock.\n",
    "src/trio/scopes.py": (
        '"""Cancel scopes and what ends them."""\n\n\n'
        "class CancelScope:\n"
        '    """A cancel scope; see CancelScope.shield."""\n\n'
        "    def shield(self):\n"
        "        self.shielded = True\n"
    ),
    "src/trio/deadlines.py": (
        "def move_on_at(deadline):\n"
        '    """Cancel the scope at the deadline; run with --flag to see it."""\n'
        "    return deadline\n"
    ),
    "notes/private.md": "# Private\n\nThe deadline of the oil delivery.\n",
    ".env": "TOKEN=none\n",
}
# As much of this project as its first commands need.
CHECKOUT = {
    "README.md": ROOT / "README.md",
    "pyproject.toml": ROOT / "pyproject.toml",
    "hsum/_kernel": PACKAGES / "hsum" / "_kernel",
    "docs/how-to": ROOT / "docs" / "how-to",
}
# What would choose for a reader.
OURS = ("HSUM_", "HYTHE_", "XDG_", "NO_COLOR", "FORCE_COLOR", "VIRTUAL_ENV")
_SET_FOR_TESTS = ("PYTEST_", "GIT_", "PYTHONDONTWRITEBYTECODE")  # fmt: skip

_PROGRAM = '#!/bin/sh\nexec "{python}" -m adapters.cli {name} "$@"\n'
# Other plugins of this environment are not what the pages are about.
_PYTEST = (
    '#!/bin/sh\nexec "{python}" -m pytest'
    ' -p no:cacheprovider -p hsum_hythe -p xdist "$@"\n'
)
_PYTHON = '#!/bin/sh\nexec "{python}" "$@"\n'
# Nothing is installed: what the pages name is what runs these tests.
_PIP = '#!/bin/sh\nfor word in "$@"; do echo "$PWD|$word" >>"{installed}"; done\n'
_VENV = """\
#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then
  mkdir -p "$3/bin" && cp "{bin}"/* "$3/bin" &&
  echo "PATH='$PWD/$3/bin':\\$PATH" >"$3/bin/activate"
else
  exec "{python}" "$@"
fi
"""
_SHIMS = {
    "hsum": _PROGRAM, "hythe": _PROGRAM, "pytest": _PYTEST, "python": _PYTHON,
    "pip": _PIP, "python3": _VENV,
}  # fmt: skip


@attrs.frozen
class Place:
    """A home of its own, with the programs on its path."""

    base: Path

    @property
    def home(self) -> Path:
        """Return the home directory."""
        return self.base / "home"

    @property
    def environ(self) -> dict[str, str]:
        """Return the environment of whoever follows a page here."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(OURS + _SET_FOR_TESTS)
        }
        return kept | {
            "HOME": str(self.home),
            "PATH": f"{self.base / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PYTHONPYCACHEPREFIX": str(COMPILED),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "NO_COLOR": "1",
            "TERM": "dumb",
            "COLUMNS": "80",
            "LC_ALL": "C.UTF-8",
        }

    def folder(self, name: str) -> Path:
        """Return a folder by the name that a page gives it."""
        return self.home / name.removeprefix("~/")

    def installed(self) -> list[tuple[Path, str]]:
        """Return the words of each `pip` command, and where it was run."""
        path = self.base / "installed"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        return [(Path(one), word) for one, _, word in (x.partition("|") for x in lines)]


def make(base: Path) -> Place:
    """Make a place below an empty folder."""
    place = Place(base)
    for name in ("bin", "scripts", "home/work"):
        (base / name).mkdir(parents=True)
    for name, text in _SHIMS.items():
        shim = base / "bin" / name
        shim.write_text(
            text.format(
                name=name, python=sys.executable, bin=base / "bin",
                installed=base / "installed",
            ),
            "utf-8",
        )  # fmt: skip
        shim.chmod(0o755)
    _make_tree(place.folder("~/code/trio"), place.environ)
    _make_checkout(place.folder("~/hsum-hythe"))
    return place


def _make_tree(root: Path, environ: dict[str, str]) -> None:
    for name, text in TRIO.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    if shutil.which("git"):
        author = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        for words in (
            ["init", "-q", "-b", "main"], ["add", "-A"],
            [*author, "commit", "-q", "-m", "all"],
        ):  # fmt: skip
            subprocess.run(["git", *words], cwd=root, env=environ, check=True)


def _make_checkout(root: Path) -> None:
    for name, source in CHECKOUT.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(
                source, target, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(source, target)
