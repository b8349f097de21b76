"""What a line of a page says to our programs: does such a command exist?"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click

from adapters.cli import hsum_program, hythe_program

GROUPS = {"hsum": hsum_program.group, "hythe": hythe_program.group}
_SEPARATORS = {"|", "||", "&&", ";", "&", ")", "$(", "`"}


def programs() -> list[click.Group]:
    """Return both programs."""
    return [make() for make in GROUPS.values()]


def every(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """Give each command of a program with its whole name."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from every(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def faults(line: str) -> list[str]:
    """Return what is wrong with each of our commands in a line of shell."""
    return [fault for words in _ours(line) if (fault := _fault(words))]


def _ours(line: str) -> Iterator[list[str]]:
    """Give the words of each command of ours, its program first."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] | None = None
    for word in lexer:
        name = word.removeprefix("$").rpartition("/")[2]
        if word in _SEPARATORS or set(word) <= set("();|&<>"):
            words = yield from _ended(words)
        elif words is None and name in GROUPS:
            words = [name]
        elif words is not None:
            words.append(word)
    yield from _ended(words)


def _ended(words: list[str] | None) -> Iterator[list[str]]:
    if words is not None:
        yield words


def _fault(words: list[str]) -> str | None:
    """Say what is wrong with a command; its values and how many there are may be."""
    command: click.Command = GROUPS[words[0]]()
    rest = words[1:]
    while isinstance(command, click.Group) and rest and rest[0][:1] != "-":
        found = command.get_command(click.Context(command), rest[0])
        if found is None:
            return f"no command: {shlex.join(words)}"
        command, rest = found, rest[1:]
    known = {
        name
        for option in command.get_params(click.Context(command))
        if isinstance(option, click.Option)
        for name in (*option.opts, *option.secondary_opts)
    }
    unknown = [
        word
        for word in rest
        if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known
    ]
    return f"no option {unknown[0]}: {shlex.join(words)}" if unknown else None
