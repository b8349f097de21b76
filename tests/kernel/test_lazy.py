"""Lazy packages list what they offer and load it when asked."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hsum


def test_importing_a_package_loads_no_third_party_module():
    """`import hsum` and `import hythe` cost almost nothing."""
    code = """
import sys
before = set(sys.modules)
import hsum, hythe
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(new - set(sys.stdlib_module_names) - {"hsum", "hythe"}))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True,
        encoding="utf-8",
    )  # fmt: skip

    assert "[]" == done.stdout.strip()


def test_an_unknown_name_is_an_attribute_error():
    """A typo is reported as Python would."""
    with pytest.raises(AttributeError, match="no attribute 'serch'"):
        hsum.serch  # noqa: B018
