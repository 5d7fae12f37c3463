"""The event loop of the suite; here, because a plugin of the command line yields to anyio's own fixture."""

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Name the event loop that the suite runs on."""
    return "asyncio"
