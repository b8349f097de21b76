"""Findings as SARIF 2.1.0 (OASIS), which code hosts show beside the lines."""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hsum.model.check import CheckReport, Finding, Verdict

__all__ = ["RULES", "sarif"]

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

RULES: dict[Verdict, str] = {
    "ok": "The citation resolves and its bytes stand.",
    "unpinned": "Nothing pins the cited lines: lock them with --lock.",
    "moved": "The cited bytes stand in exactly one other place.",
    "ambiguous": "The cited bytes stand in several other places.",
    "gone": "The cited bytes stand nowhere in the working tree.",
    "past_end": "The citation runs past the end of the file.",
    "unresolvable": "The citation names nothing that is known here.",
    "misquoted": "The text beside the citation is not what the cited bytes say.",
}
_LEVELS = {"ok": "none", "unpinned": "note", "moved": "warning"}


def sarif(report: CheckReport) -> dict[str, Any]:
    """Return one SARIF log with a rule a verdict and a result a finding."""
    rules = list(RULES)
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver()},
                "columnKind": "unicodeCodePoints",
                "results": [_result(one, rules.index(one.verdict)) for one in report],
            }
        ],
    }


def _driver() -> dict[str, Any]:
    return {
        "name": "hsum",
        "rules": [
            {
                "id": f"citation/{verdict}",
                "name": "Citation" + verdict.title().replace("_", ""),
                "shortDescription": {"text": sentence},
                "defaultConfiguration": {"level": _LEVELS.get(verdict, "error")},
            }
            for verdict, sentence in RULES.items()
        ],
    }


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": f"citation/{finding.verdict}",
        "ruleIndex": rule,
        "kind": "pass" if finding.verdict == "ok" else "fail",
        "level": _LEVELS.get(finding.verdict, "error"),
        "message": {"text": finding.message},
        "locations": [_location(finding)],
    }
    places = [finding.moved_to] if finding.moved_to else list(finding.places)
    if places:
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(place.path)},
                    "region": {"startLine": place.lines[0], "endLine": place.lines[1]},
                },
            }
            for number, place in enumerate(places)
        ]
    return result


def _location(finding: Finding) -> dict[str, Any]:
    found = finding.found
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(finding.file or "text")},
            "region": {
                "startLine": found.row,
                "startColumn": found.column,
                "endColumn": found.column + len(found.raw),
            },
        }
    }


def _uri(path: str) -> str:
    return urllib.parse.quote(path.encode("utf-8", "surrogateescape"))
