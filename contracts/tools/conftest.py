"""A running server for the tool suites, behind each of its doors."""

from collections.abc import AsyncIterator
from typing import cast

import pytest

from contracts.client import Door, DoorKind, opened


@pytest.fixture(scope="session", params=["stdio", "http"])
def door_kind(request: pytest.FixtureRequest) -> DoorKind:
    """Name the door of this round."""
    return cast("DoorKind", request.param)


@pytest.fixture(scope="session")
async def door(
    door_kind: DoorKind, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Door]:
    """Connect to a server that all tests of this door share; each keeps to names of its own."""
    async with opened(door_kind, str(pytestconfig.getoption("profile")), tmp_path_factory.mktemp(door_kind)) as door:
        yield door
