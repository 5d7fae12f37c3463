"""The agent_graph tools on a real server, in a channel that no other test uses."""

import secrets

import pytest

from contracts.client import McpConnection
from contracts.connections import Connections, toolset_connections
from contracts.tools.agent_graph.client import AgentGraphClient

connections = toolset_connections


@pytest.fixture(scope="package")
async def connection(connections: Connections) -> McpConnection:
    """Connect to a server that all tests of this transport share; each uses its own channel."""
    return await connections.open("agent_graph")


@pytest.fixture
def client(connection: McpConnection) -> AgentGraphClient:
    """Return the agent_graph tools, working in the test's own channel."""
    return AgentGraphClient(connection, f"channel {secrets.token_hex(6)}")
