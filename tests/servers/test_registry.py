"""What the registry says of the server is what the project is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import hsum
from adapters.cli.hsum_program import group

ROOT = Path(__file__).resolve().parents[2]


def test_the_registry_entry_fits_the_package():
    """Name, version, extras and command are those of the package."""
    entry = json.loads((ROOT / "server.json").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (package,) = entry["packages"]
    wanted = package["runtimeArguments"][0]["value"]
    name, _, extras = wanted.rstrip("]").partition("[")

    assert (
        entry["version"] == package["version"] == project["version"] == hsum.__version__
    )
    assert name == package["identifier"] == project["name"]
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    assert package["runtimeArguments"][1]["value"] in project["scripts"]
    assert package["packageArguments"][0]["value"] in group().list_commands(None)
    assert package["transport"] == {"type": "stdio"}
    assert len(entry["description"]) <= 100
