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
        texts: parameters that are words, although their type has a name of its own.
        required: parameters that front ends demand although Python does not.
        spelled: other option names of parameters, in the CLI.
        result: the JSON key of a result that is a bare list.
        examples: command lines for `--help`, without the program's name.
        effect: `reads`, `adds` (what it writes can be written again) or `removes`.
        instead: tools that a flag of the command calls in its place.
        where: what a method is called on: `index`, `projects`, `store`, `scope`,
            `credentials`, or None for a function.
    """

    function: str
    command: str | None
    summary: str
    tool: str | None = None
    heading: str = ""
    words: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    spelled: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
    result: str | None = None
    examples: tuple[str, ...] = ()
    effect: str = "reads"
    instead: Mapping[str, str] = attrs.field(factory=dict)
    where: str | None = None

    def resolve(self) -> Callable[..., Any]:
        """Return the library function."""
        return resolve(self.function)

    def parameters(self) -> dict[str, Parameter]:
        """Return what front ends offer of the function's parameters, in its order."""
        found = parameters(self.resolve())
        return {
            name: self._offered(item)
            for name, item in found.items()
            if name not in self.hidden
        }

    def _offered(self, parameter: Parameter) -> Parameter:
        name = parameter.name
        demanded = parameter.required or name in self.required
        return attrs.evolve(
            parameter,
            kind="text" if name in self.texts else parameter.kind,
            required=demanded and name not in self.optional,
        )


def of_command(table: tuple[Verb, ...], command: str) -> Verb | None:
    """Return the verb of a CLI command."""
    return next((verb for verb in table if verb.command == command), None)


def of_tool(table: tuple[Verb, ...], tool: str) -> Verb | None:
    """Return the verb of an MCP tool."""
    return next((verb for verb in table if verb.tool == tool), None)
