"""Results are written so that they can be read by people and drawn again."""

from __future__ import annotations

import json

import pytest

from benchmarks.__main__ import IDEAS, main
from benchmarks.curves import Panel, Point
from benchmarks.harness import Row, at_most
from benchmarks.report import circumstances, draw, growth, write

_POINTS = [
    Point(Panel("growth-x", "Search", "files", "ms"), "hsum", "small", size, size / 7)
    for size in (100, 1_000)
]
_ROW = Row("get", "small", "ms", 3.0, "peer", 2.0, at_most(2))


def test_a_line_of_growth_tells_each_size():
    """Title, unit, line, and each value behind its size."""
    assert growth(_POINTS) == "- Search, ms, hsum; files 100: 14.3, 1,000: 143"


def test_results_are_drawn_again_as_they_were(tmp_path, monkeypatch):
    """`--redraw` measures nothing and gives the same bytes."""
    about = circumstances()
    write(about, [_ROW], _POINTS, tmp_path / "out")
    draw(_POINTS, about, tmp_path / "first")
    results = tmp_path / "out" / "results.json"
    given = ["benchmarks", "--redraw", str(results), "--docs", str(tmp_path / "again")]
    monkeypatch.setattr("sys.argv", given)

    assert 0 == main()
    names = [path.name for path in (tmp_path / "first").iterdir()]
    assert ["growth-x.svg"] == names
    for name in names:
        first, again = (tmp_path / at / name for at in ("first", "again"))
        assert first.read_bytes() == again.read_bytes()


def test_results_hold_rows_with_their_verdicts(tmp_path):
    """A program can read which targets were met."""
    write(circumstances(), [_ROW], [], tmp_path)
    found = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))

    assert [("get", 1.5, "met")] == [
        (row["what"], row["ratio"], row["verdict"]) for row in found["rows"]
    ]


def test_help_tells_every_idea_and_option(monkeypatch, capsys):
    """Whoever reads the help knows what can be measured and how."""
    monkeypatch.setattr("sys.argv", ["benchmarks", "--help"])
    with pytest.raises(SystemExit):
        main()
    lines = capsys.readouterr().out.splitlines()

    for idea in IDEAS:
        (line,) = [line for line in lines if line.startswith(f"  {idea} ")]
        assert line.rstrip().endswith(".")
    for option in ("--corpus", "--only", "--smoke", "--large", "--docs", "--redraw"):
        assert any(option in line for line in lines)
    assert "examples:" in lines
