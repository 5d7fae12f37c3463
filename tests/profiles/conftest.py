"""A profile on its real engines: pytest -p contracts.plugin --profile NAME tests/profiles."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from config.sources import load
from contracts.plugin import combination
from contracts.servers import Combination
from tests.profiles.families import FAMILIES
from tests.support.servers import Running, ours_http

TOOLSETS = ",".join(family.toolset for family in FAMILIES)

Start: TypeAlias = Callable[[], AbstractAsyncContextManager[Running]]


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave these tests to runs that say which profile they are for."""
    return None if config.pluginmanager.hasplugin("contracts.plugin") else True


@pytest.fixture(scope="session")
def engines(pytestconfig: pytest.Config) -> Combination:
    """Return the engines of the profile."""
    return combination(pytestconfig)


@pytest.fixture
def variables(engines: Combination) -> Mapping[str, str]:
    """Return the variables that lead to the engines, on servers in a space of the test's own."""
    return engines.variables()


@pytest.fixture
def on_its_log(engines: Combination, variables: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables that put any profile on the event log of this one; none where that is no server's."""
    settings = load({"profile": engines.profile}).settings
    name = str(settings.defaults.events)
    if settings.stores[name]["kind"] != "postgres":
        return {}
    return {
        **variables,
        "ENTREPOT_DEFAULTS__EVENTS": name,
        f"ENTREPOT_STORES__{name.upper()}__KIND": "postgres",
    }


@pytest.fixture
def many(engines: Combination) -> bool:
    """Say whether all engines admit several processes."""
    return all(each.processes == "many" for each in engines.capabilities())


@pytest.fixture
def start(engines: Combination, variables: Mapping[str, str], tmp_path: Path) -> Start:
    """Return what starts a server on the test's data directory."""

    @asynccontextmanager
    async def started() -> AsyncGenerator[Running]:
        async with ours_http(tmp_path, "--profile", engines.profile, toolsets=TOOLSETS, variables=variables) as server:
            yield server

    return started
