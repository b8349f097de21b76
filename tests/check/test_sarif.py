"""Findings are told to code hosts in SARIF 2.1.0."""

from __future__ import annotations

import jsonschema
import pytest

from hsum.check.sarif import RULES, sarif
from hsum.model import Place
from hsum.model.check import CheckReport, Finding, Found

# What SARIF 2.1.0 demands of the parts that are written.
TEXT = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
}
LINE = {"type": "integer", "minimum": 1}
PLACE = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": -1},
        "physicalLocation": {
            "type": "object",
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "properties": {
                        "uri": {"type": "string", "format": "uri-reference"}
                    },
                },
                "region": {
                    "type": "object",
                    "properties": dict.fromkeys(
                        ["startLine", "endLine", "startColumn", "endColumn"], LINE
                    ),
                    "additionalProperties": False,
                },
            },
        },
    },
    "additionalProperties": False,
}
RESULT = {
    "type": "object",
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "kind": {"enum": ["pass", "fail", "open", "review", "notApplicable"]},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "locations": {"type": "array", "items": PLACE},
        "relatedLocations": {"type": "array", "items": PLACE, "uniqueItems": True},
    },
    "required": ["message"],
    "additionalProperties": False,
}
PLACES = tuple(Place(f"src/ä b{n}.py", 0, 9, (n, n + 1)) for n in (1, 2))


def finding(verdict):
    found = Found("src/m.py:1-2", "lines", 4, 16, 1, 5, path="src/m.py", lines=(1, 2))
    moved = {"moved_to": PLACES[0]} if verdict == "moved" else {}
    places = {"places": PLACES} if verdict == "ambiguous" else {}
    return Finding(verdict, found, "why", file="docs/ü.md", **moved, **places)


@pytest.mark.parametrize("verdict", RULES)
def test_each_verdict_is_a_valid_result(verdict):
    """The result names its rule, its place, and where the bytes are now."""
    log = sarif(CheckReport((finding(verdict),)))
    (run,) = log["runs"]
    (result,) = run["results"]

    jsonschema.validate(result, RESULT)
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == result["ruleId"] == f"citation/{verdict}"
    # Only a failure has a level (SARIF 2.1.0, 3.27.10).
    assert (result["level"] == "none") == (result["kind"] == "pass")
    assert len(result.get("relatedLocations", ())) == {"moved": 1, "ambiguous": 2}.get(
        verdict, 0
    )
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "docs/%C3%BC.md"
    assert place["region"] == {"startLine": 1, "startColumn": 5, "endColumn": 17}
