"""A guided tour: real calls, each shown as the shell command that would repeat it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from adapters.cli.terminal import Line, emit_json, show, styled

__all__ = ["Tour"]


class Tour:
    """Show each step as it is taken, or gather all for one JSON document.

    The commands, run one after the other by a shell, take the same tour again.

    Args:
        page: how the result of a command is shown to people.
        encode: how it becomes JSON data.
    """

    def __init__(
        self,
        page: Callable[[str, Any, dict[str, Any]], Iterable[Line]],
        encode: Callable[[str, Any], Any],
        *,
        as_json: bool,
    ) -> None:
        self.page = page
        self.encode = encode
        self.as_json = as_json
        self.steps: list[dict[str, Any]] = []

    def tell(self, text: str) -> None:
        """Say what comes next."""
        if not self.as_json:
            show([[], styled(f"# {text}", "dim")])

    def shell(self, line: str) -> None:
        """Name what was done, without a result to show."""
        self.steps.append({"command": line})
        if not self.as_json:
            show([styled(f"$ {line}", "bold cyan")])

    def step(self, command: str, line: str, result: Any, **options: Any) -> None:
        """Show a command line and what it answered.

        Args:
            command: the command in the table of verbs.
            line: the whole line.
            result: what the library gave.
            options: what the page needs beside it.
        """
        self.shell(line)
        if self.as_json:
            self.steps[-1]["result"] = self.encode(command, result)
        else:
            show(self.page(command, result, options))

    def end(self, home: str) -> None:
        """Give the commands once more, in one piece, or the JSON document."""
        if self.as_json:
            emit_json({"home": home, "steps": self.steps})
            return
        self.tell("the same again, as commands to copy:")
        show(
            styled(line) for step in self.steps for line in step["command"].split("\n")
        )
        self.tell(f"nothing outside of {home} was changed; rm -r removes it")
