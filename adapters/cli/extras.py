"""Commands that both programs have and that are no verbs of a library."""

from __future__ import annotations

from typing import Any

import click

from adapters.cli.commands import Extra, VerbCommand, flag
from adapters.cli.terminal import Line, emit_json, show, styled

__all__ = ["of"]

HEADING = "Help"
SERVE = "Serve"
SHELLS = ("bash", "zsh", "fish")


def of(program: str) -> tuple[Extra, ...]:
    """Return the extra commands of a program."""
    return (
        *_servers(program),
        (
            "quickstart",
            HEADING,
            "See it work, from nothing, in a temporary folder.",
            lambda: _quickstart(program),
        ),
        (
            "help-error",
            HEADING,
            "Explain an error code.",
            _help_error,
        ),
        (
            "completions",
            HEADING,
            "Print a completion script for a shell.",
            lambda: _completions(program),
        ),
    )


def _servers(program: str) -> tuple[Extra, ...]:
    from adapters.cli import servers

    if program == "hsum":
        return (
            ("mcp", SERVE, "Serve evidence to an MCP client.", servers.evidence),
            ("client", SERVE, "Set up MCP clients.", servers.client),
        )
    return (
        ("mcp", SERVE, "Serve a store to one agent's MCP client.", servers.memory),
        ("serve", SERVE, "Serve a store over HTTP.", servers.web),
    )


def _quickstart(program: str) -> click.Command:
    def run(**options: Any) -> int:
        if program == "hsum":
            from adapters.cli.hsum_quickstart import quickstart

            return quickstart(options["path"], as_json=options["json"])
        from adapters.cli.hythe_quickstart import quickstart as hythe_quickstart

        return hythe_quickstart(as_json=options["json"])

    params: list[click.Parameter] = [flag("--json", "Print one JSON document.")]
    examples = ["quickstart"]
    if program == "hsum":
        params.insert(0, click.Argument(["path"], required=False, metavar="PATH"))
        examples.append("quickstart ~/code/trio")
    return VerbCommand(
        "quickstart",
        params=params,
        callback=run,
        help="See it work, from nothing, in a temporary folder.",
        examples=examples,
    )


def _help_error() -> click.Command:
    return VerbCommand(
        "help-error",
        params=[
            click.Argument(["code"], required=False, metavar="CODE"),
            flag("--json", "Print one JSON document."),
        ],
        callback=_explain,
        help="Explain an error code; without one, list them all.",
        examples=("help-error", "help-error WRITER_BUSY"),
    )


def _explain(*, code: str | None, json: bool) -> int:
    from hsum import Fault, catalogue

    entries = catalogue()
    if code is None:
        return _list_codes(entries, as_json=json)
    entry = entries.get(code.upper())
    if entry is None:
        raise Fault(
            "INVALID_ARGUMENT",
            f"there is no code {code!r}",
            hint="Without a code, help-error lists them all.",
        )
    if json:
        emit_json(entry._asdict())
    else:
        show(_entry_page(entry))
    return 0


def _list_codes(entries: Any, *, as_json: bool) -> int:
    from adapters.cli.columns import aligned

    if as_json:
        emit_json({"codes": [entry._asdict() for entry in entries.values()]})
        return 0
    show(
        aligned(
            [
                ((entry.code, "bold"), (str(entry.exit_status), ""), (entry.cause, ""))
                for entry in entries.values()
            ],
            right=(1,),
        )
    )
    return 0


def _entry_page(entry: Any) -> list[Line]:
    again = "yes" if entry.retryable else "no"
    return [
        styled(entry.code, "bold"),
        styled(f"  what happened:  {entry.cause}"),
        styled(f"  what to do:     {entry.fix}"),
        styled(f"  exit status:    {entry.exit_status}"),
        styled(f"  worth a retry:  {again}"),
    ]


def _completions(program: str) -> click.Command:
    return VerbCommand(
        "completions",
        params=[click.Argument(["shell"], type=click.Choice(SHELLS))],
        callback=lambda shell: _print_completions(program, shell),
        help="Print a completion script for a shell.",
        examples=("completions bash >> ~/.bashrc",),
    )


def _print_completions(program: str, shell: str) -> int:
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    variable = f"_{program.upper()}_COMPLETE"
    if kind is None:
        raise click.UsageError(f"no completions for {shell}")
    script = kind(click.Command(program), {}, program, variable)
    # The script is click's; its `source()` also runs bash to look at its version.
    text = script.source_template % script.source_vars()
    show([styled(line) for line in text.strip("\n").split("\n")])
    return 0
