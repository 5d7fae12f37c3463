"""The knowledge tools on a real server, with names that no other test uses."""

import secrets

import pytest

from contracts.client import McpConnection
from contracts.connections import Connections, toolset_connections
from contracts.tools.knowledge.client import KnowledgeClient

connections = toolset_connections


@pytest.fixture(scope="package")
async def connection(connections: Connections) -> McpConnection:
    """Connect to a server that all tests of this transport share; each uses its own names."""
    return await connections.open("knowledge")


@pytest.fixture
def client(connection: McpConnection) -> KnowledgeClient:
    """Return the knowledge tools, filing under the test's own area."""
    return KnowledgeClient(connection, f"area {secrets.token_hex(6)}")
