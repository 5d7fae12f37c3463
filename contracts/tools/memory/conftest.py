"""The memory tools behind a door, with names that no other test uses."""

import json
import secrets
from collections.abc import Mapping

import pytest

from contracts.client import Door
from contracts.doors import Doors
from contracts.tools.memory.client import MemoryClient

DATABASES = ("prompt_engineer", "research_papers")
SETTINGS: Mapping[str, str] = {"ENTREPOT_TOOLSETS__MEMORY__DATABASES": json.dumps(DATABASES)}


@pytest.fixture(scope="session")
async def door(doors: Doors) -> Door:
    """Connect to a server that all tests of this door share; each keeps to names of its own."""
    return await doors.open("memory", SETTINGS)


@pytest.fixture
def client(door: Door) -> MemoryClient:
    """Return the memory tools, with a word that marks the test's own entities."""
    return MemoryClient(door, f"mark{secrets.token_hex(8)}")


@pytest.fixture(scope="module")
async def fresh_door(doors: Doors) -> Door:
    """Connect to a server of a module's own, where nothing is stored yet."""
    return await doors.open("memory", SETTINGS)


@pytest.fixture(scope="module")
async def fresher_door(doors: Doors) -> Door:
    """Connect to another server where nothing is stored yet."""
    return await doors.open("memory", SETTINGS)
