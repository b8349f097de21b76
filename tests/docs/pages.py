"""Pages of the documentation, cut into what stands between fences.

A hidden comment above a fence, `<!-- word: value -->`, says how the block is used:

- `file: NAME` - it is written to this file, which a later block uses;
- `exits: STATUS` - its last command ends with this status;
- `until: Ctrl-C` - it goes on until it is stopped, at the end of the page;
- `printed by: COMMAND` - it is what this command prints, with any status;
- `modules` - a drawing of modules of this project;
- `form of: citation` - the form of a value, its parts between angle brackets;
- `connects` - a client's configuration, which is used to reach the running server.

One at the top, `<!-- runs in: ~/code/trio, indexed -->`, says where the page begins.
"""

from __future__ import annotations

import re
from pathlib import Path

import attrs

import hsum

ROOT = Path(__file__).resolve().parents[2]
# Where the packages are: beside the tests, or installed.
PACKAGES = Path(hsum.__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
GENERATED = ["commands.md", "errors.md", "mcp.md", "python.md"]

FENCE = re.compile(r"^[ \t]*(```|~~~)", re.MULTILINE)
_BLOCK = re.compile(
    r"(?:^<!-- (?P<note>[^\n]*?) -->\n)?^```(?P<language>\w+)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_BEGINNING = re.compile(r"^<!-- runs in: (\S+?)(, indexed)? -->$", re.MULTILINE)


@attrs.frozen
class Block:
    """What stands between two fences, and the hidden comment above them."""

    page: str
    line: int
    language: str
    body: str
    word: str = ""
    value: str = ""

    @property
    def where(self) -> str:
        """Return where a reader finds it."""
        return f"{self.page}:{self.line}"


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def blocks(name: str, text: str | None = None) -> list[Block]:
    """Return the blocks of a page in order."""
    text = text_of(name) if text is None else text
    return [_block(name, text, found) for found in _BLOCK.finditer(text)]


def _block(name: str, text: str, found: re.Match[str]) -> Block:
    word, _, value = (found["note"] or "").partition(": ")
    line = text.count("\n", 0, found.start("language")) + 1
    return Block(name, line, found["language"], found["body"], word, value)


def beginning(name: str) -> tuple[str, bool]:
    """Return the folder in which a page begins, and whether it is indexed."""
    found = _BEGINNING.search(text_of(name))
    return (found[1], bool(found[2])) if found else ("~/work", False)
