"""Judge a citation from what was observed of it. No file is touched here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import attrs

from hsum.check.quotes import says
from hsum.model.check import Finding, Found, Verdict

if TYPE_CHECKING:
    from hsum.model.evidence import Place

__all__ = ["Observed", "State", "judge"]

State = Literal["pinned", "unpinned", "past_end", "unresolvable"]


@attrs.frozen(kw_only=True)
class Observed:
    """Say what became of the cited bytes.

    `state` is `pinned` when a lock or an index tells which bytes were meant, and
    `intact` then tells whether they stand where they stood; `places` are all the
    places where they stand otherwise. `unpinned` lines exist, but nothing tells
    what they once were. `text` is what the cited bytes say.
    """

    state: State
    path: str | None = None
    intact: bool = False
    places: tuple[Place, ...] = ()
    text: str | None = None
    reason: str = ""


def judge(
    found: Found, seen: Observed, *, file: str | None = None, quote: str | None = None
) -> Finding:
    """Return the finding for one citation; `quote` is what the text quotes beside it."""
    verdict = _standing(seen)
    if quote is not None and _misquotes(verdict, seen, quote):
        verdict = "misquoted"
    return Finding(
        verdict,
        found,
        _message(verdict, seen),
        file=file,
        path=seen.path,
        quote=quote,
        moved_to=seen.places[0] if verdict == "moved" else None,
        places=seen.places if verdict == "ambiguous" else (),
    )


def _standing(seen: Observed) -> Verdict:
    if seen.state != "pinned":
        return seen.state
    if seen.intact:
        return "ok"
    return ("gone", "moved")[len(seen.places)] if len(seen.places) < 2 else "ambiguous"


def _misquotes(verdict: Verdict, seen: Observed, quote: str) -> bool:
    comparable = verdict in {"ok", "unpinned", "moved"} and seen.text is not None
    return comparable and not says(seen.text or "", quote)


def _message(verdict: Verdict, seen: Observed) -> str:
    if verdict == "moved":
        return f"the cited bytes are now at {_shown(seen.places[0])}"
    if verdict == "ambiguous":
        places = ", ".join(map(_shown, seen.places[:5]))
        return f"the cited bytes now stand in {len(seen.places)} places: {places}"
    return seen.reason or _SENTENCES[verdict]


_SENTENCES: dict[Verdict, str] = {
    "ok": "the cited bytes stand",
    "unpinned": "the lines exist, but nothing pins what they said",
    "gone": "the cited bytes stand nowhere in the working tree",
    "past_end": "the citation runs past the end of the file",
    "unresolvable": "nothing of this name is known here",
    "misquoted": "the quoted words are not in the cited bytes",
}


def _shown(place: Place) -> str:
    first, last = place.lines
    return f"{place.path}:{first}" + ("" if first == last else f"-{last}")
