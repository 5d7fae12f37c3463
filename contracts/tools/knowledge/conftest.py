"""The knowledge tools behind a door, with names that no other test uses."""

import secrets

import pytest

from contracts.client import Door
from contracts.doors import Doors
from contracts.tools.knowledge.client import KnowledgeClient


@pytest.fixture(scope="session")
async def door(doors: Doors) -> Door:
    """Connect to a server that all tests of this door share; each keeps to names of its own."""
    return await doors.open("knowledge")


@pytest.fixture
def client(door: Door) -> KnowledgeClient:
    """Return the knowledge tools, filing under an area of the test's own."""
    return KnowledgeClient(door, f"area {secrets.token_hex(6)}")
