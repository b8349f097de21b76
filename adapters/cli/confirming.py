"""What cannot be undone: first its plan, then, with --confirm, the deed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters._wire.verbs import Verb
from adapters.cli.commands import flag
from hsum import Fault

if TYPE_CHECKING:
    import click

__all__ = ["options", "refusal", "removes_something", "unconfirmed"]

_COUNTS = ("revisions", "checkpoints", "states", "messages")


def options(verb: Verb) -> list[click.Option]:
    """Return the option of a command that removes what cannot be made again."""
    if not _removes(verb):
        return []
    return [flag("--confirm", "Do it; without this, only the plan is shown.")]


def unconfirmed(verb: Verb, given: dict[str, Any]) -> bool:
    """Take `--confirm` out of the options, and tell whether only a plan is allowed."""
    if not _removes(verb):
        return False
    return not (given.pop("confirm") or given["dry_run"])


def removes_something(plan: Any) -> bool:
    """Tell whether a plan is worth a confirmation; what only counts may count none."""
    counts = [getattr(plan, name) for name in _COUNTS if hasattr(plan, name)]
    return bool(getattr(plan, "paths", ())) or any(counts) or not counts


def refusal(verb: Verb, plan: Any) -> Fault:
    """Return the fault that holds the plan, as JSON data."""
    return Fault(
        "CONFIRMATION_REQUIRED",
        f"{verb.command} removes this for good; nothing was written",
        hint="If that is meant, run it again with --confirm.",
        details=plan,
    )


def _removes(verb: Verb) -> bool:
    return verb.effect == "removes" and "dry_run" in verb.parameters()
