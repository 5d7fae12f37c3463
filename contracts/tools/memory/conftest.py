"""The memory tools on a real server, with names that no other test uses."""

import json
import secrets
from collections.abc import Mapping

import pytest

from contracts.client import McpConnection
from contracts.connections import Connections, toolset_connections
from contracts.tools.memory.client import MemoryClient

DATABASES = ("prompt_engineer", "research_papers")
SETTINGS: Mapping[str, str] = {"ENTREPOT_TOOLSETS__MEMORY__DATABASES": json.dumps(DATABASES)}

connections = toolset_connections


@pytest.fixture(scope="package")
async def connection(connections: Connections) -> McpConnection:
    """Connect to a server that all tests of this transport share; each uses its own names."""
    return await connections.open("memory", SETTINGS)


@pytest.fixture
def client(connection: McpConnection) -> MemoryClient:
    """Return the memory tools, with a word that marks the test's own entities."""
    return MemoryClient(connection, f"mark{secrets.token_hex(8)}")


@pytest.fixture(scope="module")
async def fresh_connection(connections: Connections) -> McpConnection:
    """Connect to a new server of this module, where nothing is stored yet."""
    return await connections.open("memory", SETTINGS)


@pytest.fixture(scope="module")
async def fresher_connection(connections: Connections) -> McpConnection:
    """Connect to another server where nothing is stored yet."""
    return await connections.open("memory", SETTINGS)
