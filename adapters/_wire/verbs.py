"""What a verb is: one public library function and how front ends offer it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from adapters._wire.signatures import Parameter, parameters, resolve

__all__ = ["Verb", "of_command", "of_tool"]


@attrs.frozen
class Verb:
    """One row of the table.

    Attributes:
        function: the library function, as `package:Name.method`.
        command: its command in the CLI, with a space below a group; None for none.
        tool: its tool in MCP; None for none.
        summary: one line that says what it does.
        heading: the group of commands it is listed under.
        words: the parameters that are words of the command line, not options.
        optional: those of `words` that may be left out.
        hidden: parameters that only Python callers have.
        required: parameters that front ends demand although Python does not.
        spelled: other option names of parameters, in the CLI.
        result: the JSON key of a result that is a bare list.
        examples: command lines for `--help`, without the program's name.
        effect: `reads`, `adds` (what it writes can be written again) or `removes`.
        where: what a method is called on: `index`, `store`, `scope`, or None.
    """

    function: str
    command: str | None
    summary: str
    tool: str | None = None
    heading: str = ""
    words: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    spelled: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
    result: str | None = None
    examples: tuple[str, ...] = ()
    effect: str = "reads"
    where: str | None = None

    def resolve(self) -> Callable[..., Any]:
        """Return the library function."""
        return resolve(self.function)

    def parameters(self) -> dict[str, Parameter]:
        """Return what front ends offer of the function's parameters, in its order."""
        found = parameters(self.resolve())
        return {
            name: attrs.evolve(
                item, required=(item.required or name in self.required)
                and name not in self.optional,
            )
            for name, item in found.items()
            if name not in self.hidden
        }


def of_command(table: tuple[Verb, ...], command: str) -> Verb | None:
    """Return the verb of a CLI command."""
    return next((verb for verb in table if verb.command == command), None)


def of_tool(table: tuple[Verb, ...], tool: str) -> Verb | None:
    """Return the verb of an MCP tool."""
    return next((verb for verb in table if verb.tool == tool), None)
