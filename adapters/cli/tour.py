"""A guided tour: real calls, each shown as the command that would repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from typing import Any

from adapters.cli.terminal import Line, emit_json, show, styled

__all__ = ["Tour"]


class Tour:
    """Show each step as it is taken, or gather all for one JSON document.

    Args:
        page: how a result is shown to people.
        encode: how a result becomes JSON data.
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
        """Name what was done by other means, as a shell command."""
        self._named(line)

    def step(
        self, command: str, words: Iterable[str], result: Any, **options: Any
    ) -> None:
        """Show a command and what it answers."""
        program, _, verb = command.partition(" ")
        line = f"{program} {verb} {shlex.join(words)}".rstrip()
        self._named(line)
        if self.as_json:
            self.steps[-1]["result"] = self.encode(verb, result)
        else:
            show(self.page(verb, result, options))

    def _named(self, line: str) -> None:
        self.steps.append({"command": line})
        if not self.as_json:
            show([styled(f"$ {line}", "bold cyan")])

    def end(self, **data: Any) -> None:
        """Give the commands once more, in one piece, or the JSON document."""
        if self.as_json:
            emit_json({**data, "steps": self.steps})
            return
        show([[], styled("# all of it, to repeat:", "dim")])
        show(styled(step["command"]) for step in self.steps)
