"""The skills tools on a real server, and their routes, with problems that no other test uses."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from contracts.client import McpConnection
from contracts.connections import Connections, toolset_connections
from contracts.tools.skills.client import SkillsClient

connections = toolset_connections


@pytest.fixture(scope="package")
async def connection(connections: Connections) -> McpConnection:
    """Connect to a server that all tests of this transport share; each uses its own problems."""
    return await connections.open("skills")


@pytest.fixture
def client(connection: McpConnection) -> SkillsClient:
    """Return the skills tools."""
    return SkillsClient(connection)


@pytest.fixture(scope="module")
async def fresh_connection(connections: Connections) -> McpConnection:
    """Connect to a new server of this module, where nothing is stored yet."""
    return await connections.open("skills")


@pytest.fixture
async def api(connection: McpConnection) -> AsyncIterator[httpx2.AsyncClient]:
    """Return a client of the routes, which only HTTP has."""
    if connection.base is None:
        pytest.skip("routes need HTTP")
    async with httpx2.AsyncClient(base_url=connection.base, verify=False, timeout=60) as http:
        yield http
