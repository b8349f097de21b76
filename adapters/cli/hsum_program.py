"""The program `hsum`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from adapters._wire import meanings
from adapters._wire.hsum_verbs import VERBS
from adapters._wire.verbs import Verb
from adapters.cli import confirming, dash, extras
from adapters.cli.commands import VerbCommand, VerbGroup, flag, given, option, word
from adapters.cli.sources import read_text
from adapters.cli.terminal import emit_json, show

if TYPE_CHECKING:
    from hsum import CheckReport, Evidence

__all__ = ["group"]

# What selects the index, for every command that needs one.
_SELECTING = ("index", "project")

_DOCUMENT = "Print one JSON document."
_DOCUMENTS = {"watch": "Print each report as a JSON document on a line of its own."}

# Options that the CLI alone has, by command.
_OWN = {
    "check": [
        click.Option(
            ["--lock"],
            is_flag=False,
            flag_value="",
            metavar="[FILE]",
            help="Write a lock file; citations.lock in the checked folder by default.",
        ),
        click.Option(
            ["--format"],
            type=click.Choice(["text", "json", "sarif"]),
            default="text",
            help="How to report; json is --json.",
        ),
    ],
    "context": [flag("--verbose", "Also show where the data lie.")],
    "search": [
        flag("--citations", "Print only the citations, one a line."),
        flag("--fail-if-empty", "Exit with 1 when nothing is found."),
    ],
}


def group() -> VerbGroup:
    """Return the program's commands."""
    return VerbGroup(
        "hsum",
        "Index one folder, search it, cite exact bytes of an exact revision.",
        table=VERBS,
        build=command,
        extras=extras.of("hsum"),
    )


def command(verb: Verb) -> click.Command:
    """Build the command of a verb."""
    parameters = verb.parameters()
    chosen: list[click.Parameter] = [
        word(item) for item in map(parameters.get, verb.words) if item is not None
    ]
    chosen += [
        option(item, meanings.HSUM.get(name, ""), verb.spelled.get(name, ()))
        for name, item in parameters.items()
        if name not in verb.words and not (verb.where and name in _SELECTING)
    ]
    if verb.where is not None:
        chosen += [
            click.Option([f"--{name}"], help=meanings.HSUM[name]) for name in _SELECTING
        ]
    chosen += _OWN.get(str(verb.command), [])
    chosen += confirming.options(verb)
    chosen.append(flag("--json", _DOCUMENTS.get(str(verb.command), _DOCUMENT)))
    return VerbCommand(
        str(verb.command).split(" ")[-1],
        params=chosen,
        help=verb.summary,
        examples=verb.examples,
        callback=lambda **options: _perform(verb, options),
    )


def _perform(verb: Verb, options: dict[str, Any]) -> int:
    as_json = options.pop("json")
    own = {
        name: options.pop(name)
        for item in _OWN.get(str(verb.command), [])
        if (name := str(item.name)) in options
    }
    if own.get("lock") is not None:
        options["lock"] = own["lock"] or True
    dash.refuse(verb, options)
    if verb.command == "check" and "-" in options["paths"]:
        options["text"] = read_text("-")
        options["paths"] = [path for path in options["paths"] if path != "-"]
    form = "json" if as_json else own.get("format", "text")
    if confirming.unconfirmed(verb, options):
        return _planned(verb, given({**options, "dry_run": True}), form)
    status = 0
    with _called(verb, given(options), quiet=form != "text") as result:
        for each in result if isinstance(result, Iterator) else (result,):
            _show(verb, each, {**options, **own}, form)
            status = _status(each, own)
    return status


def _planned(verb: Verb, arguments: dict[str, Any], form: str) -> int:
    """Show what would be removed; refuse, unless that is nothing."""
    from adapters._wire.hsum_json import encode

    with _called(verb, arguments, quiet=form != "text") as plan:
        asks = confirming.removes_something(plan)
        if form == "text" or not asks:
            _show(verb, plan, arguments, form)
        if asks:
            raise confirming.refusal(verb, encode(plan))
    return 0


def _show(verb: Verb, result: Any, options: dict[str, Any], form: str) -> None:
    if form == "json":
        _print_json(verb, result)
    elif form == "sarif":
        _print_sarif(result)
    elif verb.command == "get" and not sys.stdout.isatty():
        _print_bytes(result)
    else:
        from adapters.cli import hsum_pages

        show(hsum_pages.page(verb, result, options))


def _print_json(verb: Verb, result: Any) -> None:
    from adapters._wire.hsum_json import encode

    data = encode(result)
    emit_json({verb.result: data} if verb.result else data)


def _print_sarif(report: CheckReport) -> None:
    from hsum import sarif

    emit_json(sarif(report))


def _print_bytes(evidence: Evidence) -> None:
    """Write the stored bytes as they are; what is known of them goes to stderr."""
    from adapters.cli import hsum_pages

    hsum_pages.say_evidence(evidence)
    sys.stdout.buffer.write(evidence.content)
    sys.stdout.buffer.flush()


def _status(result: Any, own: dict[str, Any]) -> int:
    """Return the exit status of an answer that was given."""
    kind = type(result).__name__
    if kind in ("IngestReport", "Initialized"):
        return 6 if result.partial else 0
    if kind == "DoctorReport":
        return 0 if result.healthy else 5
    if kind == "CheckReport":
        return 0 if result.ok else 1
    return 1 if own.get("fail_if_empty") and len(result) == 0 else 0


@contextmanager
def _called(verb: Verb, arguments: dict[str, Any], *, quiet: bool) -> Iterator[Any]:
    """Give the result of a call while what it was called on is still open."""
    from adapters.cli.progress import reporting

    if verb.where is None:
        with reporting(verb, quiet=quiet) as progress:
            result = verb.resolve()(**arguments, **progress)
        yield result
        return
    with _opened(verb, arguments) as target:
        with reporting(verb, quiet=quiet) as progress:
            result = verb.resolve()(target, **arguments, **progress)
        yield result


@contextmanager
def _opened(verb: Verb, arguments: dict[str, Any]) -> Iterator[Any]:
    """Open the index that the options, the environment or the folder select."""
    import hsum

    context = hsum.context(
        index=arguments.pop("index", None),
        project=arguments.pop("project", None),
        citation=arguments.get("citation"),
        directory=arguments.get("root"),
    )
    if "project" in verb.parameters():
        arguments["project"] = context.project
    with hsum.open_managed(context.index) as index:
        yield index.projects if verb.where == "projects" else index
