"""Fixtures of the tool suites: every test runs once per transport."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import cast

import pytest

from contracts.client import Transport
from contracts.connections import Connections
from contracts.plugin import combination
from contracts.processes import STARTER, start_process
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


@pytest.fixture(scope="session")
async def connections(
    transport: Transport, engines: Combination, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> AsyncIterator[Connections]:
    """Return an object that starts servers and connects to them."""
    async with AsyncExitStack() as closing:
        yield Connections(transport, engines, tmp_path_factory, closing, pytestconfig.stash.get(STARTER, start_process))
