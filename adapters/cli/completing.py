"""What a shell asks of a program while its user types."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hsum import Fault

if TYPE_CHECKING:
    import click

__all__ = ["asked", "complete"]

_WORDS = ("COMP_WORDS", "COMP_CWORD")
_NUMBERED = ("bash", "zsh", "powershell")  # fish gives the word itself


def asked(program: str) -> bool:
    """Tell whether a shell asks; a variable that is empty says nothing."""
    return bool(os.environ.get(_variable(program)))


def complete(group: click.Group, program: str) -> int:
    """Answer what the shell asks.

    Raises:
        Fault: `INVALID_ARGUMENT` for what no shell asks, without the words typed too.
    """
    from click.shell_completion import get_completion_class, shell_complete

    variable = _variable(program)
    question = os.environ[variable]
    shell, _, part = question.partition("_")
    if get_completion_class(shell) is None or part not in ("source", "complete"):
        raise _refused(program, f"{variable} is {question!r}, which no shell asks")
    if part == "complete":
        _check_words(program, shell, question)
    return shell_complete(group, {}, program, variable, question)


def _check_words(program: str, shell: str, question: str) -> None:
    missing = [name for name in _WORDS if name not in os.environ]
    if missing:
        raise _refused(program, f"{question} needs {' and '.join(missing)} as well")
    number = os.environ["COMP_CWORD"]
    if shell in _NUMBERED and not (number.isdecimal() and len(number) < 10):
        raise _refused(program, f"COMP_CWORD is {number!r}, which is no number")


def _refused(program: str, why: str) -> Fault:
    return Fault(
        "INVALID_ARGUMENT",
        why,
        hint=f"Unset {_variable(program)}; `{program} completions SHELL` prints the"
        " script that sets it.",
    )


def _variable(program: str) -> str:
    return f"_{program.upper()}_COMPLETE"
