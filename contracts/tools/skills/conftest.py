"""The skills tools behind a door, and their routes, with problems that no other test uses."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from contracts.client import Door
from contracts.doors import Doors
from contracts.tools.skills.client import SkillsClient


@pytest.fixture(scope="session")
async def door(doors: Doors) -> Door:
    """Connect to a server that all tests of this door share; each keeps to problems of its own."""
    return await doors.open("skills")


@pytest.fixture
def client(door: Door) -> SkillsClient:
    """Return the skills tools."""
    return SkillsClient(door)


@pytest.fixture(scope="module")
async def fresh_door(doors: Doors) -> Door:
    """Connect to a server of a module's own, where nothing is stored yet."""
    return await doors.open("skills")


@pytest.fixture
async def api(door: Door) -> AsyncIterator[httpx2.AsyncClient]:
    """Return a client of the routes, on the door that has any."""
    if door.base is None:
        pytest.skip("routes need HTTP")
    async with httpx2.AsyncClient(base_url=door.base, verify=False, timeout=60) as http:
        yield http
