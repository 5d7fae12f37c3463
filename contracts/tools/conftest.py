"""Fixtures of the tool suites: every test runs once per transport."""

from pathlib import Path
from typing import cast

import pytest

from contracts.client import Transport
from contracts.plugin import combination
from contracts.servers import Combination


@pytest.fixture(scope="session")
def transport(request: pytest.FixtureRequest) -> Transport:
    """Return the transport of this round; there is one round per `--transport`."""
    return cast("Transport", request.param)


@pytest.fixture(scope="session")
def engines(pytestconfig: pytest.Config) -> Combination:
    """Return the engines that the tools are served on."""
    return combination(pytestconfig)


@pytest.fixture
def empty_stage(engines: Combination, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Path]:
    """Return the profile with the engines under test, for use in this process, and an empty data directory."""
    for variable, value in engines.variables().items():
        monkeypatch.setenv(variable, value)
    return engines.profile, tmp_path
