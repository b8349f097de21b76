"""Retrieval cases: a query and what answers it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from hsum._kernel.faults import Fault, guarded
from hsum._kernel.files import translating_os
from hsum.errors import family, fault
from hsum.index.catalogue import DEFAULT_PROJECT
from hsum.model import Citation

if TYPE_CHECKING:
    from hsum.model import Hit

__all__ = ["RetrievalCase", "answers", "path_of", "read_cases"]

_LINES = re.compile(r"(?P<path>.+?)(?::|#L)(?P<first>\d+)(?:-L?(?P<last>\d+))?")
_SCHEME = "hsum://"


def _graded(relevant: Any) -> dict[str, float]:
    """Return what is relevant with its grade, 1 where none is given."""
    if isinstance(relevant, str):
        relevant = [relevant]
    if not isinstance(relevant, Mapping):
        named = relevant if isinstance(relevant, Collection) else ()
        relevant = dict.fromkeys(named, 1.0)
    if not all(map(_is_grade, relevant.items())):
        raise fault("INVALID_ARGUMENT", "relevant names texts, with numbers for grades")
    graded = {name: float(grade) for name, grade in relevant.items() if grade > 0}
    if not graded:
        raise fault("INVALID_ARGUMENT", "a case names something relevant")
    return graded


def _is_grade(item: tuple[Any, Any]) -> bool:
    name, grade = item
    return isinstance(name, str) and isinstance(grade, int | float)


@attrs.frozen
class RetrievalCase:
    """Pair a query with what answers it.

    `relevant` names files (`docs/guide.md`), lines (`docs/guide.md:10-20`) or
    citations (`hsum://...`); a mapping gives each a grade, of which 0 is not
    relevant. Reports show `id` where it is given. Below `minimum`, an nDCG@10, the
    case fails.
    """

    query: str
    relevant: Mapping[str, float] = attrs.field(converter=_graded)
    id: str = ""
    minimum: float = 0.0
    project: str = DEFAULT_PROJECT


def read_cases(path: str | os.PathLike[str]) -> list[tuple[int, RetrievalCase]]:
    """Read a JSON Lines file; return each case with its line number, from 1.

    Empty lines are passed over.

    Raises:
        HsumError: `INVALID_ARGUMENT`, naming the line; a file that cannot be read.
    """
    with translating_os(os.fspath(path)):
        text = Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    lines = enumerate(text.split("\n"), 1)
    return [(row, _case(line, row, path)) for row, line in lines if line.strip()]


read_cases = guarded(family, read_cases)


def _case(line: str, row: int, path: str | os.PathLike[str]) -> RetrievalCase:
    import cattrs

    where = f"{os.fspath(path)}:{row}"
    try:
        case: RetrievalCase = _converter().structure(_object(line), RetrievalCase)
    except (TypeError, ValueError) as exc:
        raise fault("INVALID_ARGUMENT", f"{where}: {exc}") from None
    except cattrs.BaseValidationError as exc:
        faults = "; ".join(cattrs.transform_error(exc, "$", format_exception=_said))
        raise fault("INVALID_ARGUMENT", f"{where}: {faults}") from None
    return case


def _object(line: str) -> dict[str, Any]:
    given = json.loads(line)
    if not isinstance(given, dict):
        raise TypeError("a case is a JSON object")
    return given


def _converter() -> Any:
    import cattrs

    converter = cattrs.Converter(forbid_extra_keys=True)
    converter.register_structure_hook(str, _text)
    # The class itself says what is relevant.
    converter.register_structure_hook_func(
        lambda kind: kind == Mapping[str, float], lambda value, _: value
    )
    return converter


def _said(exc: BaseException, kind: type | None) -> str:
    import cattrs.v

    if isinstance(exc, Fault):
        return exc.message
    return cattrs.v.format_exception(exc, kind)


def _text(value: Any, _: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text expected")
    return value


def answers(hit: Hit, wanted: str) -> bool:
    """Tell whether a hit is what a case names."""
    if wanted.startswith(_SCHEME):
        named = Citation.parse(wanted)
        return any(_overlaps(one, named) for one in (hit.citation, *hit.duplicates))
    if hit.path == wanted:
        return True
    path, lines = _place(wanted)
    if lines is None or hit.path != path:
        return False
    return hit.lines[0] <= lines[1] and lines[0] <= hit.lines[1]


def path_of(wanted: str) -> str | None:
    """Return the path that a case names; None for a citation, which names an id."""
    return None if wanted.startswith(_SCHEME) else _place(wanted)[0]


def _place(wanted: str) -> tuple[str, tuple[int, int] | None]:
    match = _LINES.fullmatch(wanted)
    if match is None:
        return wanted, None
    first = int(match["first"])
    return match["path"], (first, int(match["last"] or first))


def _overlaps(one: Citation, other: Citation) -> bool:
    same = (one.document_id, one.rev) == (other.document_id, other.rev)
    return same and one.start < other.end and other.start < one.end
