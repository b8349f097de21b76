"""Where the user's own files are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix

from hsum.trust.places import (
    cache_folder,
    config_folder,
    data_folder,
    indexes_folder,
)


def test_hsum_home_holds_everything():
    """One variable moves data, config and cache."""
    environ = {"HSUM_HOME": "/h"}

    assert Path("/h/data") == data_folder(environ)
    assert Path("/h/config") == config_folder(environ)
    assert Path("/h/cache") == cache_folder(environ)
    assert Path("/h/data/indexes") == indexes_folder(environ)


def test_hsum_home_may_be_relative_to_home(monkeypatch):
    """`~` is the user's home, in a variable too."""
    monkeypatch.setenv("HOME", "/users/me")

    assert Path("/users/me/h/data") == data_folder({"HSUM_HOME": "~/h"})


@pytest.mark.skipif(sys.platform == "darwin", reason="XDG is for the others")
@pytest.mark.parametrize("value", ["/x", "", "relative"])
def test_xdg_variables_count_when_they_are_absolute(monkeypatch, value):
    """An empty or relative one is as if it were not there."""
    monkeypatch.setenv("HOME", "/users/me")
    environ = {
        "XDG_DATA_HOME": value,
        "XDG_CONFIG_HOME": value,
        "XDG_CACHE_HOME": value,
    }
    absolute = value.startswith("/")

    expected = "/x/hsum" if absolute else "/users/me/.config/hsum"
    assert Path(expected) == config_folder(environ)


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_the_folders_are_those_of_the_platform(monkeypatch, platform):
    """The library for this says the same."""
    kind = {"linux": Unix, "darwin": MacOS}[platform]
    folders = kind("hsum", appauthor=False)
    monkeypatch.setattr(sys, "platform", platform)
    for name in ("HSUM_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    assert Path(folders.user_data_dir) == data_folder()
    assert Path(folders.user_config_dir) == config_folder()
    assert Path(folders.user_cache_dir) == cache_folder()
