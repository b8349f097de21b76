"""Write the pages of the reference that are made from the code.

python docs/generate.py            # writes docs/reference/*.md
python docs/generate.py --check    # exits with 1 when one of them is stale
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

FOLDER = Path(__file__).parent / "reference"
NOTE = "<!-- Made by docs/generate.py: edit the code, not this page. -->\n"

STATUSES = {
    0: "success",
    1: "not found, or failed",
    2: "bad arguments, or a confirmation is needed",
    4: "busy, or timed out",
    5: "corrupt or incompatible",
    6: "committed, but some files failed",
    7: "permission, disk or quota",
    130: "interrupted",
}


def errors() -> Iterator[str]:
    """Give the page of error codes and exit statuses."""
    from hsum import catalogue

    yield "# Errors\n"
    yield (
        "Whatever is refused is a `Fault` with `code`, `message`, `hint`, `retryable` "
        "and `details`; `HsumError` and `HytheError` are its two roots.\n"
        "`hsum help-error CODE` prints an entry.\n"
    )
    yield "## Exit statuses\n\n| status | meaning |\n|---|---|"
    yield "\n".join(f"| {n} | {meaning} |" for n, meaning in STATUSES.items()) + "\n"
    yield "## Codes\n"
    for entry in catalogue().values():
        again = (
            "the same call may succeed later"
            if entry.retryable
            else "a retry alone does not help"
        )
        yield f"### {entry.code}\n"
        yield f"{entry.cause}\n\n{entry.fix}\n\nExit status {entry.exit_status}; {again}.\n"


def commands() -> Iterator[str]:
    """Give the page of commands: the help of each, as it is printed."""
    from adapters.cli import hsum_program, hythe_program

    yield "# Commands\n"
    yield (
        "`hsum` and `hythe` are the same program as `python -m adapters.cli hsum` and "
        "`python -m adapters.cli hythe`.\n"
        "Data goes to stdout, words for people to stderr; `--json` prints exactly one document.\n"
    )
    for program in (hsum_program, hythe_program):
        group = program.group()
        yield f"## {group.name}\n\n```text\n{_help(group, group.name)}```\n"
        for name in group.list_commands(click.Context(group)):
            command = group.get_command(click.Context(group), name)
            yield from _command_pages(command, f"{group.name} {name}")


def _command_pages(command: click.Command | None, path: str) -> Iterator[str]:
    if command is None:
        return
    yield f"### {path}\n\n```text\n{_help(command, path)}```\n"
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path)
        for name in command.list_commands(context):
            yield from _command_pages(
                command.get_command(context, name), f"{path} {name}"
            )


def _help(command: click.Command, path: str) -> str:
    program, _, rest = path.partition(" ")
    parent = click.Context(click.Group(program), info_name=program)
    settings = {"terminal_width": 88, "max_content_width": 88}
    context = click.Context(
        command, parent=parent if rest else None, info_name=rest or program, **settings
    )
    return command.get_help(context).replace("\b\n", "").rstrip() + "\n"


def tools() -> Iterator[str]:
    """Give the page of the MCP servers' tools."""
    import hythe
    from adapters.mcp.evidence import Evidence
    from adapters.mcp.memory import NEEDED, Memory

    yield "# MCP tools\n"
    yield (
        "Unknown arguments are refused. A response is never over 100 kB: what pages is "
        "paged, other answers are shortened, and `response_limit` says so.\n"
        "A refusal is a tool error whose text is the JSON of a fault ([codes](errors.md)).\n"
    )
    store = hythe.in_memory(agent="docs")
    for title, served, scopes in (
        ("hsum: `hsum mcp --binding UUID`", Evidence(None).tools(), {}),
        ("hythe: `hythe mcp`, `hythe serve`", Memory(store).tools(), NEEDED),
    ):
        yield f"## {title}\n"
        for tool in served:
            needs = (
                f" Needs the scope `{scopes[tool.name]}`."
                if tool.name in scopes
                else ""
            )
            yield f"### {tool.name}\n\n{tool.description}{needs}\n"
            rows = list(_arguments(tool.input_schema))
            if rows:
                yield "| argument | type | |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    store.close()


def _arguments(schema: dict[str, object]) -> Iterator[str]:
    required = schema["required"]
    for name, item in schema["properties"].items():  # type: ignore[attr-defined]
        kind = item.get("type", "any")
        shown = " or ".join(kind) if isinstance(kind, list) else kind
        if "enum" in item:
            shown = "one of " + ", ".join(f"`{word}`" for word in item["enum"])
        must = "required; " if name in required else ""  # type: ignore[operator]
        default = f" Default {item['default']}." if "default" in item else ""
        yield f"| `{name}` | {shown} | {must}{item.get('description', '')}{default} |"


def python() -> Iterator[str]:
    """Give the page of public names: signatures and docstrings."""
    import hsum
    import hythe

    yield "# Python\n"
    yield "Values are frozen attrs classes; every option is a keyword.\n"
    for package in (hsum, hythe):
        yield f"## {package.__name__}\n"
        for name in package.__all__:
            yield from _public(package.__name__, name, getattr(package, name))


def _public(package: str, name: str, value: Any) -> Iterator[str]:
    yield f"### {package}.{name}\n"
    if not isinstance(value, type):
        yield _signed(name, value) + _doc(value)
        return
    yield _doc(value)
    fields = [
        field for field in getattr(value, "__attrs_attrs__", ()) if field.name[0] != "_"
    ]
    if fields:
        rows = (
            f"| `{field.name}` | `{_written(value, field.name)}` |" for field in fields
        )
        yield "| field | type |\n|---|---|\n" + "\n".join(rows) + "\n"
    for method, function in _methods(value):
        yield f"#### {name}.{method}\n\n" + _signed(method, function) + _doc(function)


def _written(value: type, field: str) -> str:
    """Return a field's type as its class writes it; resolved types are spelled so and so."""
    for owner in value.__mro__:
        written = inspect.get_annotations(owner)
        if field in written:
            return str(written[field])
    raise LookupError(field)


def _methods(value: type) -> list[tuple[str, Any]]:
    if issubclass(value, (BaseException, Sequence)):
        return []
    found = inspect.getmembers(value, inspect.isfunction)
    return [(name, function) for name, function in found if name[0] != "_"]


def _signed(name: str, value: Any) -> str:
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    return f"```text\n{name}{re.sub(r' at 0x[0-9a-f]+', '', signature)}\n```\n\n"


def _doc(value: Any) -> str:
    text = inspect.getdoc(value) or ""
    return (
        re.sub(
            r"^(Args|Raises|Returns|Attributes):$",
            r"**\1**\n",
            text,
            flags=re.MULTILINE,
        )
        + "\n"
    )


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "errors.md": errors,
    "commands.md": commands,
    "mcp.md": tools,
    "python.md": python,
}


def made(page: str) -> str:
    """Return a page as the code says it should be."""
    return NOTE + "\n" + "\n".join(PAGES[page]())


def _fresh(page: str) -> bool:
    """Tell whether a page has the words that the code gives, however they are broken."""
    path = FOLDER / page
    return path.is_file() and path.read_text("utf-8").split() == made(page).split()


def main(arguments: list[str]) -> int:
    """Write the pages, or tell whether they are as the code says."""
    stale = [page for page in PAGES if not _fresh(page)]
    if "--check" in arguments:
        for page in stale:
            sys.stderr.write(
                f"docs/reference/{page} is stale: run python docs/generate.py\n"
            )
        return 1 if stale else 0
    for page in stale:
        (FOLDER / page).write_text(made(page), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
