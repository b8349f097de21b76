"""Follow a page: run each block in its place, and hold what is shown to what came."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import io
import json
import os
import re
import socket
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import attrs
from packaging.requirements import Requirement

from tests.docs import places
from tests.docs.commands import faults
from tests.docs.pages import PACKAGES, ROOT, Block, beginning
from tests.docs.shell import Shell

# What a reader replaces by what was printed before: the last of these.
PASTED = {
    "hsum://v1/...": r"hsum://v1/[0-9a-f]\S+",
    "CURSOR": r'"cursor":\s*"([^"]+)"',
    "SECRET": r"\bhy1\.\S+",
}
_NAMES = {
    "<id>": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "<sha256>": r"\b[0-9a-f]{64}\b",
    "<time>": r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z",
}
PORT = "8765"


class Follower:
    """Someone who follows one page from its first block to its last."""

    def __init__(self, page: str, place: places.Place) -> None:
        self.place = place
        folder, indexed = beginning(page)
        self.shell = Shell(place.folder(folder), place.environ, place.base / "scripts")
        self.printed = ""  # by the last block
        self.seen = ""  # by all of them
        self.names: dict[str, object] = {"__name__": "page"}
        self.port = _free_port()
        if indexed:
            self._shown(*self.shell.run("hsum init ."))
            self.seen = ""

    def follow(self, block: Block) -> None:
        """Use a block as it asks to be used, or as its language says."""
        use = USES.get(block.word) or USES.get(block.language)
        assert use is not None, f"{block.where}: nothing runs this block"
        use(self, self._filled(block))

    def end(self) -> None:
        """Stop what goes on, and look whether what was installed can be."""
        for status in self.shell.stop():
            assert status in (0, 130), status
        for where, word in self.place.installed():
            assert not _uninstallable(where, word), word

    def _filled(self, block: Block) -> Block:
        """Choose a port that is free here."""
        return attrs.evolve(block, body=block.body.replace(PORT, str(self.port)))

    def _shown(self, status: int, printed: str, expected: int = 0) -> None:
        assert expected == status, f"status {status} after\n{printed}"
        self.printed = printed
        self.seen += printed

    # --- uses -------------------------------------------------------------------

    def run_sh(self, block: Block) -> None:
        """Run it; before a word that is to be replaced, what is above it."""
        wanted = int(block.value) if block.word == "exits" else 0
        whole = ""
        for part in _parts(block.body):
            script = self._pasted(part)
            self._shown(*self.shell.run(script, strictly=not wanted), expected=wanted)
            whole += self.printed
        self.printed = whole

    def run_on(self, block: Block) -> None:
        """Run it until the page ends."""
        self._shown(0, self.shell.begin(block.body))

    def run_python(self, block: Block) -> None:
        """Run it in the namespace of the page."""
        missing = _missing_extras(block)
        if missing:
            _names_exist(block)
            return
        said = io.StringIO()
        with contextlib.chdir(self._here()), contextlib.redirect_stdout(said):
            exec(compile(block.body, block.where, "exec"), self.names)
        self._shown(0, said.getvalue())

    def write_file(self, block: Block) -> None:
        """Write it, once its language has read it."""
        _read(block)
        (self._here() / block.value).write_text(block.body, "utf-8")

    def compare(self, block: Block) -> None:
        """Hold it to what the block before it printed."""
        assert_shown(block, self.printed)

    def compare_printed(self, block: Block) -> None:
        """Hold it to what a command prints."""
        assert_shown(block, self.shell.run(block.value, strictly=False)[1])

    def find_modules(self, block: Block) -> None:
        """Find each module of a drawing."""
        named = set(re.findall(r"\b(?:hsum|hythe|adapters)\.\w+", block.body))
        assert named
        for name in named:
            assert importlib.util.find_spec(name), name

    def hold_form(self, block: Block) -> None:
        """Hold a form to a real value: its parts stand for what has no mark in it."""
        import hsum

        parts = re.split(r"<\w+>", block.body.strip())
        form = "[^/?#=-]+(?:-[0-9a-f]+)*".join(map(re.escape, parts))
        index = hsum.in_memory()
        index.ingest(self.place.folder("~/code/trio"))
        assert re.fullmatch(form, str(index.search("deadline")[0].citation))

    def connect(self, block: Block) -> None:
        """Reach the running server as a client with this configuration does."""
        [server] = json.loads(self._pasted(block.body))["mcpServers"].values()
        assert _tools(server["url"], server["headers"], self.port)

    def _here(self) -> Path:
        """Return the folder in which the shell is."""
        status, folder = self.shell.run("pwd")
        assert 0 == status
        return Path(folder.strip())

    def _pasted(self, text: str) -> str:
        for word, pattern in PASTED.items():
            if word in text:
                found = list(re.finditer(pattern, self.seen))
                assert found, f"nothing before can stand for {word}"
                text = text.replace(word, found[-1][found[-1].re.groups])
        return text


USES: dict[str, Callable[[Follower, Block], None]] = {
    "connects": Follower.connect,
    "file": Follower.write_file,
    "form of": Follower.hold_form,
    "modules": Follower.find_modules,
    "printed by": Follower.compare_printed,
    "python": Follower.run_python,
    "sh": Follower.run_sh,
    "text": Follower.compare,
    "until": Follower.run_on,
}


def assert_shown(block: Block, printed: str) -> None:
    """Compare what a page shows with what came; `...` leaves something out.

    Ids, hashes and times differ from run to run; a line of `...` stands for lines.
    """
    shown, came = _named(block.body), _named(printed)
    form = "".join(map(_form, shown.splitlines()))
    assert re.fullmatch(form, came), (
        f"{block.where} shows\n{shown}\nbut this came\n{came}"
    )


def _form(line: str) -> str:
    if line.strip() == "...":
        return r"(?:[^\n]*\n)*?"
    return re.escape(line).replace(r"\.\.\.", r"[^\n]*") + "\n"


def _named(text: str) -> str:
    for name, pattern in _NAMES.items():
        text = re.sub(pattern, name, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")) + "\n"


def _parts(body: str) -> list[str]:
    """Cut a script before each line that has a word to be replaced."""
    parts = [""]
    for line in body.splitlines(keepends=True):
        if any(word in line for word in PASTED):
            parts.append("")
        parts[-1] += line
    return [part for part in parts if part]


def _read(block: Block) -> None:
    """Read a file in its language; one that no one knows is refused."""
    readers: dict[str, Callable[[str], object]] = {
        "python": ast.parse,
        "json": lambda text: (
            [json.loads(line) for line in text.splitlines()]
            if block.value.endswith("jsonl")
            else json.loads(text)
        ),
        "toml": tomllib.loads,
    }
    readers[block.language](block.body)


def _missing_extras(block: Block) -> list[str]:
    """Return the optional packages that a block imports and that are not here."""
    return [name for name in imported(block.body) if name in OPTIONAL and not _is(name)]


# Packages that are no part of the development environment, and why.
OPTIONAL = {
    "langchain_core": "the extra `frameworks` moves fast and is tested apart",
    "pydantic_ai": "the same",
}


def imported(source: str) -> set[str]:
    """Return the packages that a source imports, itself or by an adapter of ours."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
            if node.module.startswith("adapters.frameworks."):
                found |= imported(_source(node.module).read_text("utf-8"))
    return found


def _source(module: str) -> Path:
    return PACKAGES / (module.replace(".", "/") + ".py")


def _is(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _names_exist(block: Block) -> None:
    """Look whether our adapters define what a block imports from them."""
    for node in ast.walk(ast.parse(block.body)):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("adapters."):
            tree = ast.parse(_source(node.module).read_text("utf-8"))
            defined = {getattr(each, "name", None) for each in tree.body}
            assert {alias.name for alias in node.names} <= defined, block.where


def _uninstallable(where: Path, word: str) -> bool:
    """Tell whether a word of `pip install` names what nobody offers."""
    if word == "install" or word.startswith("-"):
        return False
    local = word.startswith(".")
    wanted = Requirement(f"hsum-hythe{word[1:]}" if local else word)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return (
        wanted.name != project["name"]
        or not wanted.extras <= project["optional-dependencies"].keys()
        or (local and not (where / "pyproject.toml").exists())
    )


def look_through(block: Block) -> None:
    """Look at a block that cannot be run: are its commands and steps there?"""
    steps = (ROOT / ".ci" / "run").read_text("utf-8")
    for line in block.body.splitlines():
        assert [] == faults(line), block.where
        for step in re.findall(r"\.ci/run (\w+)", line):
            assert f"\n{step}() {{" in steps, step
        for word in re.findall(r"pip install (?:-\w+ )*'?([^\s'&]+)", line):
            assert not _uninstallable(ROOT, word), word


def _tools(url: str, headers: dict[str, str], port: int) -> list[str]:
    from tests.servers.sessions import run, web_client

    scheme, _, secret = headers["Authorization"].partition(" ")
    assert "Bearer" == scheme
    _await(port)

    async def asked() -> list[str]:
        async with web_client(url, secret) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    return run(asked)


def _await(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(port)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def foreign() -> list[str]:
    """Return the variables of this process that would choose for a reader."""
    return [name for name in os.environ if name.startswith(places.OURS)]
