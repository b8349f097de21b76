"""The program `hythe`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from adapters._wire import meanings
from adapters._wire.evidence import resolver
from adapters._wire.hythe_verbs import CHECKPOINT_CALLS, VERBS
from adapters._wire.verbs import Verb, of_tool
from adapters.cli import confirming, dash, extras
from adapters.cli.commands import VerbCommand, VerbGroup, flag, given, option, word
from adapters.cli.hythe_input import OWN, arguments
from adapters.cli.terminal import emit_json, say, show
from hsum import Fault

__all__ = ["group"]


def group() -> VerbGroup:
    """Return the program's commands."""
    return VerbGroup(
        "hythe",
        "Record what agents know and do: checkpoints, observations, messages.",
        table=VERBS,
        build=command,
        extras=extras.of("hythe"),
    )


def command(verb: Verb) -> click.Command:
    """Build the command of a verb."""
    own = OWN.get(str(verb.command), {})
    chosen: list[click.Parameter] = []
    for each in (verb, *_others(verb).values()):
        chosen += _parameters(each, verb.words, {*own, *(p.name for p in chosen)})
    chosen += [
        flag(f"--{name}", f"Instead: {other.summary[0].lower()}{other.summary[1:]}")
        for name, other in _others(verb).items()
    ]
    chosen += own.values()
    chosen += confirming.options(verb)
    chosen += _common(verb)
    return VerbCommand(
        str(verb.command).split(" ")[-1],
        params=sorted(chosen, key=lambda item: not isinstance(item, click.Argument)),
        help=verb.summary,
        examples=verb.examples,
        callback=lambda **options: _perform(verb, options),
    )


def _others(verb: Verb) -> dict[str, Verb]:
    found = {flag: of_tool(VERBS, tool) for flag, tool in verb.instead.items()}
    return {flag: other for flag, other in found.items() if other is not None}


def _parameters(
    verb: Verb, words: tuple[str, ...], taken: set[str | None]
) -> list[click.Parameter]:
    """Return what a function takes, but its scope, which has two options."""
    parameters = verb.parameters()
    chosen: list[click.Parameter] = [
        word(parameters[name])
        for name in words
        if name in parameters and name not in taken
    ]
    return chosen + [
        option(item, meanings.HYTHE.get(name, ""), verb.spelled.get(name, ()))
        for name, item in parameters.items()
        if name not in (*words, *taken, "scope", _subject(verb))
    ]


def _subject(verb: Verb) -> str:
    """The parameter that a flag's function takes from the command's word."""
    return "entity" if verb.command is None else ""


def _common(verb: Verb) -> list[click.Option]:
    scope = [
        click.Option(["--project"], help="The scope's project."),
        click.Option(["--task"], help="The scope's task."),
    ]
    json = flag("--json", "Print one JSON document.")
    if verb.where is None:
        return [json]
    return [
        *(scope if verb.where == "scope" or "scope" in verb.parameters() else []),
        click.Option(
            ["--store"], envvar="HYTHE_STORE", help="The store's file; or HYTHE_STORE."
        ),
        click.Option(
            ["--agent", "as_agent"],
            envvar="HYTHE_AGENT",
            help="The agent who acts; or HYTHE_AGENT.",
        ),
        json,
    ]


def _perform(verb: Verb, options: dict[str, Any]) -> int:
    as_json = options.pop("json")
    asked = [other for flag, other in _others(verb).items() if options.pop(flag)]
    if asked:
        options = _redirected(verb, asked[0], options)
        verb = asked[0]
    dash.refuse(verb, options)
    try:
        with dash.read_or_written(verb, options, as_json=as_json) as taken:
            return _called(verb, options, as_json=as_json, shown=not taken)
    except Fault as fault:
        return _refused(verb, fault, as_json=as_json)


def _called(verb: Verb, options: dict[str, Any], *, as_json: bool, shown: bool) -> int:
    planned = confirming.unconfirmed(verb, options)
    if planned:
        options["dry_run"] = True
    with _opened(verb, options) as target:
        result = verb.resolve()(*target, **arguments(verb, given(options)))
        asks = planned and confirming.removes_something(result)
        if shown and not (asks and as_json):
            _show(verb, result, as_json=as_json)
        if asks:
            raise confirming.refusal(verb, _document(verb, result))
    return 5 if getattr(result, "problems", ()) else 0


def _redirected(verb: Verb, other: Verb, options: dict[str, Any]) -> dict[str, Any]:
    """Keep the options that the other function takes; the word names its subject."""
    takes = {*other.parameters(), "store", "as_agent", "project", "task"}
    kept = {name: value for name, value in options.items() if name in takes}
    if "entity" in other.parameters() and verb.words:
        kept["entity"] = options[verb.words[0]]
    return kept


def _show(verb: Verb, result: Any, *, as_json: bool) -> None:
    if as_json:
        emit_json(_document(verb, result))
    else:
        from adapters.cli import hythe_pages

        show(hythe_pages.page(verb, result))


def _document(verb: Verb, result: Any) -> Any:
    from adapters._wire.hythe_json import document

    return document(verb, result)


@contextmanager
def _opened(verb: Verb, options: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Give what the verb is called on: the store, a scope, the credentials, nothing."""
    import hythe

    if verb.where is None:
        yield ()
        return
    path = _needed("store", options.pop("store", None))
    agent = _needed("agent", options.pop("as_agent", None))
    project, task = options.pop("project", None), options.pop("task", None)
    create = verb.effect == "adds"
    with hythe.open(path, agent=agent, create=create, evidence=resolver) as store:
        if verb.where == "scope":
            yield (store.scope(project, task),)
            return
        if project or task:
            options["scope"] = store.scope(project, task)
        yield (store.credentials if verb.where == "credentials" else store,)


def _needed(name: str, value: str | None) -> str:
    if value is not None:
        return value
    raise Fault(
        "INVALID_ARGUMENT",
        f"no {name} is named",
        hint=f"Give --{name}, or set HYTHE_{name.upper()}.",
    )


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
