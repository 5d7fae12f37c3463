"""The version of the installed distribution."""

from importlib.metadata import version

import pytest

from gateway import version as module
from gateway.version import DISTRIBUTION, installed_version


def test_it_is_that_of_the_distribution() -> None:
    assert installed_version() == version(DISTRIBUTION)


def test_a_source_tree_that_is_not_installed_has_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DISTRIBUTION", "entrepot-that-nobody-installed")
    assert installed_version() == "0+source"
