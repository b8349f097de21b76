"""What front ends read from signatures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from adapters._wire.signatures import Parameter, parameters, resolve

Mode = Literal["auto", "lexical"]


def function(
    root: str | Path,
    *names: str,
    limit: int = 10,
    share: float | None = None,
    verify: bool = False,
    no_ignore: bool | None = None,
    mode: Mode = "auto",
    other: Literal["a", "b"] | None = None,
    include: Sequence[str] | None = None,
    facts: Sequence[Mapping[str, Any]] = (),
    state: Mapping[str, Any],
    **rest: Any,
) -> None: ...


@pytest.mark.parametrize(
    "expected",
    [
        Parameter("root", "text", required=True),
        Parameter("names", "text", many=True),
        Parameter("limit", "integer", default=10),
        Parameter("share", "number"),
        Parameter("verify", "flag", default=False),
        Parameter("no_ignore", "switch"),
        Parameter("mode", "text", default="auto", choices=("auto", "lexical")),
        Parameter("other", "text", choices=("a", "b")),
        Parameter("include", "text", many=True),
        Parameter("facts", "json", many=True, default=()),
        Parameter("state", "json", required=True),
    ],
    ids=lambda parameter: parameter.name,
)
def test_a_parameter_is_read_from_its_annotation(expected):
    """Its kind, whether it repeats, whether it is demanded, its choices."""

    assert expected == parameters(function)[expected.name]


def test_catch_alls_are_not_offered():
    """`**rest` is no option."""
    assert "rest" not in parameters(function)


def test_a_function_is_found_by_its_public_name():
    """`package:Name.method` names it."""
    assert Path.exists is resolve("pathlib:Path.exists")
