"""The examples of the help, of docstrings and of prose run, or name what exists."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

import pytest

import hsum
import hythe
from adapters.cli.run import run
from hsum import catalogue
from hythe import State
from hythe.testing import agents
from tests.docs import places, running
from tests.docs.commands import GROUPS, every, faults
from tests.docs.pages import NAMES, PACKAGES, blocks, text_of

# Examples of commands that go on until they are stopped, or start processes: pages
# run them. The second starts the first.
BY_PAGES = ["hsum mcp", "hsum client doctor", "hsum watch", "hythe mcp", "hythe serve"]
# Those that end with another status than 0, and why.
STATUSES = {
    "hythe prune": 2,  # the same
    "hythe redact 0b7c... --reason 'a password'": 2,  # the same
    "hsum forget notes/private.md": 2,  # shows the plan, and wants --confirm
}


def edited_twice(root):
    """Ingest two more generations."""
    for text in ("one", "two"):
        (root / "news.md").write_text(f"# News\n\n{text}\n", "utf-8")
        with hsum.open_managed("trio") as index:
            index.ingest()


def granted(root):
    """Make the binding that the example before took away."""
    hsum.grant(root, confirm=True)


# What an example takes for granted beyond the tree and the examples above it.
PREPARED = {
    "hsum documents --generation 3": edited_twice,
    "hsum untrust ~/code/trio": granted,
    "hsum client config claude-code": granted,
}
STATE = State("ship search", "green", "planner")
WHOLE = (
    '{"objective": "ship search", "status": "green", "owner": "planner",'
    ' "nextActions": [], "blockers": [], "guardrails": []}'
)


def examples(program):
    """Give the examples of each command of a program."""
    for path, command in every(GROUPS[program](), program):
        for example in getattr(command, "examples", ()):
            yield path, f"{program} {example}"


def called(line):
    """Run a line in this process, with its redirections; give status and words."""
    words = [os.path.expanduser(word) for word in shlex.split(line)]
    source = b""
    if "<" in words:
        at = words.index("<")
        source = Path(words[at + 1]).read_bytes()
        del words[at : at + 2]
    if "|" in words:
        del words[words.index("|") :]
    into = None
    if ">>" in words:
        into = words[words.index(">>") + 1]
        del words[words.index(">>") :]
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as out,
        tempfile.TemporaryFile("w+", encoding="utf-8") as said,
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(said),
    ):
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(source), "utf-8"))
        status = run(words[0], words[1:])
        out.seek(0)
        said.seek(0)
        printed, told = out.read(), said.read()
    if into is not None:
        Path(into).write_text(printed, "utf-8")
    return status, printed + told


@pytest.fixture
def trio(tmp_path, monkeypatch):
    """The small tree as the working directory, in a home of its own."""
    place = places.make(tmp_path)
    for name in running.foreign():
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(place.home))
    root = place.folder("~/code/trio")
    monkeypatch.chdir(root)
    monkeypatch.setenv("HSUM_INDEX", "trio")  # one example makes a second index
    place.folder("~/moved").mkdir()
    (root / "answer.md").write_text("It is set in `src/trio/scopes.py:8`.\n", "utf-8")
    return root


def test_examples_of_hsum_run(trio):
    """One after the other, each does what its help shows."""
    wrong = []
    for path, line in examples("hsum"):
        wrong += faults(line)
        if path in BY_PAGES:
            continue
        PREPARED.get(line, lambda _: None)(trio)
        status, said = called(filled(line))
        if STATUSES.get(line, 0) != status:
            wrong.append((line, status, said))

    assert [] == wrong


def filled(line):
    """Put real values where an example leaves them out."""
    if "hsum://v1/..." in line:
        with hsum.open_managed("trio") as index:
            line = line.replace(
                "hsum://v1/...", f"'{index.search('scope')[0].citation}'"
            )
    if "0b7c..." in line:
        line = line.replace("0b7c...", hsum.context(index="trio").binding)
    return line


def checkpoints(number):
    """Make that many checkpoints; the second moves the pointer, the third branches."""

    def made(store):
        scope = store.scope(project="atlas")
        for parent in [None, 1, 1][:number]:
            scope.checkpoint(STATE, parent=parent)

    return made


def retired(store):
    """Make a branch, and settle it against it."""
    checkpoints(3)(store)
    scope = store.scope(project="atlas")
    scope.reconcile(**scope.plan_reconcile().request, reason="the planner is right")


def entity(store):
    """Make an entity, with an observation."""
    store.observe("billing-api", "uses PostgreSQL 14")


def critic(store):
    """Register the critic."""
    store.as_agent("critic").register_agent()


def scope_and_critic(store):
    """Make a checkpoint, and register the critic."""
    checkpoints(1)(store)
    critic(store)


def mail(store):
    """Send messages; the last one's id is what an example leaves out."""
    [critic] = agents(store, "critic")
    store.register_agent()
    return [critic.send(store.agent, "look").id for _ in range(13)][-1]


def credential(store):
    """Issue one to the critic; its id is what an example leaves out."""
    return store.credentials.issue("critic", ["state:read"]).credential.id


def password(store):
    """Observe one; its id is what an example leaves out."""
    return store.observe("db", "the password is hunter2").id


def password_fact(store):
    """Record one in a fact; the checkpoint's id is what an example leaves out."""
    fact = hythe.Fact("db", "password", "hunter2")
    scope = store.scope(project="atlas")
    return scope.checkpoint(STATE, parent=None, facts=[fact]).id


def export(store):
    """Export all to a file."""
    store.export("team.jsonl")


def backup(store):
    """Leave nothing but a backup."""
    store.backup("team-monday.hythe")
    store.close()
    os.remove("team.hythe")


# What must be there before an example: of its command, or of the example itself.
NEEDED = {
    "hythe ack": mail,
    "hythe agent list": critic,
    "hythe archive": mail,
    "hythe checkpoint --project atlas --parent": checkpoints(1),
    "hythe credential revoke": credential,
    "hythe credential rotate": credential,
    "hythe credential withdraw": credential,
    "hythe current": entity,
    "hythe entity billing-api --near --hops 2": entity,
    "hythe entity billing-api --show": entity,
    "hythe handoff": scope_and_critic,
    "hythe heads": checkpoints(3),
    "hythe history": checkpoints(3),
    "hythe import": export,
    "hythe inbox": mail,
    "hythe patch": checkpoints(2),
    "hythe prune": retired,
    "hythe read": mail,
    "hythe reconcile": checkpoints(3),
    "hythe record": checkpoints(1),
    "hythe redact 0b7c... '$": password_fact,
    "hythe redact 0b7c... --": password,
    "hythe restore": backup,
    "hythe resume": checkpoints(2),
    "hythe send": critic,
}
FILES = {"state.json": WHOLE, "notes.txt": "uses PgBouncer\n", "note.md": "look\n"}


@pytest.mark.parametrize("line", [line for _, line in examples("hythe")])
def test_an_example_of_hythe_runs(line, tmp_path, monkeypatch):
    """It does what its help shows, in a store where what it names is there."""
    assert [] == faults(line)
    if line.startswith(tuple(BY_PAGES)):
        return
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    with hythe.open("team.hythe", agent="planner") as store:
        store.observe("tests", "make a store")
        found = [made for words, made in NEEDED.items() if line.startswith(words)]
        left_out = [made(store) for made in found]
    monkeypatch.setenv("HYTHE_STORE", "team.hythe")
    monkeypatch.setenv("HYTHE_AGENT", "planner")

    status, said = called(line.replace("0b7c...", str(*left_out)))

    assert STATUSES.get(line, 0) == status, said


def test_pages_run_what_is_left_to_them():
    """Each command that is only read here stands in a block that runs."""
    scripts = "".join(
        block.body for name in NAMES for block in blocks(name) if block.language == "sh"
    )

    assert [] == [
        command for command in BY_PAGES[1:] if f"\n{command} " not in f"\n{scripts}"
    ]


# --- docstrings and prose ---------------------------------------------------------


def modules():
    """Give the name of every module of the project that has an example."""
    for package in ("hsum", "hythe", "adapters"):
        for path in sorted((PACKAGES / package).rglob("*.py")):
            if re.search(r"^ *>>> ", path.read_text("utf-8"), re.MULTILINE):
                parts = path.relative_to(PACKAGES).with_suffix("").parts
                yield ".".join(parts).removesuffix(".__init__")


@pytest.mark.parametrize("name", list(modules()))
def test_docstrings_run(name, trio):
    """What they show comes; `...` leaves something out."""
    failed, _ = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.ELLIPSIS
    )

    assert 0 == failed


def test_no_docstring_is_skipped():
    """An example that is only shown is no example."""
    for name in modules():
        source = PACKAGES / name.replace(".", "/")
        path = source / "__init__.py" if source.is_dir() else source.with_suffix(".py")
        assert "+SKIP" not in path.read_text("utf-8"), name


SPAN = re.compile(r"`((?:hsum|hythe) [a-z][^`]*)`")


@pytest.mark.parametrize("name", NAMES)
def test_commands_in_prose_exist(name):
    """So do their options."""
    assert [] == [
        fault for line in SPAN.findall(text_of(name)) for fault in faults(line)
    ]


def test_every_error_says_what_happened_and_what_to_do():
    """Both are sentences, and a command in them exists."""
    for entry in catalogue().values():
        for text in (entry.cause, entry.fix):
            assert re.fullmatch(r"[`A-Z].*[.]", text), entry.code
            assert [] == [f for line in SPAN.findall(text) for f in faults(line)]


def test_the_page_of_the_pytest_plugin_is_whole():
    """It has every fixture and option of the plugin, and no other."""
    plugin = PACKAGES / "adapters" / "pytest_plugin"
    page = text_of("docs/reference/pytest-plugin.md")
    defined = re.findall(
        r"^@pytest\.fixture.*\n(?:@.*\n)*def (\w+)",
        (plugin / "fixtures.py").read_text("utf-8"),
        re.MULTILINE,
    )
    offered = re.findall(
        r'^ +"(--hsum-[\w-]+)",$',
        (plugin / "__init__.py").read_text("utf-8"),
        re.MULTILINE,
    )

    assert sorted(defined) == sorted(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert sorted(offered) == sorted(re.findall(r"^\| `(--[\w-]+)", page, re.MULTILINE))
