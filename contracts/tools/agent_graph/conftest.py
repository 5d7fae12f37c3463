"""The agent_graph tools behind a door, in a channel that no other test uses."""

import secrets

import pytest

from contracts.client import Door
from contracts.doors import Doors
from contracts.tools.agent_graph.client import AgentGraphClient


@pytest.fixture(scope="session")
async def door(doors: Doors) -> Door:
    """Connect to a server that all tests of this door share; each keeps to a channel of its own."""
    return await doors.open("agent_graph")


@pytest.fixture
def client(door: Door) -> AgentGraphClient:
    """Return the agent_graph tools, working in a channel of the test's own."""
    return AgentGraphClient(door, f"channel {secrets.token_hex(6)}")
