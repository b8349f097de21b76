"""Click commands made from the table of verbs; each is built when it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from adapters._wire.signatures import Parameter
from adapters._wire.verbs import Verb
from adapters.cli.sources import JsonValue

__all__ = ["Extra", "VerbCommand", "VerbGroup", "flag", "given", "option"]

Perform = Callable[[Verb, dict[str, Any]], int]
Extra = tuple[str, str, str, Callable[[], click.Command]]
"""A command that is no verb of the library: name, heading, summary, how to make it."""

_SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
}
_TYPES = {"integer": click.INT, "number": click.FLOAT, "text": click.STRING}


class VerbCommand(click.Command):
    """A command whose help ends with examples."""

    def __init__(
        self, name: str, *, examples: Sequence[str] = (), **settings: Any
    ) -> None:
        super().__init__(name, **{"context_settings": _SETTINGS, **settings})
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, each a line that can be copied."""
        if self.examples:
            program = ctx.find_root().info_name
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"  {program} {example}\n")


class VerbGroup(click.Group):
    """The commands of a program, or those below one word of it (`project add`)."""

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002 - click's word
        *,
        table: Iterable[Verb],
        build: Callable[[Verb], click.Command],
        extras: Iterable[Extra] = (),
        prefix: str = "",
    ) -> None:
        super().__init__(
            name,
            help=help,
            params=[] if prefix else [_version()],
            context_settings=_SETTINGS,
            no_args_is_help=True,
        )
        self.table = tuple(verb for verb in table if verb.command is not None)
        self.build = build
        self.extras = {extra[0]: extra for extra in extras}
        self.prefix = prefix

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Return the names in the order of the table."""
        return list(dict.fromkeys([row[0] for row in self._rows()] + list(self.extras)))

    def _rows(self) -> list[tuple[str, str, str]]:
        """Return name, heading and summary of each command here."""
        rows: dict[str, tuple[str, str, str]] = {}
        for verb in self.table:
            words = str(verb.command).removeprefix(self.prefix).split(" ")
            several = len(words) > 1
            summary = f"{words[0].capitalize()}s: see `{words[0]} --help`."
            rows.setdefault(
                words[0],
                (words[0], verb.heading, summary if several else verb.summary),
            )
        return list(rows.values())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002 - the same
        """Build one command."""
        path = self.prefix + name
        for verb in self.table:
            if verb.command == path:
                return self.build(verb)
        below = [v for v in self.table if str(v.command).startswith(path + " ")]
        if below:
            return VerbGroup(
                name,
                f"{name.capitalize()}s.",
                table=below,
                build=self.build,
                prefix=path + " ",
            )
        return self.extras[name][3]() if name in self.extras else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the nearest one."""
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None:
            import difflib

            near = difflib.get_close_matches(name, self.list_commands(ctx), 1)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"there is no command {name!r}.{meant}", ctx)
        return name, command, args[1:]

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - the same
        formatter: click.HelpFormatter,
    ) -> None:
        """List the commands under their headings."""
        rows = self._rows() + [extra[:3] for extra in self.extras.values()]
        for heading in dict.fromkeys(row[1] for row in rows):
            with formatter.section(heading or "Commands"):
                formatter.write_dl(
                    [(name, text) for name, where, text in rows if where == heading]
                )


def _version() -> click.Option:
    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Show the version and exit.",
    )


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:  # noqa: FBT001 - click's signature
    if asked and not ctx.resilient_parsing:
        from hsum import __version__

        click.echo(f"{ctx.info_name} {__version__}")
        ctx.exit()


def option(parameter: Parameter, meaning: str, spelled: Sequence[str]) -> click.Option:
    """Return the option of a parameter; what is not given stays out of the call."""
    names = list(spelled) or [_long(parameter)]
    settings: dict[str, Any] = {
        "help": _with_default(parameter, meaning),
        "required": parameter.required,
    }
    if parameter.kind in ("flag", "switch"):
        return click.Option(
            [*names, parameter.name], is_flag=True, default=None, **settings
        )
    settings["type"] = _type(parameter)
    settings["multiple"] = parameter.many and parameter.kind != "json"
    return click.Option([*names, parameter.name], **settings)


def word(parameter: Parameter) -> click.Argument:
    """Return the positional argument of a parameter."""
    return click.Argument(
        [parameter.name],
        type=_type(parameter),
        required=parameter.required,
        nargs=-1 if parameter.many else 1,
        metavar=parameter.name.upper() + ("..." if parameter.many else ""),
    )


def flag(name: str, meaning: str) -> click.Option:
    """Return an option of the CLI alone that is on or off."""
    return click.Option([name], is_flag=True, help=meaning)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that the caller did give."""
    return {
        name: value
        for name, value in options.items()
        if value is not None and value != ()
    }


def _long(parameter: Parameter) -> str:
    dashed = parameter.name.rstrip("_").replace("_", "-")
    if parameter.kind == "switch":
        negative = (
            dashed.removeprefix("no-") if dashed.startswith("no-") else f"no-{dashed}"
        )
        return f"--{dashed}/--{negative}"
    return f"--{dashed}"


def _type(parameter: Parameter) -> Any:
    if parameter.choices:
        return click.Choice(parameter.choices)
    return _TYPES.get(parameter.kind) or JsonValue()


def _with_default(parameter: Parameter, meaning: str) -> str:
    default = parameter.default
    if default in (None, (), False, "") or not isinstance(default, (str, int, float)):
        return meaning
    return f"{meaning}  [default: {default}]"
