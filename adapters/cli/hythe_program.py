"""The program `hythe`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from adapters._wire.hythe_verbs import CHECKPOINT_CALLS, HELP, VERBS
from adapters._wire.verbs import Verb, of_tool
from adapters.cli import extras
from adapters.cli.commands import VerbCommand, VerbGroup, flag, given, option, word
from adapters.cli.hythe_input import OWN, arguments
from adapters.cli.terminal import emit_json, say, show
from hsum import Fault

if TYPE_CHECKING:
    from hythe import Store

__all__ = ["group"]


def group() -> VerbGroup:
    """Return the program's commands."""
    return VerbGroup(
        "hythe",
        "Record what agents know and do: checkpoints, observations, messages.",
        table=VERBS,
        build=command,
        extras=extras.of("hythe", VERBS),
    )


def command(verb: Verb) -> click.Command:
    """Build the command of a verb."""
    parameters = verb.parameters()
    own = OWN.get(str(verb.command), {})
    chosen: list[click.Parameter] = [
        word(item) for item in map(parameters.get, verb.words) if item is not None
    ]
    chosen += [
        option(item, HELP.get(name, ""), verb.spelled.get(name, ()))
        for name, item in parameters.items()
        if name not in verb.words and name not in own
    ]
    chosen += own.values()
    chosen += _common(verb)
    return VerbCommand(
        verb.command,
        params=chosen,
        help=verb.summary,
        examples=verb.examples,
        callback=lambda **options: _perform(verb, options),
    )


def _common(verb: Verb) -> list[click.Option]:
    scope = [
        click.Option(["--project"], help="The scope's project."),
        click.Option(["--task"], help="The scope's task."),
    ]
    return [
        *(scope if verb.where == "scope" else []),
        click.Option(
            ["--store"], envvar="HYTHE_STORE", help="The store's file; or HYTHE_STORE."
        ),
        click.Option(
            ["--agent"], envvar="HYTHE_AGENT", help="The agent's id; or HYTHE_AGENT."
        ),
        flag("--json", "Print one JSON document."),
    ]


def _perform(verb: Verb, options: dict[str, Any]) -> int:
    as_json = options.pop("json")
    if options.pop("plan", False):
        verb = of_tool(VERBS, "plan_reconcile") or verb
    try:
        result = _call(verb, given(options))
    except Fault as fault:
        return _refused(verb, fault, as_json=as_json)
    if as_json:
        emit_json(_document(verb, result))
    else:
        from adapters.cli import hythe_pages

        show(hythe_pages.page(verb, result))
    return 5 if getattr(result, "problems", ()) else 0


def _call(verb: Verb, options: dict[str, Any]) -> Any:
    with _opened(verb, options) as store:
        target = store
        if verb.where == "scope":
            target = store.scope(options.pop("project", None), options.pop("task", None))
        return verb.resolve()(target, **arguments(verb, options))


@contextmanager
def _opened(verb: Verb, options: dict[str, Any]) -> Iterator[Store]:
    import hythe

    path, agent = options.pop("store", None), options.pop("agent", None)
    for name, value in (("store", path), ("agent", agent)):
        if value is None:
            raise Fault(
                "INVALID_ARGUMENT",
                f"no {name} is named",
                hint=f"Give --{name}, or set HYTHE_{name.upper()}.",
            )
    with hythe.open(path, agent=agent, create=verb.effect != "reads") as store:
        yield store


def _document(verb: Verb, result: Any) -> Any:
    from adapters._wire.hythe_json import document

    return document(verb, result)


def _refused(verb: Verb, fault: Fault, *, as_json: bool) -> int:
    """Show a conflict as the result it is; raise any other fault."""
    from adapters._wire.outcomes import refused

    outcome = refused(fault) if verb.command in CHECKPOINT_CALLS else None
    if outcome is None:
        raise fault
    if as_json:
        emit_json(outcome)
        return fault.exit_status
    from adapters.cli import hythe_pages

    say(f"{fault.code}: {fault.message}", "bold red")
    say(f"  next: {fault.hint}")
    show(hythe_pages.conflict(outcome))
    return fault.exit_status
